using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;

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
            switch (property.propertyType)
            {
                case SerializedPropertyType.Color:
                    var color = property.colorValue;
                    return Reals(ColorNumbers(value, color, IsHdr(property)), Colors, NumbersOf(color), n =>
                        property.colorValue = ColorOf(n));
                case SerializedPropertyType.Vector2:
                    var two = property.vector2Value;
                    return Reals(value, Two, new[] { two.x, two.y },
                        n => property.vector2Value = new Vector2 { x = n[0], y = n[1] });
                case SerializedPropertyType.Vector3:
                    return Reals(value, Three, NumbersOf(property.vector3Value),
                        n => property.vector3Value = VectorOf(n));
                case SerializedPropertyType.Vector4:
                    var four = property.vector4Value;
                    return Reals(value, Four, new[] { four.x, four.y, four.z, four.w },
                        n => property.vector4Value = new Vector4 { x = n[0], y = n[1], z = n[2], w = n[3] });
                case SerializedPropertyType.Quaternion:
                    var turn = property.quaternionValue;
                    return Reals(Degrees(value, turn) ?? value, Four, new[] { turn.x, turn.y, turn.z, turn.w }, n =>
                        property.quaternionValue = QuaternionOf(n));
                case SerializedPropertyType.Rect:
                    var rect = property.rectValue;
                    return Reals(value, Area, new[] { rect.x, rect.y, rect.width, rect.height },
                        n => property.rectValue = new Rect { x = n[0], y = n[1], width = n[2], height = n[3] });
                case SerializedPropertyType.Bounds:
                    var bounds = property.boundsValue;
                    return Both(value, "center",
                        given => Reals(given, Three, NumbersOf(bounds.center), n => bounds.center = VectorOf(n)),
                        "extents", given => Reals(
                            given, Three, NumbersOf(bounds.extents), n => bounds.extents = VectorOf(n)),
                        () => property.boundsValue = bounds);
                case SerializedPropertyType.Vector2Int:
                    var whole = property.vector2IntValue;
                    return Wholes(value, Two, new[] { whole.x, whole.y },
                        n => property.vector2IntValue = new Vector2Int { x = n[0], y = n[1] });
                case SerializedPropertyType.Vector3Int:
                    return Wholes(value, Three, NumbersOf(property.vector3IntValue),
                        n => property.vector3IntValue = WholeVectorOf(n));
                case SerializedPropertyType.RectInt:
                    var area = property.rectIntValue;
                    return Wholes(value, Area, new[] { area.x, area.y, area.width, area.height },
                        n => property.rectIntValue = new RectInt { x = n[0], y = n[1], width = n[2], height = n[3] });
                default:
                    var box = property.boundsIntValue;
                    return Both(value, "position",
                        given => Wholes(given, Three, NumbersOf(box.position), n => box.position = WholeVectorOf(n)),
                        "size", given => Wholes(given, Three, NumbersOf(box.size), n => box.size = WholeVectorOf(n)),
                        () =>
                        property.boundsIntValue = box);
            }
        }

        /// <summary>A color; members that are left out are those of <paramref name="now"/>.</summary>
        public static Color WholeColor(object value, Color now, bool isHdr)
        {
            Reals(ColorNumbers(value, now, isHdr), Colors, NumbersOf(now), n => now = ColorOf(n));
            return now;
        }

        public static Vector3 WholeVector3(object value, Vector3 now)
        {
            Reals(value, Three, NumbersOf(now), n => now = VectorOf(n));
            return now;
        }

        /// <summary>A rotation: three numbers are degrees, four a quaternion.</summary>
        public static Quaternion WholeRotation(object value, Quaternion now)
        {
            Reals(Degrees(value, now) ?? value, Four, new[] { now.x, now.y, now.z, now.w }, n => now = QuaternionOf(n));
            return now;
        }

        public static Vector4 WholeVector(object value, Vector4 now)
        {
            Reals(value, Four, new[] { now.x, now.y, now.z, now.w },
                n => now = new Vector4 { x = n[0], y = n[1], z = n[2], w = n[3] });
            return now;
        }

        // The numbers of a colour's text. Others are from 0 to 1, unless the field is of high dynamic range, or has
        // them already.
        private static object ColorNumbers(object value, Color now, bool isHdr)
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
            var numbersNow = NumbersOf(now);
            foreach (var member in members)
            {
                var place = Array.IndexOf(Colors, member.Key);
                if (place >= 0 && FieldWriter.Single(member.Value) is > 1 and var number && number != numbersNow[place])
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

        private static FieldInfo FieldOf(Type type, string name)
        {
            FieldInfo field = null;
            for (; type != null && field == null; type = type.BaseType)
            {
                field = type.GetField(name,
                    BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly);
            }
            return field;
        }

        // The quaternion of three angles in degrees, as the Inspector shows a rotation; null for any other value.
        // Angles that are left out are as now.
        private static List<object> Degrees(object value, Quaternion now)
        {
            var isThree = value is List<object> { Count: 3 } || (value is string text && Numbers(text)?.Count == 3)
                || (value is JsonObject { Count: > 0 } members && !members.ContainsKey("w"));
            if (!isThree)
            {
                return null;
            }
            var angles = WholeVector3(value, now.eulerAngles);
            var turn = Quaternion.Euler(angles.x, angles.y, angles.z);
            return new List<object> { (double)turn.x, (double)turn.y, (double)turn.z, (double)turn.w };
        }

        /// <summary>Numbers by name; <paramref name="set"/> is called if one is another now.</summary>
        private static bool Reals(object value, string[] names, float[] numbers, Action<float[]> set) =>
            Members(value, names, numbers, FieldWriter.Single, set);

        private static bool Wholes(object value, string[] names, int[] numbers, Action<int[]> set) =>
            Members(value, names, numbers, given => (int)FieldWriter.Whole(given, int.MinValue, int.MaxValue), set);

        private static bool Members<T>(
            object value, string[] names, T[] numbers, Func<object, T> convert, Action<T[]> set)
        {
            var changed = false;
            foreach (var member in Named(value, names))
            {
                var place = Array.IndexOf(names, member.Key);
                try
                {
                    changed |= FieldWriter.Changes(
                        numbers[place], convert(member.Value), number => numbers[place] = number);
                }
                catch (FieldFault fault)
                {
                    throw fault.InPart("." + member.Key);
                }
            }
            if (changed)
            {
                set(numbers);
            }
            return changed;
        }

        private static bool Both(
            object value, string one, Func<object, bool> writeOne, string other, Func<object, bool> writeOther,
            Action set)
        {
            var changed = false;
            foreach (var member in Named(value, new[] { one, other }))
            {
                changed |= member.Key == one ? writeOne(member.Value) : writeOther(member.Value);
            }
            if (changed)
            {
                set();
            }
            return changed;
        }

        private static JsonObject Named(object value, string[] names)
        {
            var members = MembersOf(value, names) ?? throw FieldFault.MustBe(Form(names), value);
            foreach (var name in members.Keys)
            {
                if (Array.IndexOf(names, name) < 0)
                {
                    throw new FieldFault(" has no part '" + Wire.Quoted.Text(name) + "'; it has "
                        + string.Join(", ", names) + ".");
                }
            }
            return members;
        }

        private static JsonObject MembersOf(object value, string[] names) =>
            value as JsonObject ?? Listed(value as List<object> ?? Numbers(value as string), names);

        private static string Form(string[] names)
        {
            var form = "[" + string.Join(", ", names) + "]";
            return names == Colors ? "\"#RRGGBB\", a colour's name, or " + form + " from 0 to 1" : form;
        }

        // "1, 2, 3", also in brackets, as Unity writes a vector; null for any other text.
        private static List<object> Numbers(string text)
        {
            var numbers = new List<object>();
            foreach (var part in (text ?? "").Trim(' ', '(', ')', '[', ']').Split(','))
            {
                if (!double.TryParse(part, NumberStyles.Float, CultureInfo.InvariantCulture, out var number))
                {
                    return null;
                }
                numbers.Add(number);
            }
            return numbers.Count > 1 ? numbers : null;
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

        private static float[] NumbersOf(Vector3 vector) => new[] { vector.x, vector.y, vector.z };

        private static int[] NumbersOf(Vector3Int vector) => new[] { vector.x, vector.y, vector.z };

        private static Vector3 VectorOf(float[] n) => new Vector3(n[0], n[1], n[2]);

        private static Vector3Int WholeVectorOf(int[] n) => new Vector3Int { x = n[0], y = n[1], z = n[2] };

        private static float[] NumbersOf(Color color) => new[] { color.r, color.g, color.b, color.a };

        private static Quaternion QuaternionOf(float[] n) => new Quaternion { x = n[0], y = n[1], z = n[2], w = n[3] };

        private static Color ColorOf(float[] n) => new Color { r = n[0], g = n[1], b = n[2], a = n[3] };
    }
}
