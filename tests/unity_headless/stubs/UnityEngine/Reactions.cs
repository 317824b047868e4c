using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public abstract partial class Native
    {
        /// <summary>Titles of editor windows with unsaved changes, apart by semicolons.</summary>
        public string UnsavedWindows { get; set; } = "";
        /// <summary>Assets whose import settings an Inspector has changed and not applied, apart by
        /// semicolons.</summary>
        public string DirtyImporters { get; set; } = "";
        /// <summary>What the project has; a script may have set another value in memory.</summary>
        public bool RunInBackgroundOfProject { get; set; }
        /// <summary>The scenes of the active build profile's own list, apart by semicolons, in memory and on
        /// disk.</summary>
        public string ProfileScenes { get; set; } = "";
        public string SavedProfileScenes { get; set; } = "";
        /// <summary>The open scenes in the order in which they were opened.</summary>
        public abstract string[] OpenScenes();

        public static string[] List(string paths) { return paths.Split(';').Where(path => path.Length > 0).ToArray(); }
    }

    internal static partial class World
    {
        /// <summary>Objects of the editor's own, which are in memory as all others are.</summary>
        public static Func<IEnumerable<Object>> EditorObjects = () => new Object[0];

        private static List<Object> _selectedBefore = new List<Object>();

        /// <summary>The Inspector is built again for another selection, in an update after it has changed. If it was
        /// the last one that showed import settings that are not applied, Unity asks (AssetImporterEditor.cs
        /// 2021.3.58f1:719-793; PropertyEditor.cs 6000.7.0a1, PrivateRequestRebuild; in batch mode it takes the changes
        /// back instead).</summary>
        public static void EndTick()
        {
            var isSame = _selectedBefore.SequenceEqual(Selected);
            _selectedBefore = Selected.ToList();
            if (!isSame && (Native.Editor.DirtyImporters.Length > 0 || Native.Editor.Quirk("unapplied-slices")))
            {
                Native.Editor.Say("VIOLATION a modal dialog: Unapplied import settings");
            }
        }

        // An instance of a prefab while the prefab is written: what is not an override follows (manual, "Prefab
        // overrides").
        private sealed class Follower
        {
            private readonly GameObject _instance;
            private readonly GameObject _source;
            private readonly List<GameObject> _hadChildren;
            private readonly List<Component> _hadComponents;
            private readonly List<KeyValuePair<FieldNode, Func<FieldNode>>> _followed =
                new List<KeyValuePair<FieldNode, Func<FieldNode>>>();
            private readonly List<Follower> _below;
            private readonly bool _followsActive;

            public Follower(GameObject instance, bool isRoot)
            {
                _instance = instance;
                _source = instance.Source;
                _hadChildren = _source.Own.Children.Select(child => child.Owner).ToList();
                _hadComponents = _source.Components.ToList();
                _followsActive = instance.IsOff == _source.IsOff;
                foreach (var component in instance.Components.Where(one => !ReferenceEquals(one, null)))
                {
                    // Where the root stands is its own.
                    var theirs = Counterpart(component);
                    if (!ReferenceEquals(theirs, null) && !(isRoot && component is Transform)) Note(component, theirs);
                }
                _below = instance.Own.Children.Select(child => child.Owner)
                    .Where(child => _hadChildren.Contains(child.Source))
                    .Select(child => new Follower(child, false)).ToList();
            }

            private Component Counterpart(Component component)
            {
                return _source.Components.FirstOrDefault(
                    one => !ReferenceEquals(one, null) && one.GetType() == component.GetType());
            }

            private void Note(Component mine, Component theirs)
            {
                var before = theirs.Fields.Root.All().ToList();
                var all = mine.Fields.Root.All().ToList();
                for (var i = 0; i < all.Count && all.Count == before.Count; i++)
                {
                    var index = i;
                    if (Same(all[i].Value, before[i].Value))
                        _followed.Add(new KeyValuePair<FieldNode, Func<FieldNode>>(
                            all[i], () => theirs.Fields.Root.All().ElementAtOrDefault(index)));
                }
            }

            private static bool Same(object one, object other)
            {
                return one is float[] && other is float[]
                    ? ((float[])one).SequenceEqual((float[])other)
                    : Equals(one, other);
            }

            public void Follow()
            {
                if (_instance.IsDestroyed) return;
                if (_followsActive) _instance.IsOff = _source.IsOff;
                foreach (var pair in _followed)
                {
                    var now = pair.Value();
                    if (now != null && now.Kind == pair.Key.Kind)
                    {
                        pair.Key.Value = now.Value is float[] ? ((float[])now.Value).Clone() : now.Value;
                    }
                }
                foreach (var added in _source.Components.Where(
                    one => !ReferenceEquals(one, null) && !_hadComponents.Contains(one)))
                    _instance.Add(added.GetType()).Fields = added.Fields.Clone();
                foreach (var gone in _hadComponents.Where(
                    one => !ReferenceEquals(one, null) && !(one is Transform) && !_source.Components.Contains(one)))
                {
                    var mine = _instance.Components.FirstOrDefault(
                        one => !ReferenceEquals(one, null) && one.GetType() == gone.GetType());
                    if (ReferenceEquals(mine, null)) continue;
                    _instance.Components.Remove(mine);
                    mine.IsDestroyed = true;
                }
                foreach (var child in _source.Own.Children.Select(one => one.Owner)
                    .Where(one => !_hadChildren.Contains(one)))
                {
                    Copy(child, _instance.SceneFile, _instance);
                }
                foreach (var below in _below)
                {
                    if (below._source.IsDestroyed || below._source.Own.Above != _source.Own) below._instance.Destroy();
                    else below.Follow();
                }
            }
        }

        /// <summary>The instances in the scenes and in the open stage.</summary>
        private static List<Follower> FollowersOf(GameObject prefab, GameObject except)
        {
            return Everything().Where(one => ReferenceEquals(one.Source, prefab) && !ReferenceEquals(one, except))
                .Select(one => new Follower(one, true)).ToList();
        }
    }
}

namespace UnityEngine
{
    public class GUIContent
    {
        public GUIContent(string text) { this.text = text; }

        public string text { get; set; }
    }
}
