using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.Changes
{
    /// <summary>Writes what has a fixed handful of numbers: the counterpart of <see
    /// cref="Tools.VectorValue"/>.</summary>
    internal static class VectorWriter
    {
        private static readonly string[] Two = { "x", "y" };
        private static readonly string[] Three = { "x", "y", "z" };
        private static readonly string[] Four = "x y z w".Split(' ');
        private static readonly string[] Colors = "r g b a".Split(' ');
        private static readonly string[] Area = "x y width height".Split(' ');

        public static bool Knows(SerializedPropertyType type) =>
            type is SerializedPropertyType.Color or SerializedPropertyType.Vector2
            or SerializedPropertyType.Vector3 or SerializedPropertyType.Vector4 or SerializedPropertyType.Quaternion
            or SerializedPropertyType.Rect
            or SerializedPropertyType.Bounds or SerializedPropertyType.Vector2Int or SerializedPropertyType.Vector3Int
            or SerializedPropertyType.RectInt or SerializedPropertyType.BoundsInt;

        /// <summary>Members that are left out stay as they are.</summary>
        public static bool Write(SerializedProperty property, object value)
        {
            bool Set<T>(T now, Func<object, T, T> whole, Action<T> set) =>
                FieldWriter.Changes(now, whole(value, now), set);
            switch (property.propertyType)
            {
                case SerializedPropertyType.Color:
                    return Set(property.colorValue, (color, now) => WholeColor(color, now, IsHdr(property)),
                        set => property.colorValue = set);
                case SerializedPropertyType.Vector2:
                    return Set(property.vector2Value, WholeVector2, set => property.vector2Value = set);
                case SerializedPropertyType.Vector3:
                    return Set(property.vector3Value, WholeVector3, set => property.vector3Value = set);
                case SerializedPropertyType.Vector4:
                    return Set(property.vector4Value, WholeVector4, set => property.vector4Value = set);
                case SerializedPropertyType.Quaternion:
                    return Set(property.quaternionValue, WholeRotation, set => property.quaternionValue = set);
                case SerializedPropertyType.Rect:
                    return Set(property.rectValue, WholeRect, set => property.rectValue = set);
                case SerializedPropertyType.Bounds:
                    return Set(property.boundsValue, WholeBounds, set => property.boundsValue = set);
                case SerializedPropertyType.Vector2Int:
                    return Set(property.vector2IntValue, WholeVector2Int, set => property.vector2IntValue = set);
                case SerializedPropertyType.Vector3Int:
                    return Set(property.vector3IntValue, WholeVector3Int, set => property.vector3IntValue = set);
                case SerializedPropertyType.RectInt:
                    return Set(property.rectIntValue, WholeRectInt, set => property.rectIntValue = set);
                default:
                    return Set(property.boundsIntValue, WholeBoundsInt, set => property.boundsIntValue = set);
            }
        }

        /// <summary>A color; members that are left out are those of <paramref name="now"/>.</summary>
        public static Color WholeColor(object value, Color now, bool isHdr)
        {
            var numbersNow = new[] { now.r, now.g, now.b, now.a };
            var n = Reals(ColorNumbers(value, numbersNow, isHdr), Colors, now.r, now.g, now.b, now.a);
            return new Color { r = n[0], g = n[1], b = n[2], a = n[3] };
        }

        public static Vector2 WholeVector2(object value, Vector2 now)
        {
            var n = Reals(value, Two, now.x, now.y);
            return new Vector2 { x = n[0], y = n[1] };
        }

        public static Vector3 WholeVector3(object value, Vector3 now)
        {
            var n = Reals(value, Three, now.x, now.y, now.z);
            return new Vector3(n[0], n[1], n[2]);
        }

        public static Vector4 WholeVector4(object value, Vector4 now)
        {
            var n = Reals(value, Four, now.x, now.y, now.z, now.w);
            return new Vector4 { x = n[0], y = n[1], z = n[2], w = n[3] };
        }

        /// <summary>A rotation: three numbers are degrees, four a quaternion.</summary>
        public static Quaternion WholeRotation(object value, Quaternion now)
        {
            var n = Reals(Degrees(value, now) ?? value, Four, now.x, now.y, now.z, now.w);
            return new Quaternion { x = n[0], y = n[1], z = n[2], w = n[3] };
        }

        private static Rect WholeRect(object value, Rect now)
        {
            var n = Reals(value, Area, now.x, now.y, now.width, now.height);
            return new Rect { x = n[0], y = n[1], width = n[2], height = n[3] };
        }

        private static Bounds WholeBounds(object value, Bounds now)
        {
            var parts = Named(value, new[] { "center", "extents" });
            now.center = FieldWriter.Member(parts, "center", part => WholeVector3(part, now.center), now.center);
            now.extents = FieldWriter.Member(parts, "extents", part => WholeVector3(part, now.extents), now.extents);
            return now;
        }

        private static Vector2Int WholeVector2Int(object value, Vector2Int now)
        {
            var n = Wholes(value, Two, now.x, now.y);
            return new Vector2Int { x = n[0], y = n[1] };
        }

        private static Vector3Int WholeVector3Int(object value, Vector3Int now)
        {
            var n = Wholes(value, Three, now.x, now.y, now.z);
            return new Vector3Int { x = n[0], y = n[1], z = n[2] };
        }

        private static RectInt WholeRectInt(object value, RectInt now)
        {
            var n = Wholes(value, Area, now.x, now.y, now.width, now.height);
            return new RectInt { x = n[0], y = n[1], width = n[2], height = n[3] };
        }

        private static BoundsInt WholeBoundsInt(object value, BoundsInt now)
        {
            var parts = Named(value, new[] { "position", "size" });
            now.position = FieldWriter.Member(parts, "position", part => WholeVector3Int(part, now.position),
                now.position);
            now.size = FieldWriter.Member(parts, "size", part => WholeVector3Int(part, now.size), now.size);
            return now;
        }

        // The numbers of a colour's text. Others are from 0 to 1, unless the field is of high dynamic range, or has
        // them already.
        private static object ColorNumbers(object value, float[] now, bool isHdr)
        {
            if (ColorText.NumbersOf(value) is { } known)
            {
                return known;
            }
            var members = value is string text && text.IndexOf(',') < 0 ? null : MembersOf(value, Colors);
            if (isHdr || members == null)
            {
                return value;
            }
            foreach (var member in members)
            {
                var place = Array.IndexOf(Colors, member.Key);
                if (place >= 0 && FieldWriter.Single(member.Value) is > 1 and var number && number != now[place])
                {
                    var hex = ColorText.OfBytes(members.Values.Select(part => (double)FieldWriter.Single(part)));
                    throw new FieldFault(" must have numbers from 0 to 1"
                        + (hex == null ? "." : ", or be \"" + hex + "\"."));
                }
            }
            return value;
        }

        private static bool IsHdr(SerializedProperty property)
        {
            var type = property.serializedObject.targetObject.GetType();
            FieldInfo field = null;
            foreach (var name in ObjectPart.FromUnity(property.propertyPath).Split('.'))
            {
                var list = name.IndexOf('[');
                field = FieldOf(type, list < 0 ? name : name.Substring(0, list));
                if (field == null)
                {
                    // Unity's own structures, and classes that a reference decides, are not looked into.
                    return property.propertyPath.IndexOf('.') >= 0;
                }
                type = list < 0 ? field.FieldType
                    : field.FieldType.GetElementType() ?? field.FieldType.GetGenericArguments().FirstOrDefault();
            }
            return field.GetCustomAttribute<ColorUsageAttribute>()?.hdr == true;
        }

        private static FieldInfo FieldOf(Type type, string name) => TypeNames.WithBases(type)
            .Select(above => above.GetField(name, Members.Any | BindingFlags.DeclaredOnly))
            .FirstOrDefault(field => field != null);

        // The quaternion of three angles in degrees, as the Inspector shows a rotation; null for any other value.
        // Angles that are left out are as now.
        private static List<object> Degrees(object value, Quaternion now)
        {
            var isThree = value is List<object> { Count: 3 }
                || ArgumentConversion.NumbersIn(value as string)?.Count == 3
                || (value is JsonObject { Count: > 0 } members && !members.ContainsKey("w"));
            if (!isThree)
            {
                return null;
            }
            var angles = WholeVector3(value, now.eulerAngles);
            var turn = Quaternion.Euler(angles.x, angles.y, angles.z);
            return new List<object> { (double)turn.x, (double)turn.y, (double)turn.z, (double)turn.w };
        }

        // Numbers by name; those that are left out are as now.
        private static float[] Reals(object value, string[] names, params float[] now) =>
            Numbers(value, names, FieldWriter.Single, now);

        private static int[] Wholes(object value, string[] names, params int[] now) =>
            Numbers(value, names, FieldWriter.Int, now);

        private static T[] Numbers<T>(object value, string[] names, Func<object, T> convert, T[] numbers)
        {
            foreach (var member in Named(value, names))
            {
                numbers[Array.IndexOf(names, member.Key)] =
                    FieldFault.InPart("." + member.Key, () => convert(member.Value));
            }
            return numbers;
        }

        private static JsonObject Named(object value, string[] names) =>
            FieldWriter.MembersOf(MembersOf(value, names) ?? throw FieldFault.MustBe(Form(names), value), names);

        private static JsonObject MembersOf(object value, string[] names) =>
            value as JsonObject
            ?? Listed(value as List<object> ?? ArgumentConversion.NumbersIn(value as string), names);

        private static string Form(string[] names)
        {
            var form = "[" + string.Join(", ", names) + "]";
            return names == Colors ? "\"#RRGGBB\", a colour's name, or " + form + " from 0 to 1" : form;
        }

        // [1, 2, 3] for {x, y, z}; a colour without its last one keeps its alpha.
        private static JsonObject Listed(List<object> numbers, string[] names)
        {
            if (numbers?.Count != names.Length && !(numbers?.Count == 3 && names == Colors))
            {
                return null;
            }
            var members = new JsonObject();
            for (var part = 0; part < numbers.Count; part++)
            {
                members[names[part]] = numbers[part];
            }
            return members;
        }
    }
}
