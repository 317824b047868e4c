using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using UnityEngine.SceneManagement;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    public enum PrefabUnpackMode { OutermostRoot, Completely }

    /// <summary>Editor/Mono/Prefabs/PrefabUtility.cs and PrefabOverrides/, 2021.3 to 6000.7.</summary>
    /// <remarks>What came with 2022.2 is not in the editor of 2021.3 (build.py).</remarks>
    public static partial class PrefabUtility
    {
        public static GameObject LoadPrefabContents(string assetPath)
        {
            World.Read("PrefabUtility.LoadPrefabContents");
            if (!File.Exists(Making.FileOf(assetPath)))
            {
                throw new ArgumentException("Path: " + assetPath + ", does not exist");
            }
            if (!assetPath.EndsWith(".prefab"))
            {
                throw new ArgumentException("Path: " + assetPath + ", is not a prefab file");
            }
            Native.Editor.Say("load-contents " + assetPath);
            World.Remember((GameObject)World.AssetByPath[assetPath], File.ReadAllText(Making.FileOf(assetPath)));
            return World.LoadContents((GameObject)World.AssetByPath[assetPath], World.Apart + assetPath);
        }

        public static void UnloadPrefabContents(GameObject contentsRoot)
        {
            World.Read("PrefabUtility.UnloadPrefabContents");
            if (!contentsRoot.SceneFile.StartsWith(World.Apart))
            {
                throw new ArgumentException("Specified object is not part of Prefab contents");
            }
            Native.Editor.Say("unload-contents " + contentsRoot.SceneFile.Substring(World.Apart.Length));
            foreach (var root in World.RootsOf(contentsRoot.SceneFile)) root.Destroy();
        }

        /// <summary>Writes the prefab's file at once, and asks nothing for a whole instance. Undo: of what is there
        /// already, not of what is new in it.</summary>
        public static void ApplyPrefabInstance(GameObject instanceRoot, InteractionMode action)
        {
            World.Read("PrefabUtility.ApplyPrefabInstance");
            RequireRoot(instanceRoot);
            var prefab = instanceRoot.Source;
            if (IsPartOfImmutablePrefab(prefab)) throw new ArgumentException("Can't apply to an immutable Prefab");
            var before = File.ReadAllText(Making.FileOf(prefab.AssetPath));
            World.Rewrite(prefab, instanceRoot, one => one.Source, instanceRoot);
            Follow(instanceRoot, prefab);
            Native.Editor.DiskAt("before-save");
            File.WriteAllText(Making.FileOf(prefab.AssetPath), World.Yaml(prefab));
            Native.Editor.DiskAt("after-save");
            Native.Editor.Say("save-prefab " + prefab.AssetPath);
            if (action == InteractionMode.UserAction)
            {
                Undo.Record(() =>
                {
                    File.WriteAllText(Making.FileOf(prefab.AssetPath), before);
                    World.Reload(prefab.AssetPath, before);
                });
            }
            Undo.Touch(instanceRoot);
        }

        public static void RevertPrefabInstance(GameObject instanceRoot, InteractionMode action)
        {
            World.Read("PrefabUtility.RevertPrefabInstance");
            RequireRoot(instanceRoot);
            Revert(instanceRoot, action == InteractionMode.UserAction);
            Undo.Touch(instanceRoot);
        }

        /// <summary>Undo in the mode UserAction (PrefabUtility.cs, UnpackPrefabInstance). Instances within this one,
        /// which the stub has none of, stay instances after OutermostRoot.</summary>
        public static void UnpackPrefabInstance(
            GameObject instanceRoot, PrefabUnpackMode unpackMode, InteractionMode action)
        {
            World.Read("PrefabUtility.UnpackPrefabInstance");
            RequireRoot(instanceRoot);
            foreach (var one in All(instanceRoot).ToList())
            {
                var source = one.Source;
                one.Source = null;
                if (action == InteractionMode.UserAction) Undo.Record(() => one.Source = source);
            }
            Undo.Touch(instanceRoot);
        }

        private static void Revert(GameObject at, bool hasUndo)
        {
            foreach (var gone in Gone(at).ToList())
            {
                var back = World.Copy(gone, at.SceneFile, at);
                if (hasUndo) Undo.Record(back.Destroy);
            }
            foreach (var component in at.Components.Where(one => one != null).ToList())
            {
                var source = SourceOf(component);
                if (source == null)
                {
                    Undo.DestroyObjectImmediate(component);
                    continue;
                }
                var before = component.Fields;
                component.Fields = source.Fields.Clone();
                if (hasUndo) Undo.Record(() => component.Fields = before);
            }
            foreach (var child in at.Own.Children.Select(one => one.Owner).ToList())
            {
                if (child.Source == null) Undo.DestroyObjectImmediate(child);
                else Revert(child, hasUndo);
            }
        }

        private static IEnumerable<GameObject> Gone(GameObject instance)
        {
            return instance.Source == null
                ? new GameObject[0]
                : instance.Source.Own.Children.Select(child => child.Owner)
                .Where(theirs => instance.Own.Children.All(mine => mine.Owner.Source != theirs));
        }

#if !UNITY_2021_3
        public static List<SceneManagement.RemovedGameObject> GetRemovedGameObjects(GameObject prefabInstance)
        {
            World.Read("PrefabUtility.GetRemovedGameObjects");
            return All(prefabInstance).SelectMany(one => Gone(one).Select(gone =>
                new SceneManagement.RemovedGameObject { assetGameObject = gone,
                    parentOfRemovedGameObjectInInstance = one })).ToList();
        }

        /// <summary>An internal one of the same name (PrefabUtility.bindings.cs).</summary>
        internal static GameObject[] GetRemovedGameObjects(Object prefabInstance)
        {
            throw new NotSupportedException("internal");
        }
#endif

        private static void RequireRoot(GameObject root)
        {
            if (root.Source == null || !IsOutermostPrefabInstanceRoot(root))
            {
                throw new ArgumentException("GameObject to save Prefab from must be a Prefab root");
            }
        }

        private static void Follow(GameObject instance, GameObject prefab)
        {
            instance.Source = prefab;
            for (var i = 0; i < instance.Own.Children.Count; i++)
            {
                Follow(instance.Own.Children[i].Owner, prefab.Own.Children[i].Owner);
            }
        }

        private static IEnumerable<GameObject> All(GameObject root)
        {
            return new[] { root }.Concat(root.Own.Children.SelectMany(child => All(child.Owner)));
        }

        public static GameObject GetOutermostPrefabInstanceRoot(Object componentOrGameObject)
        {
            World.Read("PrefabUtility.GetOutermostPrefabInstanceRoot");
            var at = componentOrGameObject is Component
                ? ((Component)componentOrGameObject).Owner
                : (GameObject)componentOrGameObject;
            GameObject found = null;
            for (var one = at.Own; one != null; one = one.Above) if (one.Owner.Source != null) found = one.Owner;
            return found;
        }

        public static T GetCorrespondingObjectFromSource<T>(T componentOrGameObject) where T : Object
        {
            World.Read("PrefabUtility.GetCorrespondingObjectFromSource");
            return (T)SourceOf(componentOrGameObject);
        }

        public static List<SceneManagement.ObjectOverride> GetObjectOverrides(
            GameObject prefabInstance, bool includeDefaultOverrides = false)
        {
            World.Read("PrefabUtility.GetObjectOverrides");
            return All(prefabInstance).Where(one => one.Source != null)
                .SelectMany(one => one.Components.Where(
                    part => part != null && SourceOf(part) != null && Differs(part)))
                .Select(part => new SceneManagement.ObjectOverride { instanceObject = part }).ToList();
        }

        private static bool Differs(Component part)
        {
            var theirs = SourceOf(part).Fields.Root.All().ToList();
            return part.Fields.Root.All()
                .Where((node, i) => i < theirs.Count && !Equals(node.Value, theirs[i].Value)
                    && !(node.Value is float[] && theirs[i].Value is float[]
                && ((float[])node.Value).SequenceEqual((float[])theirs[i].Value))).Any();
        }

        public static List<SceneManagement.AddedComponent> GetAddedComponents(GameObject prefabInstance)
        {
            World.Read("PrefabUtility.GetAddedComponents");
            return All(prefabInstance).Where(one => one.Source != null)
                .SelectMany(one => one.Components.Where(part => part != null && SourceOf(part) == null))
                .Select(part => new SceneManagement.AddedComponent { instanceComponent = part }).ToList();
        }

        public static List<SceneManagement.RemovedComponent> GetRemovedComponents(GameObject prefabInstance)
        {
            World.Read("PrefabUtility.GetRemovedComponents");
            return All(prefabInstance).Where(one => one.Source != null).SelectMany(one => one.Source.Components
                .Where(part => part != null && one.Components.All(mine => SourceOf(mine) != part))
                .Select(part => new SceneManagement.RemovedComponent { containingInstanceGameObject = one,
                    assetComponent = part })).ToList();
        }

        public static List<SceneManagement.AddedGameObject> GetAddedGameObjects(GameObject prefabInstance)
        {
            World.Read("PrefabUtility.GetAddedGameObjects");
            return All(prefabInstance).Where(IsAddedGameObjectOverride)
                .Select(one => new SceneManagement.AddedGameObject { instanceGameObject = one }).ToList();
        }
    }

    public partial class AssetDatabase
    {
        public static GUID GUIDFromAssetPath(string path)
        {
            World.Read("AssetDatabase.GUIDFromAssetPath");
            return new GUID(World.GuidOf(path));
        }
    }
}

namespace UnityEditor.SceneManagement
{
    public abstract class PrefabOverride { }

    public class ObjectOverride : PrefabOverride { public Object instanceObject { get; set; } }

    public class AddedComponent : PrefabOverride { public Component instanceComponent { get; set; } }

    public class RemovedComponent : PrefabOverride
    {
        public GameObject containingInstanceGameObject { get; set; }
        public Component assetComponent { get; set; }
    }

#if !UNITY_2021_3
    public class RemovedGameObject : PrefabOverride
    {
        public GameObject assetGameObject { get; set; }
        public GameObject parentOfRemovedGameObjectInInstance { get; set; }
    }
#endif

    public class AddedGameObject : PrefabOverride { public GameObject instanceGameObject { get; set; } }
}
