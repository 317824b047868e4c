using System;
using System.Collections;
using System.Collections.Generic;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>
    /// What a path names: <c>Scene/Root/Child</c>, the file of an open scene or of an asset with what follows in it, or a
    /// GlobalObjectId. Main thread.
    /// </summary>
    internal sealed class ObjectFinder
    {
        private const string IdPrefix = "GlobalObjectId_V1-";
        private const int MaxNamed = 5;

        // Enough to find equal names, and no long step on a wide level.
        private const int MaxSearched = 1000;

        private readonly CommandCall _call;

        /// <param name="call">Null for a tool that only looks.</param>
        public ObjectFinder(CommandCall call = null)
        {
            _call = call;
        }

        /// <summary>Null for an asset that has no hierarchy, or where nothing was found.</summary>
        public HierarchyNode Node { get; private set; }

        /// <summary>Null for a scene, or where nothing was found.</summary>
        public Object Target { get; private set; }

        /// <summary>The path as this plugin writes it.</summary>
        public string Path { get; private set; }

        /// <summary>The addresses of siblings with a name that the path gives without a number: the path may mean any of them.</summary>
        public List<string> SameNames { get; } = new List<string>();

        /// <summary>Why nothing was found, or null.</summary>
        public string Fault { get; private set; }

        /// <summary>Finds a path at once; for commands, which hold the main thread anyway. A path without its scene means the one object that has
        /// it, if only one has.</summary>
        public static ObjectFinder Look(CommandCall call, string path)
        {
            var finder = At(call, path);
            var scenes = finder.Fault == null || path.Length == 0 ? new List<OpenScene>() : OpenScenes.All();
            var meant = scenes.ConvertAll(scene => At(call, scene.Path + "/" + path)).FindAll(one => one.Fault == null);
            if (meant.Count != 1 || meant[0].SameNames.Count > 0)
            {
                return finder;
            }
            // wait_for looks in each frame.
            var remark = Quoted.Of(path) + " was taken as " + Quoted.Of(meant[0].Path) + ".";
            call.Remarks.Remove(remark);
            call.Remarks.Add(remark);
            return meant[0];
        }

        private static ObjectFinder At(CommandCall call, string path)
        {
            var finder = new ObjectFinder(call);
            foreach (var _ in finder.Find(path))
            {
                // The steps are for tools that share the main thread with others.
            }
            return finder;
        }

        /// <summary>Looks for it; every null is a step.</summary>
        public IEnumerable Find(string path)
        {
            if (path.StartsWith(IdPrefix, StringComparison.Ordinal))
            {
                FindById(path);
                yield break;
            }
            if (_call?.Named != null && path.StartsWith("$", StringComparison.Ordinal) && _call.Named.TryGetValue(path.Substring(1).Split('/')[0], out var named))
            {
                var slash = path.IndexOf('/');
                Take(named, path);
                foreach (var step in slash < 0 ? new object[0] : Descend(Node, path.Substring(slash + 1).Split('/')))
                {
                    yield return step;
                }
                yield break;
            }
            var settings = SettingsObject.Find(path, out var fault);
            if ((settings != null || fault != null) && OpenScenes.All().TrueForAll(open => open.Path != path))
            {
                Fault = fault;
                Target = settings;
                Path = path;
                yield break;
            }
            // As GameObject.Find takes it.
            path = path.StartsWith("/", StringComparison.Ordinal) ? FromRoot(path.Trim('/')) : path;
            HierarchyNode start = new AllScenesNode(OpenScenes.All());
            var rest = path;
            if (path.StartsWith("Assets/", StringComparison.Ordinal) || path.StartsWith("Packages/", StringComparison.Ordinal))
            {
                for (var end = path.Length; end > 0; end = path.LastIndexOf('/', end - 1))
                {
                    var file = path.Substring(0, end);
                    if (StartAt(file))
                    {
                        start = Node;
                        rest = path.Substring(Math.Min(end + 1, path.Length));
                        break;
                    }
                    yield return null;
                }
                if (Path == null)
                {
                    Fault = NoAsset(path);
                    yield break;
                }
            }
            Path = Path ?? "";
            if (rest.Length == 0)
            {
                yield break;
            }
            if (start == null)
            {
                Fault = "'" + Quoted.Of(Path) + "' has no objects below it.";
                yield break;
            }
            foreach (var step in Descend(start, rest.Split('/')))
            {
                yield return step;
            }
        }

        // Often only the extension is missing, or the folder is another one.
        private static string NoAsset(string path)
        {
            var name = Stem(path);
            var alike = new List<string>();
            foreach (var guid in name.Length == 0 ? Array.Empty<string>() : AssetDatabase.FindAssets(name, null))
            {
                var file = AssetDatabase.GUIDToAssetPath(guid);
                var isAlike = string.Equals(Stem(file), name, StringComparison.OrdinalIgnoreCase);
                if (isAlike && alike.Count < MaxNamed && !AssetDatabase.IsValidFolder(file))
                {
                    alike.Add("'" + Quoted.Of(file) + "'");
                }
            }
            return "There is no asset '" + Quoted.Of(path) + "'." + (alike.Count > 0 ? " There is " + string.Join(", ", alike) + "."
                : " what: assets finds one by a query.");
        }

        // System.IO.Path throws for characters that a caller may well send.
        private static string Stem(string path)
        {
            var name = path.Substring(path.LastIndexOf('/') + 1);
            return name.LastIndexOf('.') is > 0 and var end ? name.Substring(0, end) : name;
        }

        // What follows a leading slash: a path with its scene, or one that begins at the objects of the current scene.
        private static string FromRoot(string path)
        {
            var segments = path.Split('/');
            var current = OpenScenes.Current();
            var scene = OpenScenes.All().Find(open => open.Path == segments[0]);
            var isWhole = segments[0] is "Assets" or "Packages"
                || (scene != null && (segments.Length == 1 || HasRoot(scene, segments[1]) || !HasRoot(current, segments[0])));
            return path.Length == 0 ? current.Path : isWhole ? path : current.Path + "/" + path;
        }

        private static bool HasRoot(OpenScene scene, string segment)
        {
            var name = ObjectPath.NameIn(segment, out _);
            var node = new SceneNode(scene);
            for (var i = 0; i < node.ChildCount; i++)
            {
                if (node.Child(i)?.Name == name)
                {
                    return true;
                }
            }
            return false;
        }

        private void FindById(string text)
        {
            if (!GlobalObjectId.TryParse(text, out var id))
            {
                Fault = "This is no GlobalObjectId.";
                return;
            }
            var target = GlobalObjectId.GlobalObjectIdentifierToObjectSlow(id);
            if (target == null)
            {
                Fault = "Nothing has this GlobalObjectId now. Its scene may not be open.";
                return;
            }
            Take(target, text);
        }

        // The file of an open scene, or of an asset.
        private bool StartAt(string file)
        {
            var open = OpenScenes.All().Find(scene => scene.Kind != "prefab" && scene.Scene.path == file);
            if (open != null)
            {
                Node = new SceneNode(open);
                Path = open.Path;
                return true;
            }
            if (AssetDatabase.GetMainAssetTypeAtPath(file) == null || AssetDatabase.IsValidFolder(file))
            {
                return false;
            }
            var asset = AssetDatabase.LoadMainAssetAtPath(file);
            if (asset == null)
            {
                return false;
            }
            var contents = _call?.ContentsOf(file);
            if (contents != null)
            {
                Take(contents, file);
                return true;
            }
            // In prefab mode the prefab that a person sees is the one of the stage.
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            Take(stage != null && stage.assetPath == file ? stage.prefabContentsRoot : asset, file);
            return true;
        }

        private void Take(Object target, string path)
        {
            Target = target;
            var owner = target is Component component ? component.gameObject : target as GameObject;
            Node = owner == null ? null : new ObjectNode(owner.transform);
            Path = (owner != null ? ObjectPath.Of(owner.transform) : FileOf(target)) ?? path;
        }

        // Null for what is only a part of the file.
        private static string FileOf(Object target)
        {
            var file = AssetDatabase.GetAssetPath(target);
            return !string.IsNullOrEmpty(file) && AssetDatabase.LoadMainAssetAtPath(file) == target ? file : null;
        }

        private IEnumerable Descend(HierarchyNode node, string[] segments)
        {
            foreach (var segment in segments)
            {
                var name = ObjectPath.NameIn(segment, out var wanted);
                var count = 0;
                HierarchyNode match = null;
                for (var i = 0; i < node.ChildCount && match == null; i++)
                {
                    if (node.Child(i) is { } child && child.Name == name && count++ == wanted)
                    {
                        match = child;
                    }
                    yield return null;
                }
                if (match == null || (match.Object == null && !(match is SceneNode)))
                {
                    NotFound(node, segment);
                    yield break;
                }
                if (!segment.EndsWith("]"))
                {
                    FindSameNames(node, name);
                }
                Path = match is SceneNode scene ? scene.Path : ObjectPath.Join(Path, name, wanted);
                node = match;
            }
            Node = node;
            Target = node.Object;
        }

        // An object at the top of a scene, whose path was given without the scene.
        private static string RootNamed(HierarchyNode scenes, string segment)
        {
            var name = ObjectPath.NameIn(segment, out _);
            for (var i = 0; i < scenes.ChildCount; i++)
            {
                for (var j = 0; scenes.Child(i) is SceneNode scene && j < scene.ChildCount && j < MaxSearched; j++)
                {
                    if (scene.Child(j) is { } root && root.Name == name)
                    {
                        return ObjectPath.Join(scene.Path, name, 0);
                    }
                }
            }
            return null;
        }

        private void FindSameNames(HierarchyNode node, string name)
        {
            var index = 0;
            for (var i = 0; i < node.ChildCount && i < MaxSearched && SameNames.Count < MaxNamed; i++)
            {
                if (node.Child(i) is { } child && child.Name == name && index++ > 0)
                {
                    SameNames.Add(ObjectPath.Join(Path, name, index - 1));
                }
            }
        }

        private void NotFound(HierarchyNode node, string segment)
        {
            Node = null;
            Target = null;
            // Those of the same name first: a number was wrong, or is written as Unity names a copy, "Lantern (1)".
            var wanted = ObjectPath.NameIn(segment, out _).Split(new[] { " (" }, StringSplitOptions.None)[0];
            var first = new List<string>();
            var alike = new List<string>();
            var index = new EqualNames();
            for (var i = 0; i < node.ChildCount && i < MaxSearched && alike.Count < MaxNamed; i++)
            {
                if (node.Child(i) is { } child)
                {
                    var address = "'" + Quoted.Of(ObjectPath.Segment(child.Name, index.Next(child.Name))) + "'";
                    (string.Equals(child.Name, wanted, StringComparison.OrdinalIgnoreCase) ? alike : first).Add(address);
                }
            }
            var names = alike.Count > 0 ? alike : first.GetRange(0, Math.Min(first.Count, MaxNamed));
            var root = node is AllScenesNode ? RootNamed(node, segment) : null;
            var there = names.Count == 0 ? "nothing" : string.Join(", ", names) + (node.ChildCount > names.Count ? ", ..." : "");
            Fault = node is AllScenesNode
                ? "No scene '" + Quoted.Of(segment) + "' is open, and no asset is there. A path begins with an open scene: " + there + "."
                    + (root == null ? "" : " There is '" + Quoted.Of(root) + "'.")
                : "There is no '" + Quoted.Of(segment) + "' in '" + Quoted.Of(Path) + "'. There is " + there + ".";
        }
    }
}
