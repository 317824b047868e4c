using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using UnityEditor;
using UnityEngine;

namespace UnityBridge.EditorLife
{
    /// <summary>Why a type of the project may not be there yet. Main thread.</summary>
    internal static class NewTypes
    {
        private const long LongestWalkMs = 500;
        private const int MostRead = 50;

        /// <summary>Null if all scripts are compiled: then there is no such type. Else the reason, as other refusals
        /// name it.</summary>
        public static string WhyMissing(string name, EditorStateTracker editor, out string sentence)
        {
            var errors = editor?.CompileErrors ?? 0;
            var count = errors > 1 ? errors + " errors" : "at least one error";
            var file = EditorUtility.scriptCompilationFailed ? null : FileOf(name);
            sentence = EditorUtility.scriptCompilationFailed
                ? "The project's scripts do not compile (" + count
                + "), so no new type is loaded. Fix them (compile lists the errors), then call again."
                : file != null ? file + " is on disk and not compiled yet. Call compile, then call again."
                : editor?.PendingReason is { } pending ? WhyPending.Explain(pending) : null;
            return sentence == null ? null : EditorUtility.scriptCompilationFailed ? WhyPending.CompileErrors
                : "stale_code";
        }

        // A script that has the type, or its name, and that Unity has not imported as it is on disk. Of a large project
        // only the scripts that changed last are read.
        private static string FileOf(string name)
        {
            var type = name.Substring(name.LastIndexOf('.') + 1);
            if (type.Length == 0 || !type.All(c => char.IsLetterOrDigit(c) || c == '_'))
            {
                return null;
            }
            var since = Stopwatch.StartNew();
            var scripts = new DirectoryInfo(Application.dataPath).EnumerateFiles("*.cs", SearchOption.AllDirectories)
                .TakeWhile(_ => since.ElapsedMilliseconds < LongestWalkMs)
                .OrderByDescending(file => file.Name == type + ".cs").ThenByDescending(file => file.LastWriteTimeUtc);
            var project = Path.GetDirectoryName(Application.dataPath);
            var declared = new Regex(@"\b(class|struct|enum|interface)\s+" + type + @"\b");
            return scripts.Select(file => file.FullName.Substring(project.Length + 1).Replace('\\', '/'))
                .Where(path => !path.Contains("~/") && !path.Contains("/.")).Take(MostRead)
                .FirstOrDefault(path => IsNew(path, Path.Combine(project, path), type, declared));
        }

        private static bool IsNew(string path, string file, string type, Regex declared)
        {
            if (AssetDatabase.GetMainAssetTypeAtPath(path) == null && Path.GetFileName(path) == type + ".cs")
            {
                return true;
            }
            try
            {
                var text = Plain(File.ReadAllText(file));
                return declared.IsMatch(text) && AssetDatabase.LoadAssetAtPath<TextAsset>(path) is var asset
                    && (asset == null || Plain(asset.text) != text);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }

        private static string Plain(string text) => text.Replace("\r", "").TrimStart('\uFEFF');
    }
}
