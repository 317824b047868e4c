using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.Objects
{
    /// <summary>
    /// How objects are named: <c>Scene/Root/Child</c>. The second of equal names at one place is <c>Child[1]</c>. In a
    /// name, the characters <c>/ % [</c> and control characters are written as <c>%2F %25 %5B</c> and so on.
    /// </summary>
    internal static class ObjectPath
    {
        // Searched at once. An object behind more siblings than this is reported by its GlobalObjectId alone.
        private const int MaxComparisons = 1000;

        private static readonly Pattern Code = new Pattern("%([0-9A-Fa-f]{2})");

        public static string Join(string parent, string name, int index) => parent + "/" + Segment(name, index);

        public static string Segment(string name, int index) =>
            Escape(name) + (index == 0 ? "" : "[" + index + "]");

        /// <summary>The name that a segment stands for, and which of the objects with that name.</summary>
        public static string NameIn(string segment, out int index)
        {
            index = 0;
            var open = segment.LastIndexOf('[');
            if (open < 0 || !segment.EndsWith("]")
                || !int.TryParse(segment.Substring(open + 1, segment.Length - open - 2), NumberStyles.None,
                    CultureInfo.InvariantCulture, out index))
            {
                return Unescape(segment);
            }
            return Unescape(segment.Substring(0, open));
        }

        /// <summary>A path to an object of a scene or of a prefab's file; null if it cannot be found without a long
        /// search.</summary>
        /// <remarks>The root of a prefab's file is the file. The scene of contents that were loaded to be changed has
        /// the file's path (PrefabUtility.LoadPrefabContents, 2021.3 to 6000.7).</remarks>
        public static string PathOf(Transform transform)
        {
            var scene = transform.gameObject.scene;
            var open = scene.IsValid() ? OpenScenes.PathOf(scene) : null;
            var file = open != null ? "" : scene.IsValid() ? scene.path : AssetDatabase.GetAssetPath(transform);
            if (string.IsNullOrEmpty(open ?? file))
            {
                return null;
            }
            var comparisons = 0;
            var segments = new List<string>();
            for (; transform != null && (open != null || transform.parent != null); transform = transform.parent)
            {
                var index = IndexOf(transform, ref comparisons);
                if (index == null)
                {
                    return null;
                }
                segments.Add(Segment(transform.name, index.Value));
            }
            segments.Add(open ?? file);
            segments.Reverse();
            return string.Join("/", segments);
        }

        public static string Unescape(string segment) => Code.Value.Replace(segment, code =>
            ((char)int.Parse(code.Groups[1].Value, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture))
            .ToString());

        private static string Escape(string name) => !name.Any(IsEscaped) ? name
            : string.Concat(name.Select(c => IsEscaped(c) ? "%" + ((int)c).ToString("X2") : c.ToString()));

        private static bool IsEscaped(char c) => c is '/' or '%' or '[' || c < ' ' || (c >= 0x7f && c <= 0x9f);

        // How many of the siblings before it have its name.
        private static int? IndexOf(Transform transform, ref int comparisons)
        {
            var name = transform.name;
            var before = transform.GetSiblingIndex();
            comparisons += before;
            if (comparisons > MaxComparisons)
            {
                return null;
            }
            var parent = transform.parent;
            var roots = parent == null ? transform.gameObject.scene.GetRootGameObjects() : null;
            var same = 0;
            for (var i = 0; i < before; i++)
            {
                var sibling = roots == null ? parent.GetChild(i).name : i < roots.Length ? roots[i].name : null;
                same += sibling == name ? 1 : 0;
            }
            return same;
        }
    }

    /// <summary>Distinguishes equal names among siblings, in their order.</summary>
    internal sealed class EqualNames
    {
        private readonly Dictionary<string, int> _seen = new Dictionary<string, int>();

        /// <summary>How many came before with this name.</summary>
        public int Next(string name)
        {
            _seen.TryGetValue(name, out var before);
            _seen[name] = before + 1;
            return before;
        }
    }
}
