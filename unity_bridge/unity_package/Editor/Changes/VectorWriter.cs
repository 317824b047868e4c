using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;

namespace UnityBridge.Changes
{
    /// <summary>Writes what has a fixed handful of numbers: the counterpart of <see cref="Tools.VectorValue"/>.</summary>
    internal static class VectorWriter
    {
        private static readonly string[] Two = { "x", "y" };
        private static readonly string[] Three = { "x", "y", "z" };
        private static readonly string[] Four = { "x", "y", "z", "w" };
        private static readonly string[] Colors = { "r", "g", "b", "a" };
        private static readonly string[] Area = { "x", "y", "width", "height" };

        public static bool Knows(SerializedPropertyType type) => type is SerializedPropertyType.Color or SerializedPropertyType.Vector2
            or SerializedPropertyType.Vector3 or SerializedPropertyType.Vector4 or SerializedPropertyType.Quaternion or SerializedPropertyType.Rect
            or SerializedPropertyType.Bounds or SerializedPropertyType.Vector2Int or SerializedPropertyType.Vector3Int
            or SerializedPropertyType.RectInt or SerializedPropertyType.BoundsInt;

        /// <summary>Members that are left out stay as they are.</summary>
        public static bool Write(SerializedProperty property, object value)
        {
            switch (property.propertyType)
            {
                case SerializedPropertyType.Color:
                    var color = property.colorValue;
                    return Reals(HexColor(value) ?? value, Colors, new[] { color.r, color.g, color.b, color.a }, n => property.colorValue = ColorOf(n));
                case SerializedPropertyType.Vector2:
                    var two = property.vector2Value;
                    return Reals(value, Two, new[] { two.x, two.y }, n => property.vector2Value = new Vector2 { x = n[0], y = n[1] });
                case SerializedPropertyType.Vector3:
                    return Reals(value, Three, Of(property.vector3Value), n => property.vector3Value = VectorOf(n));
                case SerializedPropertyType.Vector4:
                    var four = property.vector4Value;
                    return Reals(value, Four, new[] { four.x, four.y, four.z, four.w },
                        n => property.vector4Value = new Vector4 { x = n[0], y = n[1], z = n[2], w = n[3] });
                case SerializedPropertyType.Quaternion:
                    var turn = property.quaternionValue;
                    return Reals(Degrees(value) ?? value, Four, new[] { turn.x, turn.y, turn.z, turn.w },
                        n => property.quaternionValue = new Quaternion { x = n[0], y = n[1], z = n[2], w = n[3] });
                case SerializedPropertyType.Rect:
                    var rect = property.rectValue;
                    return Reals(value, Area, new[] { rect.x, rect.y, rect.width, rect.height },
                        n => property.rectValue = new Rect { x = n[0], y = n[1], width = n[2], height = n[3] });
                case SerializedPropertyType.Bounds:
                    var bounds = property.boundsValue;
                    return Both(value, "center", given => Reals(given, Three, Of(bounds.center), n => bounds.center = VectorOf(n)),
                        "extents", given => Reals(given, Three, Of(bounds.extents), n => bounds.extents = VectorOf(n)), () => property.boundsValue = bounds);
                case SerializedPropertyType.Vector2Int:
                    var whole = property.vector2IntValue;
                    return Wholes(value, Two, new[] { whole.x, whole.y }, n => property.vector2IntValue = new Vector2Int { x = n[0], y = n[1] });
                case SerializedPropertyType.Vector3Int:
                    return Wholes(value, Three, Of(property.vector3IntValue), n => property.vector3IntValue = WholeVectorOf(n));
                case SerializedPropertyType.RectInt:
                    var area = property.rectIntValue;
                    return Wholes(value, Area, new[] { area.x, area.y, area.width, area.height },
                        n => property.rectIntValue = new RectInt { x = n[0], y = n[1], width = n[2], height = n[3] });
                default:
                    var box = property.boundsIntValue;
                    return Both(value, "position", given => Wholes(given, Three, Of(box.position), n => box.position = WholeVectorOf(n)),
                        "size", given => Wholes(given, Three, Of(box.size), n => box.size = WholeVectorOf(n)), () => property.boundsIntValue = box);
            }
        }

