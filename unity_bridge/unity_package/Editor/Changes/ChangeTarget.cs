using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Objects;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Names what a changing command is about, and refuses what cannot be changed.
    /// Main thread.</summary>
    internal static class ChangeTarget
    {
        public const string Unchanged = " Nothing was changed.";

        /// <summary>The refusal of a call whose arguments are of the right types and still cannot be carried
        /// out.</summary>
        public static CommandRefused Refused(string why) => Refuse.Argument(why + Unchanged);

        /// <summary>Refuses objects and components that Unity's Inspector shows as read-only (Editor.IsEnabled, 2021.3
        /// to 6000.7).</summary>
        /// <param name="newName">As <see cref="PrefabMode.WhyNotChangeable"/> takes it.</param>
        public static void RequireWritable(Object target, string newName = null)
        {
            var owner = target is Component component ? component.gameObject : target;
            if (((target.hideFlags | owner.hideFlags) & HideFlags.NotEditable) != 0)
            {
                throw Refused(NameOf(target) + " is read-only (HideFlags.NotEditable).");
            }
            Refuse.For(PrefabMode.WhyNotChangeable(target, newName));
            if (!EditorUtility.IsPersistent(target))
            {
                return;
            }
            var isImported = owner is GameObject
                ? PrefabUtility.IsPartOfImmutablePrefab(target)
                : AssetDatabase.IsForeignAsset(target);
            if (isImported)
            {
                throw Refused(AssetDatabase.GetAssetPath(target)
                    + " is read-only: an importer makes it, and its next import would undo the change.");
            }
            RequireOpenForEdit(target);
        }

        public static void RequireOpenForEdit(Object asset)
        {
            if (!AssetDatabase.IsOpenForEdit(asset))
            {
                throw Refused(AssetDatabase.GetAssetPath(asset)
                    + " is read-only: its package cannot be changed, or version control has not checked it out.");
            }
        }

        /// <summary>The path that <c>inspect</c> prints, or a name if there is none.</summary>
        public static string PathOf(Object target)
        {
            var owner = ObjectPart.OwnerOf(target);
            var path = owner != null ? ObjectPath.PathOf(owner.transform) : AssetDatabase.GetAssetPath(target);
            return target is RenderSettings ? "RenderSettings" : string.IsNullOrEmpty(path) ? target.name : path;
        }

        /// <summary>An object's path; a component's type and the path of its object.</summary>
        public static string NameOf(Object target) =>
            target is Component ? TypeNames.NameOf(target) + " of " + PathOf(target) : PathOf(target);

        /// <summary>The object, and then each of its components with the name that <c>inspect</c> gives it. An asset
        /// has one part.</summary>
        public static List<ObjectPart> PartsOf(Object target)
        {
            if (target is GameObject)
            {
                return ObjectPart.PartsOf(target).Append(ObjectPart.OfObject(target)).ToList();
            }
            return target is Component component
                ? ObjectPart.PartsOf(component.gameObject).FindAll(part => part.Target == target)
                : ObjectPart.PartsOf(target);
        }
    }
}
