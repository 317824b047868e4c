using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>In what an instance differs from its prefab, as Unity's window <i>Overrides</i> lists it. Main
    /// thread.</summary>
    internal static class PrefabOverrides
    {
        // From 2022.2 on.
        private static readonly MethodInfo RemovedObjects =
            Members.Method(typeof(PrefabUtility), "GetRemovedGameObjects", typeof(GameObject));

        /// <summary>At most so many of <c>{path, field | added | removed}</c>.</summary>
        public static List<object> RowsOf(GameObject root, int most) =>
            All(root).Take(most).Select(entry => (object)entry.Row).ToList();

        /// <summary>Carries a change out that takes all overrides away, and reports each with what it was and is. False
        /// if there are none.</summary>
        public static bool Rows(GameObject root, bool intoPrefab, ChangeReport report, Action change)
        {
            var all = All(root).ToList();
            var before = all.ConvertAll(entry => entry.Value(intoPrefab));
            if (all.Count == 0)
            {
                return false;
            }
            var after = all.ConvertAll(entry => entry.Value(!intoPrefab));
            change();
            for (var i = 0; i < all.Count; i++)
            {
                if (all[i].Field != null)
                {
                    all[i].Row["before"] = before[i];
                    all[i].Row["after"] = after[i];
                }
                report.Add(all[i].Row);
            }
            if (intoPrefab && all.Exists(entry => entry.Field == null))
            {
                // Unity records what was there; objects that are new in the prefab stay
                // (PrefabUtility.ApplyPrefabInstance).
                report.HasNoUndo(
                    "Undo may not take objects and components back that were added to the prefab, or removed from it.");
            }
            return true;
        }

        private static IEnumerable<Override> All(GameObject root)
        {
            foreach (var target in PrefabUtility.GetObjectOverrides(root, false).Select(entry => entry.instanceObject)
                .Where(target => target != null))
            {
                foreach (var field in FieldsOf(target))
                {
                    yield return new Override(target, "field", field);
                }
            }
            foreach (var added in PrefabUtility.GetAddedComponents(root))
            {
                yield return new Override(added.instanceComponent, "added", TypeNames.NameOf(added.instanceComponent));
            }
            foreach (var added in PrefabUtility.GetAddedGameObjects(root))
            {
                yield return new Override(added.instanceGameObject, "added", "GameObject");
            }
            foreach (var removed in PrefabUtility.GetRemovedComponents(root))
            {
                yield return new Override(
                    removed.containingInstanceGameObject, "removed", TypeNames.NameOf(removed.assetComponent));
            }
            foreach (var removed in (IEnumerable)RemovedObjects?.Invoke(null, new object[] { root }) ?? new object[0])
            {
                yield return new Override(
                    (Object)Members.Get(removed, "parentOfRemovedGameObjectInInstance"), "removed",
                    ((Object)Members.Get(removed, "assetGameObject")).name);
            }
        }

        private static List<string> FieldsOf(Object target)
        {
            var fields = new List<string>();
            using var serialized = new SerializedObject(target);
            using var field = serialized.GetIterator();
            for (var more = field.NextVisible(true); more;)
            {
                // Of a structure its parts, of anything else the whole.
                var isWhole = field.propertyType is not (
                    SerializedPropertyType.Generic or SerializedPropertyType.ManagedReference) || field.isArray;
                if (isWhole && field.prefabOverride && !field.isDefaultOverride)
                {
                    fields.Add(field.propertyPath);
                }
                more = field.NextVisible(!isWhole);
            }
            return fields;
        }

        private sealed class Override
        {
            private readonly Object _target;

            public Override(Object target, string kind, string what)
            {
                _target = target;
                Field = kind == "field" ? what : null;
                var part = TypeNames.NameOf(target) + ".";
                Row = new JsonObject { { "path", ChangeTarget.PathOf(target) },
                    { kind, Field == null ? what : part + ObjectPart.FromUnity(what) } };
            }

            /// <summary>Null for an object or component.</summary>
            public string Field { get; }

            public JsonObject Row { get; }

            /// <summary>Of the field, in the instance or in its prefab.</summary>
            public object Value(bool ofPrefab)
            {
                var target = ofPrefab ? PrefabUtility.GetCorrespondingObjectFromSource(_target) : _target;
                if (Field == null || target == null)
                {
                    return null;
                }
                using var serialized = new SerializedObject(target);
                using var field = serialized.FindProperty(Field);
                return field == null ? null : FieldValue.ToJson(field, ChangeReport.Depth);
            }
        }
    }
}
