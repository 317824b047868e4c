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
        private const string Repository = "https://github.com/unity-bridge/unity-bridge";
        private const string NoPython = "There is no Python on this machine. ";
        private const string NoServer = "No server of unity-bridge has run on this machine. ";
        private const string FromBundle = "Claude Desktop needs none: get its bundle, open it with Claude Desktop, and "
            + "choose this project's folder there. Every other client needs Python 3.10 or newer.";
        private const string FromTerminal = "Get the bundle for Claude Desktop, open it there and choose this "
            + "project's folder; or install unity-bridge, and put the entry of your client into its settings.";

        private static readonly Pattern Words = new Pattern("\"WORDS\",\\s*");

        private readonly string _project;
        private readonly string[] _command;
        private readonly bool _hasPython;
        private bool _isListed;
        private Task<JsonObject> _run;
        private IReadOnlyCollection<string> _found = new List<string>();
        private string _outcome;

        public ClientSetup(string project)
        {
            _project = project;
            _command = Noted();
            // A server that has run has one.
            _hasPython = _command != null || PythonProgram.IsInstalled;
            _run = _command == null ? null : Start("client", "list", "--json");
        }

        public void Draw()
        {
            // Unity's two passes show the same.
            if (Event.current.type == EventType.Layout && _run is { IsCompleted: true })
            {
                Look();
            }
            EditorGUILayout.LabelField("Connect a client", EditorStyles.boldLabel);
            DrawWhatIsMissing();
            foreach (var client in _found.Count > 0 ? _found : ClientEntries.ByName.Keys)
            {
                DrawClient(client);
            }
            if (_outcome != null)
            {
                EditorGUILayout.HelpBox(_outcome, MessageType.Info);
            }
        }

        // The first that is missing, in the order in which it can be had.
        private void DrawWhatIsMissing()
        {
            if (_command == null)
            {
                EditorGUILayout.HelpBox(
                    _hasPython ? NoServer + FromTerminal : NoPython + FromBundle, MessageType.Warning);
                EditorGUILayout.BeginHorizontal();
                Link("Get the bundle for Claude Desktop", Repository + "/releases/latest");
                Copy("Copy this project's folder", _project);
                Link("Get Python", "https://www.python.org/downloads/");
                EditorGUILayout.EndHorizontal();
            }
            else if (_run == null && _isListed && _found.Count == 0)
            {
                EditorGUILayout.HelpBox("No client was found on this machine. Install one; About says how.",
                    MessageType.Warning);
            }
        }

        private void DrawClient(string client)
        {
            EditorGUILayout.BeginHorizontal();
            EditorGUILayout.LabelField(client);
            if (_found.Contains(client) && GUILayout.Button("Add to " + client) && _run == null)
            {
                _run = Start("client", "add", client, "--json");
            }
            Copy("Copy the entry for " + client, EntryOf(client));
            Link("About " + client,
                Repository + "/blob/v" + PackageVersion.Current + "/docs/clients/" + client + ".md");
            EditorGUILayout.EndHorizontal();
        }

        private static void Copy(string label, string text)
        {
            if (GUILayout.Button(label))
            {
                EditorGUIUtility.systemCopyBuffer = text;
            }
        }

        private static void Link(string label, string address)
        {
            if (GUILayout.Button(label))
            {
                Application.OpenURL(address);
            }
        }

        private string EntryOf(string client)
        {
            var command = _command ?? new[] { "unity-bridge" };
            var words = command.Skip(1).Select(word => JsonWriter.Write(word) + ", ");
            var entry = Words.Value.Replace(ClientEntries.ByName[client], match => string.Concat(words));
            return entry.Replace("\"PROGRAM\"", JsonWriter.Write(command[0]))
                .Replace("\"PROJECT\"", JsonWriter.Write(_project));
        }

        private void Look()
        {
            var result = _run.Result.Object("result");
            var said = _run.Result.Object("error") is { } error ? new object[] { error.Text("message") }
                : new[] { "lines", "remarks" }.SelectMany(name => result?.Items(name) ?? new List<object>());
            _found = result?.Array("clients")?.OfType<JsonObject>().Where(client => client.Flag("found") == true)
                .Select(client => client.Text("client"))
                .Where(ClientEntries.ByName.ContainsKey).Distinct().ToList() ?? _found;
            _isListed |= result?.ContainsKey("clients") == true;
            _outcome = result?.ContainsKey("clients") == true
                ? null
                : string.Join("\n", said.OfType<string>().Select(Quoted.Text));
            _run = null;
        }

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

        private static bool IsPlain(string word) => !word.Ends("\\")
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
