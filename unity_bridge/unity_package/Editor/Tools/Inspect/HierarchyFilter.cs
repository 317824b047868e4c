using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// What objects of a hierarchy are asked for: words that a name contains, <c>t:Type</c> for a component,
    /// <c>t:missing</c> for one whose
    /// script is missing, <c>tag:NAME</c>, <c>layer:NAME</c> and <c>prefab:PATH</c>, with a colon or an equals sign.
    /// All of them have to fit.
    /// </summary>
    internal sealed class HierarchyFilter
    {
        /// <summary>What a query may be.</summary>
        public const string Form =
            "A query has words of a name, t:Type, t:missing for missing scripts, tag:NAME, layer:NAME and prefab:PATH.";

        private const string MissingScript = "missing";
        private const int MaxAlternatives = 4;

        private static readonly string[] Prefixes = "t tag layer prefab".Split(' ');

        // What the Project window and Unity Search know, and this does not; with what serves.
        private static readonly Dictionary<string, string> Refused = new Dictionary<string, string>
        {
            { "ref", null },
            { "l", "Only assets have labels: what: assets, query: l:NAME." },
            { "b", "Only assets have bundles: what: assets, query: b:NAME." },
            { "glob", "Patterns are for paths of assets: what: assets, query: glob:PATTERN." },
            { "id", "An object is named by its path, or by the id that what: object prints: what: object, path: ID." },
            { "is", "Whether an object is active stands at each item as active." },
        };

        private static readonly List<Component> Components = new List<Component>();

        private readonly List<string> _words = new List<string>();
        private readonly List<(string Prefix, string Value)> _conditions = new List<(string, string)>();
        private readonly string _refused;

        public HierarchyFilter(string query)
        {
            foreach (var word in Split(query))
            {
                var prefix = PrefixOf(word);
                if (prefix == null)
                {
                    _words.Add(word);
                }
                else if (Refused.ContainsKey(prefix))
                {
                    _refused = prefix;
                }
                else
                {
                    _conditions.Add((prefix, word.Substring(prefix.Length + 1).Trim('"')));
                }
            }
        }

        /// <summary>What is wrong with the query, and what to ask instead; null for nothing. Main thread.</summary>
        public string Fault => _refused == null ? null : "A hierarchy has no " + _refused + ": in its query. "
            + (Refused[_refused] ?? "No command lists what refers to something. " + OnlyCSharp.Can);

        /// <summary>The query itself, without wildcards, and with each word as a type, or each type as a word, one at a
        /// time.</summary>
        public static List<string> Alternatives(string query)
        {
            var words = query.Split(new[] { ' ', '*' }, StringSplitOptions.RemoveEmptyEntries);
            var alternatives = new List<string> { string.Join(" ", words) };
            for (var i = 0; i < words.Length && i < MaxAlternatives; i++)
            {
                var other = (string[])words.Clone();
                other[i] = words[i].Begins("t:") ? words[i].Substring(2) : "t:"
                    + words[i];
                alternatives.Add(string.Join(" ", other));
            }
            return alternatives;
        }

        public bool Matches(GameObject target)
        {
            if (target == null)
            {
                return false;
            }
            var name = _words.Count == 0 ? "" : target.name;
            return _words.TrueForAll(name.ContainsAnyCase)
                && _conditions.TrueForAll(condition => Fits(target, condition.Prefix, condition.Value));
        }

        private static bool Fits(GameObject target, string prefix, string value) => prefix switch
        {
            "t" => HasComponent(target, value),
            "tag" => target.tag.EqualsAnyCase(value),
            "layer" => LayerMask.LayerToName(target.layer).EqualsAnyCase(value)
                || target.layer.ToString() == value,
            _ => IsInstanceOf(target, value),
        };

        private static bool HasComponent(GameObject target, string name)
        {
            target.GetComponents(typeof(Component), Components);
            var has = Components.Exists(component => IsOf(component, name));
            Components.Clear();
            return has;
        }

        // The root of an instance, by the prefab's path or its file's bare name.
        private static bool IsInstanceOf(GameObject target, string prefab)
        {
            if (!PrefabUtility.IsAnyPrefabInstanceRoot(target))
            {
                return false;
            }
            var path = PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(target);
            return path.EqualsAnyCase(prefab)
                || Path.GetFileNameWithoutExtension(path).EqualsAnyCase(prefab);
        }

        // Also of a base class, as in the search field of the Hierarchy window.
        private static bool IsOf(Component component, string name)
        {
            if (component == null && name.EqualsAnyCase(MissingScript))
            {
                return true;
            }
            return component != null && Members.Bases(component.GetType())
                .TakeWhile(type => type != typeof(Component))
                .Any(type => type.Name.EqualsAnyCase(name) || TypeNames.NameOf(type).EqualsAnyCase(name));
        }

        // Names of objects may have a colon.
        private static string PrefixOf(string word)
        {
            var end = word.IndexOfAny(new[] { ':', '=' });
            var prefix = end <= 0 || end == word.Length - 1 ? "" : word.Substring(0, end).ToLowerInvariant();
            return Array.IndexOf(Prefixes, prefix) >= 0 || (Refused.ContainsKey(prefix) && word[end] == ':') ? prefix
                : null;
        }

        // At blanks, but not between quotation marks.
        private static IEnumerable<string> Split(string query)
        {
            var parts = query.Split('"');
            for (var i = 0; i < parts.Length; i += 2)
            {
                parts[i] = parts[i].Replace(' ', '\n');
            }
            return string.Join("\"", parts).Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries);
        }
    }
}
