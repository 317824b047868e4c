using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    internal static partial class World
    {
        /// <summary>What the scene of loaded contents is called here; its path is that of the file (PrefabUtility.cs,
        /// 2021.3 to 6000.7).</summary>
        public const string Apart = "apart:";

        // What the text of a prefab's file stands for.
        private static readonly Dictionary<string, GameObject> Texts = new Dictionary<string, GameObject>();

        public static string Yaml(GameObject prefab)
        {
            var yaml = "%YAML prefab " + prefab.RawName + " #" + Texts.Count;
            Remember(prefab, yaml);
            return yaml;
        }

        /// <summary>What the text of its file stands for, from now on.</summary>
        public static void Remember(GameObject prefab, string yaml)
        {
            // Not by its path, which a move changes.
            Texts[prefab.LocalId + yaml] = CopyOf(prefab, "", null, new Dictionary<Object, Object>());
        }

        public static void Reload(string path, string yaml)
        {
            GameObject tree;
            var prefab = (GameObject)AssetByPath[path];
            if (Texts.TryGetValue(prefab.LocalId + yaml, out tree)) Rewrite(prefab, tree, one => one.Original);
        }

        public static GameObject LoadContents(GameObject prefab, string scene)
        {
            return CopyOf(prefab, scene, null, new Dictionary<Object, Object>());
        }

        public static void EnterStage(string path)
        {
            Object prefab;
            if (RootsOf(path).Length == 0 && AssetByPath.TryGetValue(path, out prefab))
            {
                LoadContents((GameObject)prefab, path);
            }
        }

        public static void LeaveStage(string path)
        {
            foreach (var root in path == null ? new GameObject[0] : RootsOf(path))
            {
                if (root.Original != null) root.Destroy();
            }
        }

        /// <summary>Makes a prefab's objects like those of a tree; which of them it has is what <paramref
        /// name="originalOf"/> says. Its instances follow, except the one that is applied to it.</summary>
        public static void Rewrite(
            GameObject prefab, GameObject tree, Func<GameObject, GameObject> originalOf, GameObject applied = null)
        {
            var followers = FollowersOf(prefab, applied);
            var map = new Dictionary<Object, Object>();
            Become(prefab, tree, originalOf, map);
            Refer(prefab, map);
            foreach (var follower in followers) follower.Follow();
        }

        private static void Become(
            GameObject at, GameObject from, Func<GameObject, GameObject> originalOf, Dictionary<Object, Object> map)
        {
            map[from] = at;
            at.IsOff = from.IsOff;
            at.Layer = from.Layer;
            at.Tag = from.Tag;
            if (at.Own.Above != null) at.SetName(from.RawName);
            if (from.Own is RectTransform && !(at.Own is RectTransform)) at.Add(typeof(RectTransform));
            if (!ReferenceEquals(from.Source, at)) at.Source = from.Source;
            var had = at.Components.ToList();
            at.Components.Clear();
            foreach (var component in from.Components)
            {
                var same = had.FirstOrDefault(
                    one => !ReferenceEquals(one, null) && !ReferenceEquals(component, null)
                    && one.GetType() == component.GetType());
                had.Remove(same);
                if (same is Transform || ReferenceEquals(component, null)) at.Components.Add(same);
                else if (!ReferenceEquals(same, null)) at.Components.Add(same);
                else same = at.Add(component.GetType());
                if (ReferenceEquals(same, null)) continue;
                same.Fields = component.Fields.Clone();
                map[component] = same;
            }
            foreach (var gone in had.Where(one => !ReferenceEquals(one, null))) gone.IsDestroyed = true;
            var before = at.Own.Children.ToList();
            at.Own.Children.Clear();
            foreach (var child in from.Own.Children.Select(one => one.Owner))
            {
                var original = originalOf(child);
                if (!ReferenceEquals(original, null) && original.AssetPath != at.AssetPath) original = null;
                if (ReferenceEquals(original, null))
                {
                    original = new GameObject(
                        "", null, child.RawName) { LocalId = ++_ids, AssetPath = at.AssetPath, Source = child.Source };
                }
                original.Mark(false);
                original.Own.Above = at.Own;
                at.Own.Children.Add(original.Own);
                Become(original, child, originalOf, map);
            }
            foreach (var gone in before.Where(one => !at.Own.Children.Contains(one)))
            {
                if (gone.Above == at.Own) gone.Owner.Mark(true);
            }
        }

        /// <summary>A prefab's contents, from an object; the instances that it had stay as they are.</summary>
        public static GameObject ToPrefab(GameObject source, string path)
        {
            var prefab = CopyOf(source, "", null, new Dictionary<Object, Object>());
            foreach (var one in prefab.GetComponentsInChildren(typeof(Transform), true))
            {
                one.Owner.AssetPath = path;
                one.Owner.Original = null;
            }
            prefab.SetName(System.IO.Path.GetFileNameWithoutExtension(path));
            Add(path, prefab);
            return prefab;
        }

        private static GameObject CopyOf(
            GameObject source, string scene, GameObject parent, Dictionary<Object, Object> map)
        {
            var made = new GameObject(
                scene, parent, source.RawName) { LocalId = ++_ids, Original = source, Source = source.Source };
            made.IsOff = source.IsOff;
            made.Layer = source.Layer;
            made.Tag = source.Tag;
            map[source] = made;
            foreach (var component in source.Components)
            {
                if (ReferenceEquals(component, null)) { made.Components.Add(null); continue; }
                var same = component is Transform && component.GetType() == made.Own.GetType()
                    ? made.Own
                    : made.Add(component.GetType());
                same.Fields = component.Fields.Clone();
                map[component] = same;
            }
            foreach (var child in source.Own.Children) CopyOf(child.Owner, scene, made, map);
            if (parent == null) Refer(made, map);
            return made;
        }

        // References within it stay within it.
        private static void Refer(GameObject at, Dictionary<Object, Object> map)
        {
            foreach (var node in at.Components.Where(one => !ReferenceEquals(one, null))
                .SelectMany(one => one.Fields.Root.All()))
            {
                Object there;
                if (node.Kind == "ObjectReference" && node.Value is Object
                    && map.TryGetValue((Object)node.Value, out there))
                {
                    node.Value = there;
                }
            }
            foreach (var child in at.Own.Children) Refer(child.Owner, map);
        }
    }
}
