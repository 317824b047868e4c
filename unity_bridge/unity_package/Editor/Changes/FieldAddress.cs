using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Finds the component and the serialized field that a key such as <c>Light.intensity</c> names. <c>inspect</c>
    /// prints the serialized name, <c>m_Intensity</c>; the name that code and the Inspector use is taken too. Main
    /// thread.
    /// </summary>
    internal static class FieldAddress
    {
        // What inspect prints of an object itself, by the names of Unity's fields.
        private static readonly Dictionary<string, string> OfObject = NameTable.Read(
            "m_Name: name", "m_IsActive: active active_self activeSelf", "m_TagString: tag", "m_Layer: layer",
            "m_StaticEditorFlags: static isStatic");

        /// <summary>The part that a key is about, and in <paramref name="field"/> what follows its name.</summary>
        public static ObjectPart PartOf(List<ObjectPart> parts, string key, out string field)
        {
            field = key;
            if (parts.Count == 1 && !(parts[0].Target is Component))
            {
                // An asset has no components, and the type may be left out.
                var after = parts[0].FieldIn(key);
                field = string.IsNullOrEmpty(after) ? key : after;
                return parts[0];
            }
            if (OfObject.ContainsKey(key) && parts.Find(part => part.Target is GameObject) is { } owner)
            {
                return owner;
            }
            var component = ComponentIn(parts, key, out field) ?? OnlyPartWith(parts, key)
                ?? throw ChangeTarget.Refused("No component fits '" + Quoted.Text(key) + "'. " + AdviceOn(parts, key)
                + "A key is Component.field; the components are "
                    + Quoted.Text(string.Join(", ", parts.Select(part => part.Name))) + ".");
            if (component.Target == null)
            {
                throw ChangeTarget.Refused("The script of this component of "
                    + ChangeTarget.PathOf(parts.Find(part => part.Target != null).Target)
                    + " is missing: its fields cannot be read or set.");
            }
            return component;
        }

        /// <summary>The component that a key is the name of, without a field; null for none. Where a field has that
        /// name too, it is refused.</summary>
        public static ObjectPart ComponentNamed(List<ObjectPart> parts, string key)
        {
            var part = key.IndexOf('.') >= 0 ? null : ComponentIn(parts, key + ".x", out _);
            if (part == null || !(parts[0].Target is Component))
            {
                return null;
            }
            var isExact = part.FieldIn(key) == "";
            var withField = parts.FindAll(other => HasField(other, key, byRule: false));
            if (withField.Count > 0 && isExact)
            {
                throw ChangeTarget.Refused(Quoted.Text(key) + " is a component, and a field of "
                    + string.Join(", ", withField.Select(other => other.Name))
                    + ". Write " + part.Name + ".field, or " + withField[0].Name + "." + Quoted.Text(key) + ".");
            }
            return withField.Count > 0 ? null : part;
        }

        // By its name, with or without namespace; by a base class, as in Renderer.sharedMaterial; in another case, as
        // in transform.position.
        private static ObjectPart ComponentIn(List<ObjectPart> parts, string key, out string field)
        {
            field = key;
            var dot = key.IndexOf('.');
            var ways = new Func<ObjectPart, string>[]
            {
                part => key.Begins(part.Name + ".") ? part.FieldIn(key) : null,
                part => part.FieldIn(key),
                part => dot > 0 && IsOf(part, key.Substring(0, dot)) ? key.Substring(dot + 1) : null,
                part => dot > 0 && IsSpelt(part, key.Substring(0, dot)) ? key.Substring(dot + 1) : null,
            };
            foreach (var way in ways)
            {
                var named = parts.Where(part => way(part) is { Length: > 0 }).ToList();
                if (named.Count > 1)
                {
                    throw ChangeTarget.Refused(Quoted.Text(key) + " can mean several components: "
                        + string.Join(", ", named.Select(part => part.Name)) + ".");
                }
                if (named.Count == 1)
                {
                    field = way(named[0]);
                    return named[0];
                }
            }
            return null;
        }

        private static bool IsOf(ObjectPart part, string name) => part.Target != null
            && TypeNames.WithBases(part.Target.GetType()).Skip(1).TakeWhile(type => type != typeof(Component))
                .Any(type => type.Name == name);

        private static bool IsSpelt(ObjectPart part, string name) =>
            part.Target != null && string.Equals(part.Target.GetType().Name, name, StringComparison.OrdinalIgnoreCase);

        // A field without its component is that of the only component that has it.
        private static ObjectPart OnlyPartWith(List<ObjectPart> parts, string key)
        {
            var owners = parts.FindAll(part => HasField(part, key, byRule: true));
            if (owners.Count > 1)
            {
                throw ChangeTarget.Refused(Quoted.Text(key) + " is a field of several components. Write one of "
                    + string.Join(", ", owners.Select(part => part.Name + "." + Quoted.Text(key))) + ".");
            }
            return owners.FirstOrDefault();
        }

        private static bool HasField(ObjectPart part, string key, bool byRule)
        {
            if (part.Target == null || part.Target is Material)
            {
                return false;
            }
            if (TransformPlace.Has(part, key))
            {
                return true;
            }
            using var serialized = new SerializedObject(part.Target);
            return byRule ? Serialized(part.Target, key) != null
                : serialized.FindProperty(ObjectPart.ToUnity(key)) != null;
        }

        // A colour is no field of an object: its material has it.
        private static string AdviceOn(List<ObjectPart> parts, string key)
        {
            var renderer = parts.Find(part => part.Target is Renderer);
            var isOfMaterial = MaterialNames.SameAs(key).Length > 0;
            return renderer == null || !isOfMaterial ? ""
                : "Its material has it: make one with create_asset path=Assets/NAME.mat values={\"" + key
                + "\": ...}, and set Renderer.sharedMaterial to its path. ";
        }

        /// <summary>The field, by the name that <c>inspect</c> prints or by the one that code uses.</summary>
        public static SerializedProperty Find(SerializedObject serialized, string part, string field)
        {
            if (serialized.targetObject is GameObject && OfObject.TryGetValue(field, out var ofObject))
            {
                field = ofObject;
            }
            FillFirst(serialized, field);
            return Lookup(serialized, field, out var above, out var missing)
                ?? throw ChangeTarget.Refused(Missing(serialized, above, part, missing));
        }

        // The setter of Renderer.sharedMaterial makes room in an empty list. The copy of the object is nobody else's.
        private static void FillFirst(SerializedObject serialized, string field)
        {
            var row = PropertyNames.FieldOf(serialized.targetObject.GetType(), field);
            if (row == null || !row.Ends("[0]"))
            {
                return;
            }
            using var list = serialized.FindProperty(row.Substring(0, row.Length - "[0]".Length));
            if (list is { isArray: true, arraySize: 0 })
            {
                list.arraySize = 1;
            }
        }

        /// <summary>The path of a field, by the name that <c>inspect</c> prints or by the one that code uses; null if
        /// there is none.</summary>
        public static string Serialized(Object target, string field)
        {
            using var serialized = new SerializedObject(target);
            return Lookup(serialized, field, out _, out _)?.propertyPath;
        }

        /// <summary>As <see cref="Find"/>; null for one that is not there.</summary>
        public static SerializedProperty Lookup(
            SerializedObject serialized, string field, out SerializedProperty above, out string missing)
        {
            field = PropertyNames.Replaced(serialized.targetObject.GetType(), field);
            above = null;
            SerializedProperty found = null;
            // A list is written as code does, or as Unity's own paths do: list[0] or list.Array.data[0], list.size or
            // list.Array.size.
            foreach (var segment in field.Replace(".Array.data[", "[").Replace(".Array.size", ".size").Split('.'))
            {
                above = found;
                missing = segment;
                found = Below(serialized, found?.propertyPath ?? "", segment);
                if (found == null)
                {
                    return null;
                }
            }
            missing = null;
            return found;
        }

        /// <summary>Whether the Inspector shows no such field. <paramref name="field"/> is one of an object that has
        /// it.</summary>
        public static bool IsHidden(SerializedObject serialized, SerializedProperty field)
        {
            // The Inspector draws the check box of a component, and the head of an object, by itself.
            if (field.propertyPath == "m_Enabled" || serialized.targetObject is GameObject)
            {
                return false;
            }
            // The elements of a list are as visible as the list.
            var path = field.propertyPath;
            var list = path.IndexOf(".Array.", StringComparison.Ordinal);
            path = list < 0 ? path : path.Substring(0, list);
            using var shown = serialized.GetIterator();
            for (var more = shown.NextVisible(true); more;)
            {
                var isAbove = path.Begins(shown.propertyPath + ".");
                // The numbers of a vector or a color are drawn with it, and NextVisible does not stop at them.
                if (shown.propertyPath == path
                    || (isAbove && shown.propertyType is not (
                        SerializedPropertyType.Generic or SerializedPropertyType.ManagedReference)))
                {
                    return false;
                }
                more = shown.NextVisible(isAbove);
            }
            return true;
        }

        private static SerializedProperty Below(SerializedObject serialized, string path, string segment)
        {
            var open = segment.IndexOf('[');
            var name = open < 0 ? segment : segment.Substring(0, open);
            var rest = open < 0 ? "" : ObjectPart.ToUnity(segment.Substring(open));
            var pascal = name.Length == 0 ? name : char.ToUpperInvariant(name[0]) + name.Substring(1);
            // As code names it, as Unity's own components name it, and the field behind an automatic property.
            var own = path.Length == 0 ? PropertyNames.FieldOf(serialized.targetObject.GetType(), name) : null;
            var names = new[] { own, name, "m_" + pascal, "m_" + name, pascal, PropertyNames.Spaced(name),
                "<" + name + ">k__BackingField", "<" + pascal + ">k__BackingField" };
            var above = path.Length == 0 ? "" : path + ".";
            return names.Where(candidate => !string.IsNullOrEmpty(candidate))
                .Select(candidate => serialized.FindProperty(above + ObjectPart.ToUnity(candidate) + rest))
                .FirstOrDefault(property => property != null);
        }

        /// <summary>Why <see cref="Lookup"/> found nothing, with the nearest names.</summary>
        public static string Missing(SerializedObject serialized, SerializedProperty above, string part, string segment)
        {
            var open = segment.IndexOf('[');
            var path = above == null ? "" : above.propertyPath;
            if (open > 0 && Below(serialized, path, segment.Substring(0, open)) is { isArray: true } list
                && list.propertyType == SerializedPropertyType.Generic)
            {
                return part + "." + ObjectPart.FromUnity(list.propertyPath) + " has " + list.arraySize + " elements; "
                    + Quoted.Text(segment.Substring(open))
                    + " is not one of them. Set the whole list to change its length.";
            }
            if (above == null && UnserializedField.Find(serialized.targetObject, segment) != null)
            {
                return part + "." + segment + " is not serialized, so it can be read in play mode and not set.";
            }
            using var all = above == null ? serialized.GetIterator() : above.Copy();
            var nearest = ObjectPart.Children(all).Select(child => child.name)
                .Concat(serialized.targetObject is Material material
                    ? StagedMaterial.Shown(material).Select(row => row.Text("field"))
                    : Enumerable.Empty<string>())
                .ToList();
            if (above == null && serialized.targetObject is Transform && segment == "lossyScale")
            {
                return part + ".lossyScale is no field. Set " + part + ".localScale.";
            }
            if (above?.propertyType == SerializedPropertyType.ObjectReference && above.objectReferenceValue != null)
            {
                var asset = Quoted.Text(ChangeTarget.PathOf(above.objectReferenceValue));
                return part + "." + ObjectPart.FromUnity(path) + " refers to " + asset + ". Set " + Quoted.Text(segment)
                    + " there: path: " + asset
                    + ", values: {\"" + Quoted.Text(segment) + "\": ...}.";
            }
            return part + (path.Length == 0 ? "" : "." + ObjectPart.FromUnity(path)) + " has no field '"
                + Quoted.Text(segment) + "'. "
                + (nearest.Count == 0 ? "It has no fields."
                    : "The nearest are " + Spelling.Nearest(segment, nearest) + ".")
                + (above == null && serialized.targetObject.GetType().GetProperty(segment)?.CanWrite == true
                    ? " " + OnlyCSharp.Can : "");
        }
    }
}
