using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace UnityBridge.Platform
{
    /// <summary>Whether this machine has a Python that a client could start.</summary>
    internal static class PythonProgram
    {
        private static readonly string[] Names = { "python3", "python", "py", "uv" };

        public static bool IsInstalled => Folders().Any(folder => Names.Any(name => IsProgram(folder, name)));

        // An editor that Unity Hub or the Finder started has a shorter PATH than a terminal.
        private static IEnumerable<string> Folders()
        {
            var path = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator);
            var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            if (Host.Name == Host.MacOS)
            {
                path = path.Concat(new[] { "/usr/local/bin", "/opt/homebrew/bin", home + "/.local/bin",
                    "/Library/Developer/CommandLineTools/usr/bin" }).ToArray();
            }
            return path.Where(Path.IsPathRooted);
        }

        private static bool IsProgram(string folder, string name)
        {
            // Before the command line tools are there, this one only offers to install them.
            if (Host.Name == Host.MacOS && folder == "/usr/bin")
            {
                return false;
            }
            try
            {
                // On Windows a file without content opens the store.
                var file = new FileInfo(Path.Combine(folder, Host.Name == Host.Windows ? name + ".exe" : name));
                return file.Exists && (file.Length > 0 || Host.Name != Host.Windows);
            }
            catch (Exception failure) when (failure is ArgumentException or IOException or NotSupportedException
                or UnauthorizedAccessException)
            {
                return false;
            }
        }
    }
}
