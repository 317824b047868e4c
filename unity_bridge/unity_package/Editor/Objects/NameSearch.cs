using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.Objects
{
    /// <summary>Objects of open scenes by the last names of their paths, at any depth. One search; main
    /// thread.</summary>
    internal sealed class NameSearch
    {
        private const int MostAlike = 5;

        private readonly List<string> _names;
        private readonly int? _index;

        /// <param name="path">Names with slashes between; the last may have its number among siblings.</param>
        public NameSearch(string path)
        {
            var segments = path.Split('/');
            _names = segments.Select(segment => ObjectPath.NameIn(segment, out _)).ToList();
            ObjectPath.NameIn(segments[segments.Length - 1], out var index);
            _index = segments[segments.Length - 1].Ends("]") ? index : (int?)null;
        }

        /// <summary>The active objects whose last names these are.</summary>
        public List<Transform> Matches { get; } = new List<Transform>();

        /// <summary>The active objects whose last names differ in case alone.</summary>
        public List<Transform> InOtherCase { get; } = new List<Transform>();

        /// <summary>Objects whose name differs in case, blanks or marks, or that are inactive.</summary>
        public List<Transform> Alike { get; } = new List<Transform>();

        /// <summary>Looks at every object of these scenes; every object is a step.</summary>
        public IEnumerable Walk(IEnumerable<OpenScene> scenes)
        {
            foreach (var scene in scenes.Where(scene => scene.Scene.isLoaded))
            {
                var waiting = new Stack<Transform>(scene.Scene.GetRootGameObjects().Reverse()
                    .Select(root => root.transform));
                while (waiting.Count > 0)
                {
                    var transform = waiting.Pop();
                    if (transform == null)
                    {
                        // It went while other things were done between two steps.
                        continue;
                    }
                    LookAt(transform);
                    for (var i = transform.childCount - 1; i >= 0; i--)
                    {
                        waiting.Push(transform.GetChild(i));
                    }
                    yield return null;
                }
            }
        }

        private void LookAt(Transform transform)
        {
            var isActive = transform.gameObject.activeInHierarchy;
            if (isActive && Fits(transform, StringComparison.Ordinal))
            {
                Matches.Add(transform);
            }
            else if (isActive && Fits(transform, StringComparison.OrdinalIgnoreCase))
            {
                InOtherCase.Add(transform);
            }
            else if (Alike.Count < MostAlike && Bare(transform.name) is { Length: > 0 } bare
                && bare == Bare(_names[_names.Count - 1]))
            {
                Alike.Add(transform);
            }
        }

        private bool Fits(Transform transform, StringComparison comparison)
        {
            var parent = transform;
            for (var i = _names.Count - 1; i >= 0; i--, parent = parent.parent)
            {
                if (parent == null || !string.Equals(parent.name, _names[i], comparison))
                {
                    return false;
                }
            }
            return _index == null || ObjectPath.PathOf(transform)?.Ends(ObjectPath.Segment(transform.name,
                _index.Value)) == true;
        }

        private static string Bare(string name) => string.Concat(name.Where(char.IsLetterOrDigit)).ToLowerInvariant();
    }
}
