using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>What is done with what a path names, which says how far it is looked for.</summary>
    internal enum PathUse
    {
        /// <summary>At any depth, and in another case if only one object has the name.</summary>
        Read,

        /// <summary>At any depth.</summary>
        Change,

        /// <summary>By its whole path, or one without the scene: what deletes, moves or overwrites guesses
        /// nothing.</summary>
        Whole,

        /// <summary>As <see cref="Whole"/>, without looking for what may have been meant.</summary>
        Shallow,
    }

    /// <summary>
    /// What a path names: <c>Scene/Root/Child</c>, the file of an open scene or of an asset with what follows in it, or
    /// a GlobalObjectId. Main thread.
    /// </summary>
    internal sealed class ObjectFinder
    {
        private const string IdPrefix = "GlobalObjectId_V1-";
        private const int MaxNamed = 5;

        // Enough to find equal names, and no long step on a wide level.
        private const int MaxSearched = 1000;

        // What people call the project's settings; they are no objects and no assets (ProjectSettings folder, 2021.3 to
        // 6000.7).
        private static readonly HashSet<string> Settings = new HashSet<string>((
            "ProjectSettings UserSettings RenderSettings LightingSettings GraphicsSettings QualitySettings "
            + "PlayerSettings EditorSettings Physics PhysicsSettings Physics2D Physics2DSettings TagManager "
            + "TimeManager InputManager AudioManager AudioSettings EditorBuildSettings Time").Split(' '));

        private readonly CommandCall _call;
        private readonly PathUse _use;
        private bool _isWhole;

        /// <param name="call">Null for a tool that only looks.</param>
        public ObjectFinder(CommandCall call = null, PathUse use = PathUse.Read)
        {
            _call = call;
            _use = use;
        }

        /// <summary>Null for an asset that has no hierarchy, or where nothing was found.</summary>
        public HierarchyNode Node { get; private set; }

        /// <summary>Null for a scene, or where nothing was found.</summary>
        public Object Target { get; private set; }

        /// <summary>The path as this plugin writes it.</summary>
        public string Path { get; private set; }

        /// <summary>The addresses of siblings with a name that the path gives without a number: the path may mean any
        /// of them.</summary>
        public List<string> SameNames { get; } = new List<string>();

        /// <summary>Why nothing was found, or null.</summary>
        public string Fault { get; private set; }

        /// <summary>What the path was taken for, if it was not whole; null for a whole path.</summary>
        public string Remark { get; private set; }

        /// <summary>The path names settings of the project, which are no objects.</summary>
        public bool IsOfSettings { get; private set; }

        /// <summary>Finds a path at once; for commands, which hold the main thread anyway.</summary>
        public static ObjectFinder Look(CommandCall call, string path, PathUse use = PathUse.Read)
        {
            var finder = new ObjectFinder(call, use);
            foreach (var _ in finder.Find(path))
            {
                // The steps are for tools that share the main thread with others.
            }
            if (finder.Remark != null)
            {
                // wait_for looks in each frame.
                call.Remarks.Remove(finder.Remark);
                call.Remarks.Add(finder.Remark);
            }
            return finder;
        }

        /// <summary>Looks for it, as it is written and then as a part of a path; every null is a step.</summary>
        public IEnumerable Find(string path)
        {
            foreach (var step in FindWhole(path))
            {
                yield return step;
            }
            var isNamed = _isWhole || path.Begins(IdPrefix)
                || path.Begins("$")
                || IsOfFile(path);
            var part = path.Trim('/');
            if (Fault == null || isNamed || part.Length == 0)
            {
                yield break;
            }
            foreach (var step in FindBelowRoots(path, part))
            {
                yield return step;
            }
            foreach (var step in Fault != null && _use != PathUse.Shallow ? FindAnywhere(path, part) : new object[0])
            {
                yield return step;
            }
        }

        // Below the root of the open prefab, then below the roots of the active scene, then of the others.
        private IEnumerable FindBelowRoots(string path, string part)
        {
            foreach (var beginnings in Beginnings())
            {
                var hits = new List<ObjectFinder>();
                foreach (var beginning in beginnings)
                {
                    var attempt = new ObjectFinder(_call);
                    foreach (var step in attempt.FindWhole(beginning + "/" + part))
                    {
                        yield return step;
                    }
                    if (attempt.Fault == null)
                    {
                        hits.Add(attempt);
                    }
                }
                if (hits.Count == 1)
                {
                    Become(hits[0], path);
                    yield break;
                }
                if (hits.Count > 1)
                {
                    Fault = Several(path, hits.ConvertAll(hit => hit.Path));
                    yield break;
                }
            }
        }

        private static IEnumerable<IEnumerable<string>> Beginnings()
        {
            var scenes = OpenScenes.All();
            var stage = scenes.Find(scene => scene.Kind == "prefab");
            if (stage != null)
            {
                var root = PrefabStageUtility.GetCurrentPrefabStage().prefabContentsRoot;
                yield return new[] { stage.Path };
                yield return new[] { ObjectPath.PathOf(root.transform) };
            }
            var active = scenes.Find(scene => scene.Kind == "scene" && scene.Scene == SceneManager.GetActiveScene());
            yield return scenes.Where(scene => scene == active).Select(scene => scene.Path);
            yield return scenes.Where(scene => scene != active && scene != stage).Select(scene => scene.Path);
        }

        // The one active object with these last names, in the open prefab, and in the scenes only if that has none.
        private IEnumerable FindAnywhere(string path, string part)
        {
            var search = new NameSearch(part);
            var scenes = OpenScenes.All();
            foreach (var isStage in new[] { true, false })
            {
                foreach (var step in search.Walk(scenes.FindAll(scene => scene.Kind == "prefab" == isStage)))
                {
                    yield return step;
                }
                if (search.Matches.Count > 0)
                {
                    break;
                }
            }
            var matches = search.Matches.Count == 0 && _use == PathUse.Read ? search.InOtherCase : search.Matches;
            var mayTake = _use != PathUse.Whole && !path.Begins("/");
            if (matches.Count == 1 && mayTake)
            {
                var found = new ObjectFinder();
                found.Take(matches[0].gameObject, path);
                Become(found, path);
                yield break;
            }
            var isOfSettings = matches.Count == 0 && Settings.Contains(part.Split('/')[0]);
            var page = "ProjectSettings/" + part.Replace("Settings", "");
            if (isOfSettings && mayTake && SettingsObject.Find(page, out _) is { } settings)
            {
                Become(new ObjectFinder { Target = settings, Path = page }, path);
                yield break;
            }
            IsOfSettings = isOfSettings;
            Fault = FaultOf(path, part, search, matches.Count > 0 ? matches : search.Matches.Concat(search.InOtherCase)
                .Concat(search.Alike).ToList());
        }

        private string FaultOf(string path, string part, NameSearch search, List<Transform> objects)
        {
            if (IsOfSettings)
            {
                return "'" + Quoted.Text(path) + "' is no object and no asset: no path leads to these settings.";
            }
            var paths = objects.ConvertAll(transform => ObjectPath.PathOf(transform) ?? transform.name);
            if (search.Matches.Count > 1)
            {
                return Several(path, paths);
            }
            var named = paths.Concat(AssetFiles.Named(part)).Take(MaxNamed).ToList();
            var prefab = named.Find(name => name.Ends(".prefab"));
            return named.Count == 0 ? Fault : "There is no object '" + Quoted.Text(path) + "' there. There is "
                + Listed(named) + ". Give that path"
                + (prefab == null ? "." : ", or put the prefab into the scene: create_object prefab="
                + Quoted.Text(prefab) + ".");
        }

        private static string Several(string path, List<string> paths) =>
            "Give the whole path: '" + Quoted.Text(path) + "' can be " + Listed(paths.Take(MaxNamed))
                + (paths.Count > MaxNamed ? ", ..." : "") + ".";

        private static string Listed(IEnumerable<string> names) =>
            string.Join(", ", names.Select(name => "'" + Quoted.Text(name) + "'"));

        private void Become(ObjectFinder other, string path)
        {
            Node = other.Node;
            Target = other.Target;
            Path = other.Path;
            SameNames.AddRange(other.SameNames);
            Fault = null;
            Remark = Quoted.Text(path) + " was taken as " + Quoted.Text(Path) + ".";
        }

        private IEnumerable FindWhole(string path)
        {
            if (path.Begins(IdPrefix))
            {
                FindById(path);
                yield break;
            }
            if (_call?.Named != null && path.Begins("$")
                && _call.Named.TryGetValue(path.Substring(1).Split('/')[0], out var named))
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
                _isWhole = true;
                yield break;
            }
            path = WithScene(path);
            // As GameObject.Find takes it.
            path = path.Begins("/") ? FromRoot(path.Trim('/')) : path;
            HierarchyNode start = new AllScenesNode(OpenScenes.All());
            var rest = path;
            if (IsOfFile(path))
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
                Fault = "'" + Quoted.Text(Path) + "' has no objects below it.";
                yield break;
            }
            foreach (var step in Descend(start, rest.Split('/')))
            {
                yield return step;
            }
        }

        private static bool IsOfFile(string path) => path.Begins("Assets/")
            || path.Begins("Packages/");

        // A scene by its file's name, as in Main.unity/Player.
        private static string WithScene(string path)
        {
            var end = path.IndexOf(".unity", StringComparison.Ordinal);
            var isName = end > 0 && path.IndexOf('/') is var slash && (slash < 0 || slash == end + ".unity".Length);
            var scenes = !isName ? new List<OpenScene>() : OpenScenes.All()
                .FindAll(scene => scene.Scene.name == path.Substring(0, end) && scene.Kind == "scene");
            return scenes.Count == 1 ? scenes[0].Path + path.Substring(end + ".unity".Length) : path;
        }

        // Often only the extension is missing, or the folder is another one.
        private static string NoAsset(string path)
        {
            var alike = AssetFiles.Named(path).Take(MaxNamed).ToList();
            return "There is no asset '" + Quoted.Text(path) + "'. "
                + (alike.Count > 0 ? "There is " + Listed(alike) + "."
                : "inspect what: assets finds one by a query.");
        }

        // What follows a leading slash: a path with its scene, or one that begins at the objects of the current scene.
        private static string FromRoot(string path)
        {
            var segments = path.Split('/');
            var current = OpenScenes.Current();
            var scene = OpenScenes.All().Find(open => open.Path == segments[0]);
            var isWhole = segments[0] is "Assets" or "Packages"
                || (scene != null && (segments.Length == 1 || HasRoot(scene, segments[1])
                    || !HasRoot(current, segments[0])));
            return path.Length == 0 ? current.Path : isWhole ? path : current.Path + "/" + path;
        }

        private static bool HasRoot(OpenScene scene, string segment)
        {
            var name = ObjectPath.NameIn(segment, out _);
            return new SceneNode(scene).Children().Any(child => child.Name == name);
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
            var owner = ObjectPart.OwnerOf(target);
            Node = owner == null ? null : new ObjectNode(owner.transform);
            Path = (owner != null ? ObjectPath.PathOf(owner.transform) : FileOf(target)) ?? path;
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
                foreach (var child in node.Children())
                {
                    if (child.Name == name && count++ == wanted)
                    {
                        match = child;
                        break;
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

        private void FindSameNames(HierarchyNode node, string name)
        {
            var others = node.Children(MaxSearched).Where(child => child.Name == name).Skip(1);
            SameNames.AddRange(others.Take(MaxNamed - SameNames.Count)
                .Select((_, place) => ObjectPath.Join(Path, name, place + 1)));
        }

        private void NotFound(HierarchyNode node, string segment)
        {
            Node = null;
            Target = null;
            // Those of the same name first: a number was wrong, or is written as Unity names a copy, "Lantern (1)".
            var wanted = ObjectPath.NameIn(segment, out _).Split(new[] { " (" }, StringSplitOptions.None)[0];
            var index = new EqualNames();
            var addresses = node.Children(MaxSearched)
                .Select(child => (child.Name, Address: ObjectPath.Segment(child.Name, index.Next(child.Name))))
                .ToList();
            var alike = addresses.FindAll(child =>
                child.Name.EqualsAnyCase(wanted));
            var shown = (alike.Count > 0 ? alike : addresses).Take(MaxNamed).Select(child => child.Address).ToList();
            var there = shown.Count == 0 ? "nothing" : Listed(shown) + (node.ChildCount > shown.Count ? ", ..." : "");
            Fault = node is AllScenesNode
                ? "There is no object '" + Quoted.Text(segment) + "' in the open scenes, " + there
                + ", and no asset of that path."
                : "There is no '" + Quoted.Text(segment) + "' in '" + Quoted.Text(Path) + "'. There is " + there + ".";
        }
    }
}
