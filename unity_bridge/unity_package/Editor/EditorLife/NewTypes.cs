using System.Diagnostics;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;

namespace UnityBridge.EditorLife
{
    /// <summary>Why a type of the project may not be there yet. Main thread.</summary>
    internal static class NewTypes
    {
        private const long LongestWalkMs = 500;

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

        // A script of that name that Unity has not imported. A large project is not searched to its end.
        private static string FileOf(string name)
        {
            var type = name.Substring(name.LastIndexOf('.') + 1);
            if (type.Length == 0 || !type.All(c => char.IsLetterOrDigit(c) || c == '_'))
            {
                return null;
            }
            var since = Stopwatch.StartNew();
            var project = Path.GetDirectoryName(Application.dataPath);
            foreach (var file in Directory.EnumerateFiles(Application.dataPath, type + ".cs",
                SearchOption.AllDirectories))
            {
                var path = file.Substring(project.Length + 1).Replace('\\', '/');
                if (since.ElapsedMilliseconds > LongestWalkMs)
                {
                    return null;
                }
                if (AssetDatabase.GetMainAssetTypeAtPath(path) == null && !path.Contains("~/") && !path.Contains("/."))
                {
                    return path;
                }
            }
            return null;
        }
    }
}
