using System.Text;
using UnityBridge.Platform;

namespace UnityBridge.Settings
{
    /// <summary>One spelling for each project's path and the port that follows from it, the same as the server's (SPEC
    /// §18.1).</summary>
    /// <remarks>The rules are in <c>protocol/README.md</c>, and <c>protocol/project_paths.json</c> is their table,
    /// which both sides are tested with.</remarks>
    internal static class ProjectPath
    {
        private const string LongShare = @"\\?\UNC\";
        private const string LongPath = @"\\?\";
        private const int FirstPort = 20000;
        private const int PortCount = 10000;

        // Decomposed letters that every runtime composes alike: Latin, Greek and Cyrillic with the marks that compose
        // there, kana, Hangul. Mono composes some others wrongly. The server's `canonical_path.py` has the same
        // expression.
        private static readonly Pattern Decomposed = new Pattern(
            "[A-\u02ff\u0370-\u052f\u1e00-\u1fff]"
            + "[\u0300-\u0304\u0306-\u030c\u030f\u0311\u0313\u0314\u031b\u0323-\u0328\u032d\u032e\u0330\u0331\u0342"
            + "\u0345]+|[\u3041-\u30ff][\u3099\u309a]|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?");

        /// <summary>The port of <c>"auto"</c> for a project on this machine.</summary>
        public static int AutomaticPort(string project) => PortOf(CanonicalOf(project));

        /// <summary>The one spelling of the path of a project on this machine, links resolved.</summary>
        public static string CanonicalOf(string project) => Canonical(RealPath.Resolve(project), Host.Name);

        /// <summary>The path of a project as reported to servers: links resolved, spelled as the user does.</summary>
        public static string Resolved(string project) => Spelled(RealPath.Resolve(project), Host.Name);

        /// <summary>The one spelling of an absolute path without links on <paramref name="platform"/>.</summary>
        public static string Canonical(string path, string platform)
        {
            path = Spelled(path, platform);
            return platform == Host.Windows || platform == Host.MacOS ? Lower(path) : path;
        }

        private static string Spelled(string path, string platform)
        {
            if (platform == Host.Windows)
            {
                path = path.Begins(LongShare) ? @"\\" + path.Substring(LongShare.Length)
                    : path.Begins(LongPath) ? path.Substring(LongPath.Length)
                    : path;
                path = path.Replace('\\', '/');
            }
            else if (platform == Host.MacOS)
            {
                // A name has two spellings there, and the system opens the file by either.
                path = Decomposed.Value.Replace(path, found => found.Value.Normalize(NormalizationForm.FormC));
            }
            while (path.Length > 1 && path.Ends("/"))
            {
                path = path.Substring(0, path.Length - 1);
            }
            return path;
        }

        public static int PortOf(string canonicalPath)
        {
            var hash = Cryptography.Sha256(Encoding.UTF8.GetBytes(canonicalPath));
            var number = (uint)hash[0] << 24 | (uint)hash[1] << 16 | (uint)hash[2] << 8 | hash[3];
            return FirstPort + (int)(number % PortCount);
        }

        // Letters of ASCII only: for others the tables of .NET, Mono and Python differ.
        private static string Lower(string path)
        {
            var units = path.ToCharArray();
            for (var i = 0; i < units.Length; i++)
            {
                units[i] = units[i] is >= 'A' and <= 'Z' ? (char)(units[i] + 32) : units[i];
            }
            return new string(units);
        }
    }
}
