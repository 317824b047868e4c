using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Objects;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// A prefab's file while one call changes it (SPEC §16.7): its contents are loaded apart from the scenes, changed without Undo, which does
    /// not reach them, and saved once. Instances follow. Main thread.
    /// </summary>
    /// <remarks>Not EditPrefabContentsScope: it saves also after an exception, and ignores that a save failed (PrefabUtility.cs, 2021.3 to
    /// 6000.7).</remarks>
    internal sealed class PrefabFile : IDisposable
    {
        private readonly ChangeCall _call;
        private readonly GameObject _asset;

        private PrefabFile(ChangeCall call, string path, GameObject asset)
        {
            _call = call;
            Path = path;
            _asset = asset;
            Root = PrefabUtility.LoadPrefabContents(path);
        }

        public string Path { get; }

        public GameObject Root { get; }

        /// <summary>Loads the file of a prefab's object.</summary>
        public static PrefabFile Load(ChangeCall call, GameObject asset)
        {
            ChangeTarget.RequireWritable(asset);
            var file = AssetDatabase.GetAssetPath(asset);
            if (EditorApplication.isPlaying)
            {
                throw new CommandRefused("playing", "The editor is in play mode, where no prefab is saved. Leave play mode, then change " + file + ".");
            }
            if (!File.Exists(WrittenFiles.OnDisk(file)))
            {
                throw ChangeTarget.Refused(file + " is not on disk any more. Call compile, which imports what has changed.");
            }
            AssetPath.RequireSaved(file, false);
            RequireNoMissingScript(asset.transform.root.gameObject);
            return call.File = new PrefabFile(call, file, asset.transform.root.gameObject);
        }

        /// <summary>Unity saves no prefab with a component whose script is missing, and says so in a dialog or the console.</summary>
        public static void RequireNoMissingScript(GameObject root)
        {
            var broken = root.GetComponentsInChildren(typeof(Transform), true).FirstOrDefault(one => one.gameObject.GetComponents(typeof(Component)).Any(part => part == null));
            if (broken != null)
            {
                throw ChangeTarget.Refused("A script of " + ChangeTarget.PathOf(broken) + " is missing, and Unity saves no prefab with one. "
                    + "A person can remove it in the Inspector.");
            }
        }

        /// <summary>What is changed in the place of an object or component of the prefab's file; anything else itself.</summary>
        public Object Opened(Object target) => EditorUtility.IsPersistent(target) && AssetDatabase.GetAssetPath(target) == Path
            ? Same(target, _asset, Root) : target;

        public bool Holds(Object target) => OwnerOf(target) is { } owner && owner.scene == Root.scene;

        /// <summary>Saves the contents; what was made is then the object of the file.</summary>
        public void Save(ChangeReport report)
        {
            report.Files.Rewriting(Path);
            PrefabUtility.SaveAsPrefabAsset(Root, Path, out var isSaved);
            if (!isSaved)
            {
                throw Refuse.Failed("exception", "Unity did not save " + Path + ". The console says why (read_console).");
            }
            report.Files.Rewritten(Path);
            if (report.Made != null && Holds(report.Made))
            {
                report.Made = Same(report.Made, Root, _asset);
            }
        }

        public void Dispose()
        {
            _call.File = null;
            PrefabUtility.UnloadPrefabContents(Root);
        }

        /// <summary>The object that a component is on, or the object itself; null for anything else.</summary>
        public static GameObject OwnerOf(Object target) => target is Component component ? component.gameObject : target as GameObject;

        // At the same place below another root: contents that were just loaded or saved are like their file.
        private static Object Same(Object target, GameObject from, GameObject to)
        {
            var owner = OwnerOf(target);
            var way = new Stack<int>();
            for (var at = owner.transform; at != from.transform; at = at.parent)
            {
                way.Push(at.GetSiblingIndex());
            }
            var found = way.Aggregate(to.transform, (at, index) => at.GetChild(index)).gameObject;
            return target is Component ? found.GetComponents(typeof(Component))[Array.IndexOf(owner.GetComponents(typeof(Component)), target)] : found;
        }
    }
}
