using System;
using System.Globalization;
using System.IO;
using System.Text;
using UnityBridge.Jobs;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>Keeps each snippet below <c>Library/UnityBridge/csharp</c>, before it runs: the newest of
    /// them.</summary>
    internal static class SnippetLog
    {
        private const int Kept = 200;
        private const string Folder = "Library/UnityBridge/csharp";

        public static string FolderIn(string projectPath) =>
            Path.Combine(projectPath, "Library", "UnityBridge", "csharp");

        /// <summary>The file's path within the project. A snippet that cannot be kept does not run: an exception says
        /// so.</summary>
        public static string Keep(string projectPath, Job job, string code)
        {
            var folder = FolderIn(projectPath);
            Directory.CreateDirectory(folder);
            var now = DateTime.UtcNow;
            var name = now.ToString("yyyyMMdd-HHmmss-fff", CultureInfo.InvariantCulture) + ".cs";
            var head = "// " + now.ToString("o", CultureInfo.InvariantCulture) + ", " + job.JobId
                + (job.Request.Client == null ? "" : ", " + job.Request.Client) + "\n";
            File.WriteAllText(Path.Combine(folder, name), head + code + "\n", new UTF8Encoding(false));
            DropOldest(folder);
            return Folder + "/" + name;
        }

        private static void DropOldest(string folder)
        {
            var files = Directory.GetFiles(folder, "*.cs");
            Array.Sort(files, StringComparer.Ordinal);
            for (var i = 0; i < files.Length - Kept; i++)
            {
                // If somebody reads it, the next one tries again.
                var file = files[i];
                FilesOnDisk.Try(() => File.Delete(file));
            }
        }
    }
}
