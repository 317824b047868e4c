using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityBridge.Platform;

namespace UnityBridge.Objects
{
    /// <summary>Files of assets by their names. System.IO.Path throws for characters that a caller may well send. Main
    /// thread.</summary>
    internal static class AssetFiles
    {
        /// <summary>The files with the bare name of a path, in whatever case, folder and with whatever
        /// extension.</summary>
        public static IEnumerable<string> Named(string path)
        {
            var stem = Stem(path);
            return stem.Length == 0 ? Enumerable.Empty<string>()
                : AssetDatabase.FindAssets(stem, null).Select(AssetDatabase.GUIDToAssetPath).Distinct()
                .Where(file => Stem(file).EqualsAnyCase(stem)
                    && !AssetDatabase.IsValidFolder(file));
        }

        /// <summary>What stands behind the last slash.</summary>
        public static string NameOf(string path) => path.Substring(path.LastIndexOf('/') + 1);

        private static string Stem(string path)
        {
            var name = NameOf(path);
            return name.LastIndexOf('.') is > 0 and var end ? name.Substring(0, end) : name;
        }
    }
}
