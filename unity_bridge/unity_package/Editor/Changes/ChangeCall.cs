using System;
using System.Collections.Generic;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Framework;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>One call of a command that changes something: it finds what its paths name, and opens the prefab's file
    /// that they lead into. What cannot be changed is refused: <see cref="CommandRefused"/>. Main thread.</summary>
    internal sealed class ChangeCall : CommandCall
    {
        private static readonly ObjectEdits InScenes = new SceneEdits();

        private PrefabFile _file;

        public ChangeCall(List<string> remarks) : base(remarks)
        {
        }

        /// <summary>The prefab's file that is being changed; null for none.</summary>
        public PrefabFile File
        {
            get => _file;
            set
            {
                _file = value;
                Edits = value == null ? InScenes : new FileEdits(value);
            }
        }

        /// <summary>How objects are changed: in scenes, or in the prefab's file.</summary>
        public ObjectEdits Edits { get; private set; } = InScenes;

        /// <summary>An object of an open scene or of the open prefab was changed.</summary>
        public bool HasChangedScene { get; set; }

        /// <summary>The batch whose steps report into one answer; null outside one.</summary>
        public ChangeReport Batch { get; set; }

        public override GameObject ContentsOf(string file) => File?.Path == file ? File.Root : null;

        /// <summary>The object, component or asset at a path or with a GlobalObjectId.</summary>
        /// <param name="remark">Which other objects the path may mean; null for none.</param>
        public Object Find(string path, out string remark, PathUse use = PathUse.Change)
        {
            return Opened(Found(path, use, out remark));
        }

        /// <summary>An object of an open scene, or of the prefab's file that is being changed.</summary>
        public GameObject FindObject(string path, out string remark, PathUse use = PathUse.Change) =>
            RequireObject(Find(path, out remark, use));

        /// <summary>Where new objects go: below an object of that scene, or at its root, where the object is
        /// null.</summary>
        /// <remarks>An open prefab has one root, so an object that would become its sibling becomes its child, as in
        /// Unity's own PrefabStage.PlaceGameObject (StageUtility.PlaceGameObjectInCurrentStage, 2021.3 to
        /// 6000.7).</remarks>
        public GameObject FindParent(string path, out Scene scene)
        {
            if (string.IsNullOrEmpty(path))
            {
                path = "/";
            }
            var finder = Look(path, PathUse.Change);
            if (finder.Fault != null)
            {
                throw NotFound("The parent ", path, OnlyCSharp.Explain(finder));
            }
            var target = Opened(finder.Target);
            if (target == null)
            {
                var open = OpenScenes.All().Find(scene => scene.Path == finder.Path);
                if (File != null || open == null || !open.Scene.isLoaded || open.Kind == "dont_destroy_on_load")
                {
                    throw ChangeTarget.Refused(
                        Quoted.Text(path) + " takes no new objects at its root. Name a loaded scene, or an object.");
                }
                scene = open.Scene;
                var root = open.Kind == "prefab" ? PrefabStageUtility.GetCurrentPrefabStage().prefabContentsRoot : null;
                if (root != null)
                {
                    ChangeTarget.RequireWritable(root);
                }
                return root;
            }
            if (!(target is GameObject parent))
            {
                throw ChangeTarget.Refused(
                    "The parent " + Quoted.Text(path) + " is a " + TypeNames.NameOf(target)
                    + ", which has no objects below it.");
            }
            RequireReachable(parent);
            scene = parent.scene;
            return parent;
        }

        /// <summary>As <see cref="Find"/>, after loading the prefab's file that the path leads into. The caller
        /// disposes the file.</summary>
        /// <returns>The file; null for a path that leads into none.</returns>
        public PrefabFile Open(string path, out Object target, out string remark, PathUse use = PathUse.Change)
        {
            target = Found(path, use, out remark);
            var file = OpenFile(target);
            target = Opened(target);
            return file;
        }

        /// <summary>As <see cref="FindObject"/>, after loading the prefab's file that the path leads into. The caller
        /// disposes the file.</summary>
        /// <returns>The file; null for a path that leads into none.</returns>
        public PrefabFile OpenObject(string path, out GameObject owner, out string remark, PathUse use = PathUse.Change)
        {
            var file = Open(path, out var target, out remark, use);
            try
            {
                owner = RequireObject(target);
                return file;
            }
            catch (Exception)
            {
                file?.Dispose();
                throw;
            }
        }

        /// <summary>Loads the prefab's file that a path leads into; null for any other path.</summary>
        public PrefabFile OpenFile(string path, PathUse use = PathUse.Change) =>
            string.IsNullOrEmpty(path) ? null : OpenFile(ObjectFinder.Look(this, path, use).Target);

        // The open prefab's path leads to the open one, and a model or another file is no prefab.
        private PrefabFile OpenFile(Object target)
        {
            var owner = ObjectPart.OwnerOf(target);
            return owner != null && EditorUtility.IsPersistent(owner) ? PrefabFile.Load(this, owner) : null;
        }

        /// <summary>What is changed in the place of an object or component of the prefab's file; anything else
        /// itself.</summary>
        public Object Opened(Object target) => File == null || target == null ? target : File.Opened(target);

        public bool Holds(Object target) => File != null && File.Holds(target);

        private Object Found(string path, PathUse use, out string remark)
        {
            var finder = Look(path, use);
            remark = null;
            if (finder.SameNames.Count > 0 && use == PathUse.Whole)
            {
                throw ChangeTarget.Refused(
                    "Give the number of the object: " + Quoted.Text(path) + " can mean " + finder.Path
                    + "[0], " + string.Join(", ", finder.SameNames) + ".");
            }
            if (finder.SameNames.Count > 0)
            {
                remark = Quoted.Text(path) + " can mean several objects: the first was changed, and not "
                    + string.Join(", ", finder.SameNames) + ".";
            }
            if (finder.Fault != null)
            {
                throw NotFound("", path, OnlyCSharp.Explain(finder));
            }
            return finder.Target != null ? finder.Target
                : throw ChangeTarget.Refused(
                    Quoted.Text(path) + ": this is a scene. Name an object, as in Main/Player.");
        }

        private static CommandRefused NotFound(string before, string path, string fault)
        {
            var refused = ChangeTarget.Refused(before + Quoted.Text(path) + ": " + fault);
            refused.Missing = (path, fault);
            return refused;
        }

        private GameObject RequireObject(Object target)
        {
            if (!(target is GameObject owner))
            {
                throw ChangeTarget.Refused(
                    ChangeTarget.PathOf(target) + " is a " + TypeNames.NameOf(target)
                    + ", not an object of a scene or a prefab.");
            }
            RequireReachable(owner);
            return owner;
        }

        // One call changes the scenes or one prefab's file, and not two of them.
        private void RequireReachable(GameObject owner)
        {
            ChangeTarget.RequireWritable(owner);
            if (EditorUtility.IsPersistent(owner) || (File != null && !Holds(owner)))
            {
                throw ChangeTarget.Refused(
                    ChangeTarget.PathOf(owner) + " is not in " + (File?.Path ?? "a scene")
                    + ", and a call changes the scenes, or one prefab's file.");
            }
        }

        private ObjectFinder Look(string path, PathUse use)
        {
            if (string.IsNullOrEmpty(path))
            {
                throw ChangeTarget.Refused(
                    "path names an object, as in Main/Player, Assets/Data.asset or a GlobalObjectId.");
            }
            return ObjectFinder.Look(this, path, use);
        }
    }
}
