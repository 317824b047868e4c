using System;
using System.Collections.Generic;
using System.Text.RegularExpressions;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>A component of an object, or the asset itself.</summary>
    internal sealed class ObjectPart
    {
        private static readonly Lazy<Regex> Index = new Lazy<Regex>(() => new Regex(@"(?<!\.data)\[(\d+)\]"));

        private readonly string _shortName;

        private ObjectPart(Object target, string name, string shortName, int index)
        {
            Target = target;
            var suffix = index == 0 ? "" : "[" + index + "]";
            Name = name + suffix;
            _shortName = shortName + suffix;
        }

        /// <summary>The object that a component is on, or the object itself; null for anything else.</summary>
        public static GameObject OwnerOf(Object target) =>
            target is Component component ? component.gameObject : target as GameObject;

        /// <summary>An object itself, or an asset.</summary>
        public static ObjectPart OfObject(Object target) =>
            new ObjectPart(target, TypeNames.NameOf(target), target.GetType().Name, 0);

        /// <summary>The components of an object; an asset is one part.</summary>
        public static List<ObjectPart> PartsOf(Object target)
        {
            var parts = new List<ObjectPart>();
            if (!(target is GameObject owner))
            {
                parts.Add(OfObject(target));
                return parts;
            }
            var names = new EqualNames();
            foreach (var component in owner.GetComponents(typeof(Component)))
            {
                var name = TypeNames.NameOf(component);
                parts.Add(new ObjectPart(
                    component, name, component == null ? name : component.GetType().Name, names.Next(name)));
            }
            return parts;
        }

        /// <summary>Null where the script is missing, or once it was destroyed.</summary>
        public Object Target { get; }

        /// <summary>The name of its type, with its number where it has several of them.</summary>
        public string Name { get; }

        public bool IsComponent => Target == null || Target is Component;

        /// <summary>What follows this component's name in a query, "" for nothing; null for another
        /// component.</summary>
        public string FieldIn(string query) => After(Name, query) ?? After(_shortName, query);

        /// <summary>Its fields, one after the other: the same property, moved on.</summary>
        public IEnumerable<SerializedProperty> Fields()
        {
            if (Target == null)
            {
                yield break;
            }
            using var serialized = new SerializedObject(Target);
            using var field = serialized.GetIterator();
            for (var more = field.NextVisible(true); more; more = field.NextVisible(false))
            {
                yield return field;
                if (Target == null)
                {
                    yield break;
                }
            }
        }

        /// <summary>What a field consists of: the same property, moved on.</summary>
        public static IEnumerable<SerializedProperty> Children(SerializedProperty field)
        {
            using var child = field.Copy();
            for (var enter = true; field.serializedObject.targetObject != null && child.NextVisible(enter)
                && child.depth > field.depth; enter = false)
            {
                yield return child;
            }
        }

        public JsonObject Describe()
        {
            var item = new JsonObject { { "component", Name } };
            if (Target == null)
            {
                item["missing"] = true;
                return item;
            }
            using var serialized = new SerializedObject(Target);
            using var enabled = serialized.FindProperty("m_Enabled");
            if (enabled != null && enabled.propertyType == SerializedPropertyType.Boolean)
            {
                item["enabled"] = enabled.boolValue;
            }
            return item;
        }

        /// <summary>"points[3].x" is "points.Array.data[3].x" in Unity.</summary>
        public static string ToUnity(string field) => Index.Value.Replace(field, ".Array.data[$1]");

        public static string FromUnity(string propertyPath) => propertyPath.Replace(".Array.data[", "[");

        private static string After(string name, string query) => query == name ? ""
            : query.Begins(name + ".") ? query.Substring(name.Length + 1) : null;
    }

    /// <summary>Ids that mean the same after a restart of the editor; an object that was never saved has
    /// none.</summary>
    internal static class GlobalIds
    {
        public static void AddTo(JsonObject item, Object target)
        {
            var id = GlobalObjectId.GetGlobalObjectIdSlow(target);
            if (id.identifierType != 0)
            {
                item["id"] = id.ToString();
            }
        }
    }
}
