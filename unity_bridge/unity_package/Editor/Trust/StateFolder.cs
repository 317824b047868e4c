using System;
using System.IO;
using System.Linq;
using UnityBridge.Platform;

namespace UnityBridge.Trust
{
    /// <summary>The folder for what one user's programs keep between runs; the server finds the same one (SPEC
    /// §17.1).</summary>
    internal static class StateFolder
    {
        // Moves the folder: for WSL and containers, for homes that cannot be written to, and for tests.
        public const string Variable = "UNITY_BRIDGE_STATE_DIR";

        private const string Users = "/etc/passwd";

        /// <summary>Null where there is none; <paramref name="fault"/> says why.</summary>
        public static string Find(out string fault) => 
            Locate(Environment.GetEnvironmentVariable, Host.Name, Home(Environment.GetEnvironmentVariable, Host.Name),
                out fault);

        /// <summary>Its path on <paramref name="platform"/>, by that platform's rules.</summary>
        /// <remarks>A variable that is empty counts as not set. One that is no absolute path would mean another folder
        /// to each program.</remarks>
        public static string Locate(Func<string, string> variable, string platform, string home, out string fault)
        {
            fault = null;
            var named = variable(Variable);
            if (!string.IsNullOrEmpty(named))
            {
                fault = IsAbsolute(named, platform) ? null : Variable + " is not an absolute path: set one";
                return fault == null ? named : null;
            }
            if (platform == Host.Linux && variable("XDG_STATE_HOME") is { } state && IsAbsolute(state, platform))
            {
                return state.TrimEnd('/') + "/unity-bridge";
            }
            if (string.IsNullOrEmpty(home))
            {
                fault = "the user has no home folder: set " + Variable + " to a folder of the user's own";
                return null;
            }
            return platform switch
            {
                Host.Windows => home.TrimEnd('\\', '/') + @"\.unity-bridge",
                Host.MacOS => home.TrimEnd('/') + "/Library/Application Support/unity-bridge",
                _ => home.TrimEnd('/') + "/.local/state/unity-bridge",
            };
        }

        // A path without a drive, or of the current folder on a drive, is none on Windows; a share is.
        private static bool IsAbsolute(string path, string platform)
        {
            if (platform != Host.Windows)
            {
                return path.Begins("/");
            }
            var slashed = path.Replace('/', '\\');
            return slashed.Begins(@"\\")
                || (slashed.Length > 2 && slashed[1] == ':' && slashed[2] == '\\');
        }

        /// <summary>Null if no variable names one. On Windows the profile that the system knows does not count, because
        /// the server goes by the variables.</summary>
        public static string Home(Func<string, string> variable, string platform)
        {
            if (platform == Host.Windows)
            {
                var (profile, path) = (variable("USERPROFILE"), variable("HOMEPATH"));
                var home = !string.IsNullOrEmpty(profile)
                    ? profile
                    : string.IsNullOrEmpty(path)
                    ? null
                    : variable("HOMEDRIVE") + path;
                return home != null && IsAbsolute(home, platform) ? home : null;
            }
            return variable("HOME") is { } named && IsAbsolute(named, platform) ? named : HomeByTheSystem(platform);
        }

        // As the server does where HOME is empty or relative. GetFolderPath then returns what HOME says.
        private static string HomeByTheSystem(string platform)
        {
            const int homeField = 5;
            var found = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            if (!IsAbsolute(found, platform) && File.Exists(Users))
            {
                var line = File.ReadLines(Users)
                    .FirstOrDefault(user => user.Begins(Environment.UserName + ":"));
                found = line?.Split(':').ElementAtOrDefault(homeField) ?? "";
            }
            return IsAbsolute(found, platform) ? found : null;
        }
    }
}