        /// <summary>A color; members that are left out are those of <paramref name="now"/>.</summary>
        public static Color WholeColor(object value, Color now)
        {
            Reals(HexColor(value) ?? value, Colors, new[] { now.r, now.g, now.b, now.a }, n => now = ColorOf(n));
            return now;
        }

        public static Vector4 WholeVector(object value, Vector4 now)
        {
            Reals(value, Four, new[] { now.x, now.y, now.z, now.w }, n => now = new Vector4 { x = n[0], y = n[1], z = n[2], w = n[3] });
            return now;
        }

        // "#RRGGBB" or "#RRGGBBAA"; null for any other value.
        private static List<object> HexColor(object value)
        {
            if (!(value is string { Length: 7 or 9 } text) || text[0] != '#' || !text.Skip(1).All(Uri.IsHexDigit))
            {
                return null;
            }
            return Enumerable.Range(0, Colors.Length)
                .Select(i => (object)(1 + 2 * i < text.Length ? (double)(Convert.ToByte(text.Substring(1 + 2 * i, 2), 16) / 255f) : 1d)).ToList();
        }

        // [x, y, z] in degrees, as the Inspector shows a rotation; null for any other value.
        private static List<object> Degrees(object value)
        {
            if (!(value is List<object> { Count: 3 } angles))
            {
                return null;
            }
            var turn = Quaternion.Euler(FieldWriter.Single(angles[0]), FieldWriter.Single(angles[1]), FieldWriter.Single(angles[2]));
            return new List<object> { (double)turn.x, (double)turn.y, (double)turn.z, (double)turn.w };
        }

        /// <summary>Numbers by name; <paramref name="set"/> is called if one is another now.</summary>
        private static bool Reals(object value, string[] names, float[] numbers, Action<float[]> set) =>
            Members(value, names, numbers, FieldWriter.Single, set);

        private static bool Wholes(object value, string[] names, int[] numbers, Action<int[]> set) =>
            Members(value, names, numbers, given => (int)FieldWriter.Whole(given, int.MinValue, int.MaxValue), set);

        private static bool Members<T>(object value, string[] names, T[] numbers, Func<object, T> convert, Action<T[]> set)
        {
            var changed = false;
            foreach (var member in Named(value, names))
            {
                var place = Array.IndexOf(names, member.Key);
                try
                {
                    changed |= FieldWriter.Changes(numbers[place], convert(member.Value), number => numbers[place] = number);
                }
                catch (FieldFault fault)
                {
                    throw fault.Of("." + member.Key);
                }
            }
            if (changed)
            {
                set(numbers);
            }
            return changed;
        }

        private static bool Both(object value, string one, Func<object, bool> writeOne, string other, Func<object, bool> writeOther, Action set)
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
            var given = value as JsonObject ?? Listed(value as List<object>, names)
                ?? throw FieldFault.MustBe("an object with " + string.Join(", ", names) + (names == Colors ? ", or \"#RRGGBB\"" : ""), value);
            foreach (var name in given.Keys)
            {
                if (Array.IndexOf(names, name) < 0)
                {
                    throw new FieldFault(" has no part '" + Wire.Quoted.Of(name) + "'; it has " + string.Join(", ", names) + ".");
                }
            }
            return given;
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

        private static float[] Of(Vector3 vector) => new[] { vector.x, vector.y, vector.z };

        private static int[] Of(Vector3Int vector) => new[] { vector.x, vector.y, vector.z };

        private static Vector3 VectorOf(float[] n) => new Vector3(n[0], n[1], n[2]);

        private static Vector3Int WholeVectorOf(int[] n) => new Vector3Int { x = n[0], y = n[1], z = n[2] };

        private static Color ColorOf(float[] n) => new Color { r = n[0], g = n[1], b = n[2], a = n[3] };
    }
}
