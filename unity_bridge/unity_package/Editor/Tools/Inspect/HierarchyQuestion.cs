using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Objects below a path, parents before their children: the start at depth 0, or every open scene. With a query, of
    /// these only the objects that match.
    /// </summary>
    internal sealed class HierarchyQuestion : Question
    {
        private readonly InspectQuery _query;
        private readonly HierarchyFilter _filter;
        private readonly List<(string Path, HierarchyNode Node)> _starts = new List<(string, HierarchyNode)>();

        public HierarchyQuestion(InspectQuery query)
        {
            _query = query;
            _filter = query.Query == null ? null : new HierarchyFilter(query.Query);
        }

        public override IEnumerable<Found> Walk(int[] from)
        {
            Fault = _filter?.Fault;
            foreach (var step in Fault != null ? Enumerable.Empty<Found>() : FindStarts())
            {
                yield return step;
            }
            if (Fault != null)
            {
                yield break;
            }
            if (Total == null)
            {
                Total = 0;
                foreach (var step in Count())
                {
                    yield return step;
                }
                foreach (var step in Total == 0 && _filter != null ? FindNearest() : Enumerable.Empty<Found>())
                {
                    yield return step;
                }
            }
            for (var start = from[0]; start < _starts.Count; start++)
            {
                foreach (var step in WalkBelow(start, start == from[0] ? from : new int[1]))
                {
                    yield return step;
                }
            }
        }

        private IEnumerable<Found> FindStarts()
        {
            if (_query.Path == null)
            {
                foreach (var scene in OpenScenes.All())
                {
                    _starts.Add((scene.Path, new SceneNode(scene)));
                }
                yield break;
            }
            var finder = new ObjectFinder();
            foreach (var _ in finder.Find(_query.Path))
            {
                yield return null;
            }
            Remark = finder.Remark;
            Fault = OnlyCSharp.Explain(finder) ?? (finder.Node == null ? WhyNoHierarchy(finder.Path) : null);
            if (Fault == null)
            {
                _starts.Add((finder.Path, finder.Node));
            }
        }

        private static string WhyNoHierarchy(string path) => path.Ends(".unity")
            ? "This scene is not open. Its objects can be read once it is."
            : "This asset has no hierarchy. what: object shows it.";

        private IEnumerable<Found> Count()
        {
            foreach (var start in _starts)
            {
                // Without a filter nothing below the last level but one has to be looked at.
                var depth = _filter == null ? _query.Depth - 1 : _query.Depth;
                var levels = new List<Level>();
                CountWithChildren(start.Node, 0);
                foreach (var child in Below(start.Node, levels, depth))
                {
                    if (child != null)
                    {
                        CountWithChildren(child, levels.Count);
                    }
                    yield return null;
                }
            }
        }

        private void CountWithChildren(HierarchyNode node, int depth)
        {
            Total += Shows(node) ? 1 : 0;
            Total += _filter == null && depth == _query.Depth - 1 ? node.ChildCount : 0;
        }

        // The nodes below one, down to a depth, and a null for each step that comes to none. The last level is the one
        // that the node was found in.
        private static IEnumerable<HierarchyNode> Below(HierarchyNode top, List<Level> levels, int depth)
        {
            Enter(levels, top, "", depth);
            return Below(levels, depth);
        }

        private static IEnumerable<HierarchyNode> Below(List<Level> levels, int depth)
        {
            while (levels.Count > 0)
            {
                var level = levels[levels.Count - 1];
                if (level.Next >= level.Parent.ChildCount)
                {
                    levels.RemoveAt(levels.Count - 1);
                    yield return null;
                    continue;
                }
                var child = level.Parent.Child(level.Next++);
                yield return child;
                if (child != null)
                {
                    Enter(levels, child, level.Path, depth);
                }
            }
        }

        // Nothing matches: the same query deeper down, or one with a word as a type or a type as a word, may be what is
        // meant.
        private IEnumerable<Found> FindNearest()
        {
            var tries = HierarchyFilter.Alternatives(_query.Query).ConvertAll(query => new Alternative(query));
            foreach (var start in _starts)
            {
                var levels = new List<Level>();
                tries.ForEach(attempt => attempt.Look(start.Node.Object, isDeep: false));
                foreach (var child in Below(start.Node, levels, InspectQuery.MaxDepth))
                {
                    tries.ForEach(attempt => attempt.Look(child?.Object, isDeep: levels.Count > _query.Depth));
                    yield return null;
                }
            }
            var found = tries.FindAll(attempt => attempt.Hint != null).ConvertAll(attempt => attempt.Hint);
            Hint = "No object to this depth matches. "
                + (found.Count == 0 ? HierarchyFilter.Form : string.Join(" ", found));
        }

        private IEnumerable<Found> WalkBelow(int start, int[] from)
        {
            var (top, node) = _starts[start];
            var levels = new List<Level>();
            if (from.Length == 1)
            {
                if (Shows(node))
                {
                    yield return Describe(node, top, start, levels);
                }
                Enter(levels, node, top, _query.Depth);
            }
            else
            {
                foreach (var step in GoTo(from, start, levels))
                {
                    yield return step;
                }
            }
            foreach (var child in Below(levels, _query.Depth))
            {
                var path = child == null ? null : levels[levels.Count - 1].PathOf(child);
                yield return child != null && Shows(child) ? Describe(child, path, start, levels) : null;
            }
        }

        // Leaves the levels as they were when the item at this place came next.
        private IEnumerable<Found> GoTo(int[] from, int start, List<Level> levels)
        {
            var (path, node) = _starts[start];
            for (var i = 1; i < from.Length && node != null && levels.Count < _query.Depth; i++)
            {
                var level = Enter(levels, node, path, _query.Depth);
                while (level.Next < from[i] && level.Next < level.Parent.ChildCount)
                {
                    if (level.Parent.Child(level.Next++) is { } before)
                    {
                        level.PathOf(before);
                    }
                    yield return null;
                }
                if (i + 1 < from.Length)
                {
                    node = level.Next < level.Parent.ChildCount ? level.Parent.Child(level.Next++) : null;
                    path = node == null ? path : level.PathOf(node);
                }
            }
        }

        private static Level Enter(List<Level> levels, HierarchyNode node, string path, int depth)
        {
            if (levels.Count >= depth)
            {
                return null;
            }
            var level = new Level(node, path);
            levels.Add(level);
            return level;
        }

        // An object that was a start may be gone by now.
        private bool Shows(HierarchyNode node) =>
            _filter == null ? node is SceneNode || node.Object != null : _filter.Matches(node.Object);

        private Found Describe(HierarchyNode node, string path, int start, List<Level> levels)
        {
            var item = new JsonObject { { "path", path }, { "depth", levels.Count } };
            node.Describe(item);
            if (levels.Count == _query.Depth && node.ChildCount > 0)
            {
                item["children_not_shown"] = node.ChildCount;
            }
            var position = new int[levels.Count + 1];
            position[0] = start;
            for (var i = 0; i < levels.Count; i++)
            {
                position[i + 1] = levels[i].Next - 1;
            }
            return new Found(item, path, position);
        }

        /// <summary>The children of one node, and how far the walk has come among them.</summary>
        private sealed class Level
        {
            private readonly string _above;
            private readonly EqualNames _names = new EqualNames();

            public Level(HierarchyNode parent, string path)
            {
                Parent = parent;
                _above = path;
            }

            public HierarchyNode Parent { get; }

            public int Next { get; set; }

            /// <summary>Of the child that was asked for last.</summary>
            public string Path { get; private set; }

            /// <summary>Once for every child, in order.</summary>
            public string PathOf(HierarchyNode child)
            {
                var name = child.Name;
                return Path = ObjectPath.Join(_above, name, _names.Next(name));
            }
        }
    }

    /// <summary>A query that may be what was meant, and how many objects it would find.</summary>
    internal sealed class Alternative
    {
        private readonly string _query;
        private readonly HierarchyFilter _filter;
        private int _found;
        private int _foundDeeper;

        public Alternative(string query)
        {
            _query = query;
            _filter = new HierarchyFilter(query);
        }

        public string Hint => _found > 0 ? Quoted.Text(_query) + " would find " + _found + "."
            : _foundDeeper > 0 ? Quoted.Text(_query) + " with depth: " + InspectQuery.MaxDepth + " would find "
            + _foundDeeper + "."
            : null;

        public void Look(GameObject target, bool isDeep)
        {
            if (_filter.Matches(target))
            {
                _found += isDeep ? 0 : 1;
                _foundDeeper += isDeep ? 1 : 0;
            }
        }
    }
}
