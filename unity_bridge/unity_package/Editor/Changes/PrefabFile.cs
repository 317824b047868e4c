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
    /// A prefab's file while one call changes it (SPEC §16.7): its contents are loaded apart from the scenes, changed
    /// without Undo, which does not reach them, and saved once: at the end of the call, or of the steps of a batch that
    /// mean the same file. Instances follow. Main thread.
    /// </summary>
    /// <remarks>Not EditPrefabContentsScope: it saves also after an exception, and ignores that a save failed
    /// (PrefabUtility.cs, 2021.3 to 6000.7).</remarks>
    internal sealed class PrefabFile : IDisposable
    {
        private readonly ChangeCall _call;
        private readonly GameObject _asset;
        private readonly Dictionary<Object, Object> _contents;

        private PrefabFile(ChangeCall call, string path, GameObject asset)
        {
            _call = call;
            Path = path;
            _asset = asset;
            Root = PrefabUtility.LoadPrefabContents(path);
            _contents = Pairs(asset, Root);
        }

        public string Path { get; }

        public GameObject Root { get; }

        /// <summary>Whether there is something to save.</summary>
        public bool IsChanged { get; set; }

        /// <summary>Loads the file of a prefab's object.</summary>
        public static PrefabFile Load(ChangeCall call, GameObject asset)
        {
            ChangeTarget.RequireWritable(asset);
            var file = AssetDatabase.GetAssetPath(asset);
            if (EditorApplication.isPlaying)
            {
                throw new CommandRefused(
                    "playing", "The editor is in play mode, where no prefab is saved. Leave play mode, then change "
                    + file + ".");
            }
            if (!File.Exists(WrittenFiles.OnDisk(file)))
            {
                throw ChangeTarget.Refused(
                    file + " is not on disk any more. Call compile, which imports what has changed.");
            }
            AssetPath.RequireSaved(file, false);
            RequireNoMissingScript(asset.transform.root.gameObject);
            return call.File = new PrefabFile(call, file, asset.transform.root.gameObject);
        }

        /// <summary>Unity saves no prefab with a component whose script is missing, and says so in a dialog or the
        /// console.</summary>
        public static void RequireNoMissingScript(GameObject root)
        {
            var broken = root.GetComponentsInChildren(typeof(Transform), true)
                .FirstOrDefault(child => child.gameObject.GetComponents(typeof(Component)).Any(part => part == null));
            if (broken != null)
            {
                throw ChangeTarget.Refused(
                    "A script of " + ChangeTarget.PathOf(broken) + " is missing, and Unity saves no prefab with one. "
                    + "A person can remove it in the Inspector.");
            }
        }

        /// <summary>What is changed in the place of an object or component of the prefab's file; anything else
        /// itself.</summary>
        public Object Opened(Object target) => _contents.TryGetValue(target, out var opened) ? opened : target;

        public bool Holds(Object target) => ObjectPart.OwnerOf(target) is { } owner && owner.scene == Root.scene;

        /// <summary>Saves the contents. The objects of the file, by those that were changed.</summary>
        public Dictionary<Object, Object> Save(ChangeReport report)
        {
            report.Files.Rewriting(Path);
            PrefabUtility.SaveAsPrefabAsset(Root, Path, out var isSaved);
            if (!isSaved)
            {
                throw Refuse.Failed("exception",
                    "Unity did not save " + Path + ". The console says why (read_console).");
            }
            report.Files.Done(Path);
            return Pairs(Root, _asset);
        }

        /// <summary>At the end of a command. A batch closes the file itself.</summary>
        public void Dispose()
        {
            if (_call.Batch == null)
            {
                Close();
            }
        }

        public void Close()
        {
            _call.File = null;
            PrefabUtility.UnloadPrefabContents(Root);
        }

        // Contents that were just loaded or saved are like their file.
        private static Dictionary<Object, Object> Pairs(GameObject from, GameObject to)
        {
            var pairs = new Dictionary<Object, Object>();
            AddPairs(from, to, pairs);
            return pairs;
        }

        private static void AddPairs(GameObject from, GameObject to, Dictionary<Object, Object> pairs)
        {
            pairs[from] = to;
            var components = from.GetComponents(typeof(Component));
            var others = to.GetComponents(typeof(Component));
            for (var place = 0; place < components.Length && place < others.Length; place++)
            {
                if (components[place] != null)
                {
                    pairs[components[place]] = others[place];
                }
            }
            for (var place = 0; place < from.transform.childCount && place < to.transform.childCount; place++)
            {
                AddPairs(from.transform.GetChild(place).gameObject, to.transform.GetChild(place).gameObject, pairs);
            }
        }
    }
}
