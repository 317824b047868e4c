using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Writes references to Unity's objects: null, a path or GlobalObjectId, or <c>{type, name, path | id}</c> as
    /// <see cref="FieldValue"/> prints it. What may be assigned is what the Inspector allows
    /// (EditorGUI.ValidateObjectFieldAssignment and CheckForCrossSceneReferencing, 2021.3 to 6000.7).
    /// </summary>
    internal static class ReferenceWriter
    {
        public static bool Write(ChangeCall call, SerializedProperty property, object value)
        {
            var now = property.objectReferenceValue;
            var isMissing = FieldValue.IsMissing(property);
            if (SameJson.Are(FieldValue.Reference(property), value))
            {
                return false;
            }
            var wanted = value == null
                ? null
                : Resolve(call, value, FieldValue.TypeOf(property), property.serializedObject.targetObject);
            if (!isMissing && (ReferenceEquals(now, wanted) || (wanted != null && now == wanted)))
            {
                return false;
            }
            property.objectReferenceValue = wanted;
            if (wanted != null && property.objectReferenceValue != wanted)
            {
                throw FieldFault.MustBe("a reference to a " + FieldValue.TypeOf(property), value);
            }
            return true;
        }

        /// <summary>The object that <paramref name="value"/> names, of the type of the field.</summary>
        public static Object Resolve(ChangeCall call, object value, string type, Object owner)
        {
            var given = value as JsonObject;
            // An object by its name alone, as other bridges write it.
            var path = value as string ?? given?.Text("id") ?? given?.Text("path") ?? given?.Text("find")
                ?? (given?.Text("type") == null ? given?.Text("name") : null);
            if (path == null || given?.Keys.Any(name =>
                !(name is "type" or "component" or "name" or "path" or "id" or "find")) == true)
            {
                throw FieldFault.MustBe("null, a path or id, or an object with path or id, of a " + type, value);
            }
            var finder = ObjectFinder.Look(call, path);
            // A file means itself, also while it is open, unless the reference is in it.
            var file = given?.Text("id") == null && SceneObjectOf(owner)?.scene.path != path
                ? AssetDatabase.LoadMainAssetAtPath(path)
                : null;
            var found = file ?? call.Opened(finder.Target) ??
                (finder.Fault != null && IsFile(path)
                    ? AssetDatabase.LoadAllAssetsAtPath(path).FirstOrDefault(part => part != null)
                    : null);
            if (found == null)
            {
                throw new FieldFault(": "
                    + (finder.Fault ?? Quoted.Text(path) + " is a scene, which nothing refers to."));
            }
            var wanted = Choose(found, given, type)
                ?? throw new FieldFault(" must refer to a " + type + "; " + Quoted.Text(path) + " is a "
                + TypeNames.NameOf(found) + (
                    found is GameObject holder
                    ? " with " + Quoted.Text(string.Join(", ", ObjectNode.ComponentsOf(holder)))
                    : "") + ".");
            RequireReachable(wanted, owner);
            return wanted;
        }

        // The object itself, one of its components, or a part of its file.
        private static Object Choose(Object found, JsonObject given, string type)
        {
            IEnumerable<ObjectPart> candidates = new[] { ObjectPart.OfObject(found) };
            if (found is GameObject)
            {
                candidates = candidates.Concat(ObjectPart.PartsOf(found));
            }
            else if (given?.Text("id") == null && AssetDatabase.GetAssetPath(found) is { Length: > 0 } file)
            {
                candidates = candidates.Concat(AssetDatabase.LoadAllAssetsAtPath(file)
                    .Where(part => part != null && part != found && !(part is Component))
                    .Select(ObjectPart.OfObject));
            }
            // Of several the first, as the Inspector takes it; type and name say which one is meant.
            var part = given?.Text("type") ?? given?.Text("component");
            return candidates.FirstOrDefault(candidate => Fits(candidate.Target, type)
                && (part == null || part == candidate.Name || candidate.Name.Ends("." + part))
                && (found is GameObject || given?.Text("name") == null
                    || given.Text("name") == candidate.Target.name))?.Target;
        }

        // Unity's fields have the bare name of their type.
        private static bool Fits(Object candidate, string name) =>
            candidate != null && TypeNames.WithBases(candidate.GetType()).Any(type => type.Name == name);

        private static void RequireReachable(Object wanted, Object owner)
        {
            var from = SceneObjectOf(owner);
            var to = SceneObjectOf(wanted);
            if (to == null)
            {
                return;
            }
            if (from == null && EditorUtility.IsPersistent(owner))
            {
                throw new FieldFault(" cannot refer to " + ChangeTarget.PathOf(wanted)
                    + ": an asset cannot refer to an object of a scene.");
            }
            if (from != null && from.scene != to.scene && EditorSceneManager.preventCrossSceneReferences
                && !EditorApplication.isPlaying)
            {
                throw new FieldFault(" cannot refer to " + ChangeTarget.PathOf(wanted)
                    + ": it is in another scene, and Unity saves no references between scenes.");
            }
        }

        private static GameObject SceneObjectOf(Object target)
        {
            var owner = ObjectPart.OwnerOf(target);
            return owner != null && !EditorUtility.IsPersistent(owner) && owner.scene.IsValid() ? owner : null;
        }

        // What no path leads to, such as Unity's built-in resources.
        private static bool IsFile(string path) =>
            path.Begins("Library/")
            || path.Begins("Resources/");
    }
}
