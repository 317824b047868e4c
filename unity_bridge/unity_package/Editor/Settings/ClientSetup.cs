using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Trust;
using UnityBridge.Wire;

namespace UnityBridge.Settings
{
    /// <summary>Adds the server to the clients of this machine: runs <c>client add</c> with the command line that a
    /// server has noted in the user's state folder. Nothing of the project's folder counts. Main thread.</summary>
    internal sealed class ClientSetup
    {
        public const string FileName = "server-command.json";

        private const int LongestMs = 60000;

        private readonly string _project;
        private readonly string[] _command;
        private Task<JsonObject> _run;
        private List<string> _found = new List<string>();
        private string _outcome;

        public ClientSetup(string project)
        {
            _project = project;
            _command = Noted();
            _run = _command == null ? null : Start("client", "list", "--json");
        }

        public void Draw()
        {
            // Unity's two passes show the same.
            if (Event.current.type == EventType.Layout && _run is { IsCompleted: true })
            {
                Look();
            }
            EditorGUILayout.LabelField("Clients", EditorStyles.boldLabel);
            if (_command == null)
            {
                EditorGUILayout.LabelField(
                    "No server has run on this machine yet. This is the entry for a client, with the whole path of "
                    + "the program:");
                EditorGUILayout.SelectableLabel(JsonWriter.Write(new JsonObject { { "unity-bridge", new JsonObject
                    { { "command", "unity-bridge" }, { "args", new[] { "--project", _project } } } } }));
            }
            foreach (var client in _found)
            {
                if (GUILayout.Button("Add to " + client) && _run == null)
                {
                    _run = Start("client", "add", client, "--json");
                }
            }
            if (_outcome != null)
            {
                EditorGUILayout.HelpBox(_outcome, MessageType.Info);
            }
        }

        private void Look()
        {
            var result = _run.Result.Object("result");
            var said = _run.Result.Object("error") is { } error ? new object[] { error.Text("message") }
                : new[] { "lines", "remarks" }.SelectMany(name => result?.Array(name) ?? new List<object>());
            _found = result?.Array("clients")?.OfType<JsonObject>().Where(client => client.Flag("found") == true)
                .Select(client => client.Text("client"))
                .Where(IsName).Distinct().ToList() ?? _found;
            _outcome = result?.ContainsKey("clients") == true
                ? null
                : string.Join("\n", said.OfType<string>().Select(Quoted.Of));
            _run = null;
        }

        private static bool IsName(string name) =>
            !string.IsNullOrEmpty(name) && name.All(c => c is '-' or (>= 'a' and <= 'z') or (>= '0' and <= '9'));

        // Null without a note that only this user could have written, and for words that the two ways to quote them
        // read differently.
        private static string[] Noted()
        {
            var folder = StateFolder.Find(out _);
            var text = folder == null ? null : OrdinaryFile.Read(Path.Combine(folder, FileName), true, out _);
            var words = text != null && JsonReader.TryRead(text, out var read, out _)
                ? (read as JsonObject)?.Array("command")?.OfType<string>().ToArray()
                : null;
            return words is { Length: > 0 } && Path.IsPathRooted(words[0]) && words.All(IsPlain) ? words : null;
        }

        private static bool IsPlain(string word) => !word.EndsWith("\\", StringComparison.Ordinal)
            && !word.Any(c => c is '"' or '$' or '`' || c < ' ' || (c == '\\' && Host.Name != Host.Windows));

        // With the project's folder as working directory, which is the project that is meant; Python takes no code from
        // there (-I).
        private Task<JsonObject> Start(params string[] words) => Task.Run(() =>
        {
            try
            {
                var start = new ProcessStartInfo(
                    _command[0], string.Join(" ", _command.Skip(1).Concat(words).Select(word => "\"" + word + "\"")))
                {
                    UseShellExecute = false, CreateNoWindow = true,
                        RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
                    StandardOutputEncoding = Encoding.UTF8, WorkingDirectory = _project,
                };
                using var process = Process.Start(start);
                process.StandardInput.Close();
                var (output, errors) = (process.StandardOutput.ReadToEndAsync(),
                    process.StandardError.ReadToEndAsync());
                if (!Task.WaitAll(new Task[] { output, errors }, LongestMs, DomainEnd.Token))
                {
                    process.Kill();
                    throw new TimeoutException("unity-bridge did not end.");
                }
                return JsonReader.TryRead(output.Result, out var read, out _) && read is JsonObject answer
                    ? answer
                    : throw new IOException(errors.Result);
            }
            catch (Exception failure)
            {
                return new JsonObject { { "error", new JsonObject { { "message", failure.Message } } } };
            }
        });
    }
}
