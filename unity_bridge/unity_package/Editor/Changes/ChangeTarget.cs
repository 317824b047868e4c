using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Finds what a changing command is about, and refuses what cannot be changed. Each method throws <see cref="CommandRefused"/>.
    /// Main thread.</summary>
    internal static class ChangeTarget
    {
        public const string Unchanged = " Nothing was changed.";

        /// <summary>The refusal of a call whose arguments are of the right types and still cannot be carried out.</summary>
        public static CommandRefused Refused(string why) => Refuse.Argument(why + Unchanged);

        /// <summary>The object, component or asset at a path or with a GlobalObjectId.</summary>
        /// <param name="remark">Which other objects the path may mean; null for none.</param>
        public static Object Find(string path, out string remark)
        {
            var finder = Look(path);
            remark = finder.SameNames.Count == 0 ? null : Quoted.Of(path) + " can mean several objects: the first was changed, and not "
                + string.Join(", ", finder.SameNames) + ".";
            return finder.Target != null ? PrefabFile.Opened(finder.Target)
                : throw Refused(Quoted.Of(path) + ": " + (finder.Fault ?? "this is a scene. Name an object, as in Main/Player."));
        }

        /// <summary>An object of an open scene, or of the prefab's file that is being changed.</summary>
        public static GameObject FindObject(string path, out string remark)
        {
            var target = Find(path, out remark);
            if (!(target is GameObject owner))
            {
                throw Refused(PathOf(target) + " is a " + TypeNames.Of(target) + ", not an object of a scene or a prefab.");
            }
            RequireReachable(owner);
            return owner;
        }

        /// <summary>Where new objects go: below an object of that scene, or at its root, where the object is null.</summary>
        /// <remarks>An open prefab has one root, so an object that would become its sibling becomes its child, as in Unity's own
        /// PrefabStage.PlaceGameObject (StageUtility.PlaceGameObjectInCurrentStage, 2021.3 to 6000.7).</remarks>
        public static GameObject FindParent(string path, out Scene scene)
        {
            if (string.IsNullOrEmpty(path))
            {
                path = "/";
            }
            var finder = Look(path);
            if (finder.Fault != null)
            {
                throw Refused("The parent " + Quoted.Of(path) + ": " + finder.Fault);
            }
            var target = PrefabFile.Opened(finder.Target);
            if (target == null)
            {
                var open = OpenScenes.All().Find(one => one.Path == finder.Path);
                if (PrefabFile.Current != null || open == null || !open.Scene.isLoaded || open.Kind == "dont_destroy_on_load")
                {
                    throw Refused(Quoted.Of(path) + " takes no new objects at its root. Name a loaded scene, or an object.");
                }
                scene = open.Scene;
                var root = open.Kind == "prefab" ? PrefabStageUtility.GetCurrentPrefabStage().prefabContentsRoot : null;
                if (root != null)
                {
                    RequireWritable(root);
                }
                return root;
            }
            if (!(target is GameObject parent))
            {
                throw Refused("The parent " + Quoted.Of(path) + " is a " + TypeNames.Of(target) + ", which has no objects below it.");
            }
            RequireReachable(parent);
            scene = parent.scene;
            return parent;
        }

        /// <summary>Refuses objects and components that Unity's Inspector shows as read-only (Editor.IsEnabled, 2021.3 to 6000.7).</summary>
        public static void RequireWritable(Object target)
        {
            var owner = target is Component component ? component.gameObject : target;
            if (((target.hideFlags | owner.hideFlags) & HideFlags.NotEditable) != 0)
            {
                throw Refused(NameOf(target) + " is read-only (HideFlags.NotEditable).");
            }
            Refuse.For(PrefabMode.AutoSavedWith(target) is { } autoSaved ? PrefabMode.WhyNotSavable(autoSaved) : null);
            if (!EditorUtility.IsPersistent(target))
            {
                return;
            }
            var file = AssetDatabase.GetAssetPath(target);
            var isImported = owner is GameObject ? PrefabUtility.IsPartOfImmutablePrefab(target) : AssetDatabase.IsForeignAsset(target);
            if (isImported)
            {
                throw Refused(file + " is read-only: an importer makes it, and its next import would undo the change.");
            }
            if (!AssetDatabase.IsOpenForEdit(target))
            {
                throw Refused(file + " is read-only: its package cannot be changed, or version control has not checked it out.");
            }
        }

        /// <summary>The path that <c>inspect</c> prints, or a name if there is none.</summary>
        public static string PathOf(Object target)
        {
            var owner = target is Component component ? component.gameObject : target as GameObject;
            var path = owner != null ? ObjectPath.Of(owner.transform) : AssetDatabase.GetAssetPath(target);
            return string.IsNullOrEmpty(path) ? target.name : path;
        }

        /// <summary>An object's path; a component's type and the path of its object.</summary>
        public static string NameOf(Object target) =>
            target is Component ? TypeNames.Of(target) + " of " + PathOf(target) : PathOf(target);

        /// <summary>The object, and then each of its components with the name that <c>inspect</c> gives it. An asset has one part.</summary>
        public static List<ObjectPart> PartsOf(Object target)
        {
            if (target is GameObject owner)
            {
                return ObjectPart.Of(owner).Concat(new[] { new ObjectPart(owner, "GameObject", "GameObject", 0) }).ToList();
            }
            if (target is Component component)
            {
                return ObjectPart.Of(component.gameObject).Where(part => part.Target == target).ToList();
            }
            return ObjectPart.Of(target);
        }

        // One call changes the scenes or one prefab's file, and not two of them.
        private static void RequireReachable(GameObject owner)
        {
            RequireWritable(owner);
            if (EditorUtility.IsPersistent(owner) || (PrefabFile.Current != null && !PrefabFile.Holds(owner)))
            {
                throw Refused(PathOf(owner) + " is not in " + (PrefabFile.Current?.Path ?? "a scene") + ", and a call changes the scenes, or one prefab's file.");
            }
        }

        private static ObjectFinder Look(string path)
        {
            if (string.IsNullOrEmpty(path))
            {
                throw Refused("path names an object, as in Main/Player, Assets/Data.asset or a GlobalObjectId.");
            }
            return ObjectFinder.Look(path);
        }
    }
}
