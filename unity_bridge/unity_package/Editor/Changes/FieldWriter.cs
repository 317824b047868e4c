using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Writes a JSON value into a serialized field: the counterpart of <see cref="FieldValue"/>. What that prints
    /// changes nothing when it is sent back, also where it was cut. Conversion is strict. Nothing reaches the object
    /// before its SerializedObject is applied. Each method throws <see cref="FieldFault"/>, and returns whether the
    /// value is another one now. Main thread.
    /// </summary>
    internal static class FieldWriter
    {
        private const int MostElements = 100 * 1000;

        // By the names of code, and of Unity's own structures.
        private static readonly Dictionary<string, decimal[]> Ranges = new Dictionary<string, decimal[]>
        {
            { "sbyte,SInt8", Range(sbyte.MinValue, sbyte.MaxValue) }, { "byte,UInt8", Range(0, byte.MaxValue) },
            { "short,SInt16", Range(short.MinValue, short.MaxValue) },
            { "ushort,UInt16,unsigned short", Range(0, ushort.MaxValue) },
            { "int,SInt32", Range(int.MinValue, int.MaxValue) },
            { "uint,UInt32,unsigned int", Range(0, uint.MaxValue) }, { "ulong,UInt64", Range(0, ulong.MaxValue) },
        };

        public static bool Write(ChangeCall call, SerializedProperty property, object value)
        {
            switch (property.propertyType)
            {
                case SerializedPropertyType.Integer:
                    return Integer(property, value);
                case SerializedPropertyType.LayerMask:
                    return Mask(property, value);
                case SerializedPropertyType.ArraySize:
                    using (var list = property.serializedObject.FindProperty(
                        property.propertyPath.Substring(0, property.propertyPath.Length - ".Array.size".Length)))
                    {
                        return Resize(list, (int)Whole(value, 0, MostElements));
                    }
                case SerializedPropertyType.Boolean:
                    return Changes(property.boolValue, Flag(value), set => property.boolValue = set);
                case SerializedPropertyType.Float:
                    return property.type == "double"
                        ? Changes(property.doubleValue, Real(value), set => property.doubleValue = set)
                        : Changes(property.floatValue, Single(value), set => property.floatValue = set);
                case SerializedPropertyType.String:
                    return Text(property, value);
                case SerializedPropertyType.Character:
                    return Changes(property.intValue,
                        value is string { Length: 1 } one
                        ? one[0]
                        : throw FieldFault.MustBe("a text of one character", value),
                        set => property.intValue = set);
                case SerializedPropertyType.Enum:
                    return EnumOf(property, value);
                case SerializedPropertyType.ObjectReference:
                    return ReferenceWriter.Write(call, property, value);
                case SerializedPropertyType.AnimationCurve:
                    return CurveWriter.Write(property, value);
                case SerializedPropertyType.Hash128:
                    return Changes(property.hash128Value.ToString(), HexDigits(value),
                        set => property.hash128Value = Hash128.Parse(set));
                case SerializedPropertyType.ManagedReference:
                    return ManagedWriter.Write(call, property, value);
                case SerializedPropertyType.Generic:
                    return property.isArray ? Elements(call, property, value) : Structure(call, property, value);
                default:
                    return VectorWriter.Knows(property.propertyType)
                        ? VectorWriter.Write(property, value)
                        : Other(call, property, value);
            }
        }

        /// <summary>Sets what differs, and leaves everything else alone.</summary>
        public static bool Changes<T>(T now, T wanted, Action<T> set)
        {
            if (EqualityComparer<T>.Default.Equals(now, wanted))
            {
                return false;
            }
            set(wanted);
            return true;
        }

        /// <summary>Members that are left out stay as they are.</summary>
        public static bool Structure(ChangeCall call, SerializedProperty property, object value)
        {
            if (!(value is JsonObject) && ConstantOf(property) is { } constant)
            {
                return Constant(call, property, constant, value);
            }
            var changed = false;
            foreach (var member in ObjectOf(value))
            {
                // The marks of FieldValue are no fields: where it has cut, what is not shown stays as it is.
                if (member.Key is "$type" or "$id" || (member.Key == "not_shown" && member.Value is true))
                {
                    continue;
                }
                using var child = property.FindPropertyRelative(member.Key);
                if (child == null)
                {
                    throw FieldFault.NoPart(member.Key, ObjectPart.Children(property).Select(part => part.name));
                }
                changed |= Part(call, child, member.Value, "." + member.Key);
            }
            return changed;
        }

        // A curve or gradient of a particle system that is one number or colour is in the state 0
        // (ParticleSystemCurveMode.Constant,
        // ParticleSystemGradientMode.Color), and has it in this part (SerializedMinMaxCurve.cs,
        // SerializedMinMaxGradient.cs). Null for all else.
        private static string ConstantOf(SerializedProperty property)
        {
            using var state = property.FindPropertyRelative("minMaxState");
            return state == null ? null
                : Array.Find(new[] { "scalar", "maxColor" }, name => property.FindPropertyRelative(name) != null);
        }

        private static bool Constant(ChangeCall call, SerializedProperty property, string constant, object value)
        {
            using var state = property.FindPropertyRelative("minMaxState");
            using var part = property.FindPropertyRelative(constant);
            var changed = Part(call, part, value, "." + constant);
            return Changes(state.intValue, 0, set => state.intValue = set) || changed;
        }

        public static bool Flag(object value) => value switch
        {
            bool flag => flag,
            string text when bool.TryParse(text, out var flag) => flag,
            _ => throw FieldFault.MustBe("true or false", value),
        };

        public static string TextOf(object value) => value as string ?? throw FieldFault.MustBe("a text", value);

        public static JsonObject ObjectOf(object value) =>
            value as JsonObject ?? throw FieldFault.MustBe("an object", value);

        /// <summary>An object that has no other members than these.</summary>
        public static JsonObject MembersOf(object value, params string[] names)
        {
            var members = ObjectOf(value);
            var unknown = members.Keys.FirstOrDefault(name => !names.Contains(name));
            return unknown == null ? members : throw FieldFault.NoPart(unknown, names);
        }

        /// <summary>The member of an object, or what it is without one.</summary>
        public static T Member<T>(JsonObject members, string name, Func<object, T> read, T otherwise) =>
            members.TryGetValue(name, out var value) ? FieldFault.InPart("." + name, () => read(value)) : otherwise;

        public static int Int(object value) => (int)Whole(value, int.MinValue, int.MaxValue);

        public static float Single(object value)
        {
            var real = Real(value);
            return double.IsInfinity(real) || !float.IsInfinity((float)real)
                ? (float)real
                : throw FieldFault.MustBe("a number that a float can hold", value);
        }

        public static decimal Whole(object value, decimal least, decimal most)
        {
            var whole = value switch
            {
                long number => number,
                ulong number => number,
                // 3.0 is an integer in JSON Schema's eyes; 3.5 is none, and nothing is rounded.
                double real when Math.Abs(real) < 9e15 && Math.Floor(real) == real => (decimal)real,
                string text when decimal.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint,
                    CultureInfo.InvariantCulture, out var number)
                    && decimal.Floor(number) == number => number,
                _ => (decimal?)null,
            };
            return whole >= least && whole <= most ? whole.Value
                : throw FieldFault.MustBe("a whole number from " + least.ToString(CultureInfo.InvariantCulture) + " to "
                    + most.ToString(CultureInfo.InvariantCulture), value);
        }

        private static double Real(object value) => value switch
        {
            long number => number,
            ulong number => number,
            double real => real,
            "NaN" => double.NaN,
            "Infinity" => double.PositiveInfinity,
            "-Infinity" => double.NegativeInfinity,
            // As JSON writes it: a comma in it may be a point or not.
            string text when double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number) =>
                number,
            _ => throw FieldFault.MustBe("a number", value),
        };

        private static bool Integer(SerializedProperty property, object value)
        {
            var range = Ranges.FirstOrDefault(row => row.Key.Split(',').Contains(property.type)).Value
                ?? Range(long.MinValue, long.MaxValue);
            var wanted = CodeEnum.NumberOf(property, value) ?? Whole(value, range[0], range[1]);
            var bits = wanted > long.MaxValue ? unchecked((long)(ulong)wanted) : (long)wanted;
            return Changes(property.longValue, bits, set => property.longValue = set);
        }

        // 32 bits, which Unity gives back with or without a sign.
        public static bool Mask(SerializedProperty property, object value)
        {
            var wanted = CodeEnum.NamesIn(value) is { Count: > 0 } names ? Layers(names, value)
                : unchecked((uint)(long)Whole(value, int.MinValue, uint.MaxValue));
            return Changes(unchecked((uint)property.longValue), wanted, set => property.longValue = set);
        }

        private static uint Layers(List<string> names, object value)
        {
            uint mask = 0;
            foreach (var name in names)
            {
                var layer = LayerMask.NameToLayer(name);
                var isKnown = layer >= 0 || name is "Everything" or "Nothing";
                mask |= !isKnown ? throw FieldFault.MustBe("names of layers, Everything, Nothing, or a number", value)
                    : layer >= 0 ? 1u << layer
                    : name == "Everything" ? uint.MaxValue : 0;
            }
            return mask;
        }

        private static bool Text(SerializedProperty property, object value)
        {
            var text = TextOf(value);
            if (SameJson.Are(FieldValue.ToJson(property, 0), text))
            {
                return false;
            }
            // An event without a target calls any static method of the class that stands here, such as Process.Start
            // (UnityEventBase.FindMethod and PersistentCall.GetRuntimeCall, Runtime/Export/UnityEvent/UnityEvent.cs).
            if (property.name == "m_TargetAssemblyTypeName" && text.Length > 0)
            {
                throw new FieldFault(
                    " cannot be set, because an event could then call any static method. Leave it out: Unity takes "
                    + "the class of m_Target.");
            }
            return Changes(property.stringValue, text, set => property.stringValue = set);
        }

        private static bool EnumOf(SerializedProperty property, object value)
        {
            var names = property.enumNames;
            if (value is string name && Array.IndexOf(names, name) is >= 0 and var exact)
            {
                return Changes(property.enumValueIndex, exact, set => property.enumValueIndex = set);
            }
            var before = property.intValue;
            var members = CodeEnum.NamesIn(value);
            var isNumber = members.Count == 0 && !(value is List<object>);
            if (isNumber && Int(value) == before)
            {
                return false;
            }
            var values = ValuesOf(property);
            var number = isNumber ? Int(value) : Flags(names, values, members, value);
            if (!IsValueOf(values, number))
            {
                throw FieldFault.MustBeOneOf(names, value, ", or a number made of their values");
            }
            return Changes(before, number, set => property.intValue = set);
        }

        // Only the staged copy of the field can give the values of the names; nobody sees it while they are tried.
        private static List<int> ValuesOf(SerializedProperty property)
        {
            var before = property.intValue;
            var values = new List<int>();
            for (var i = 0; i < property.enumNames.Length; i++)
            {
                property.enumValueIndex = i;
                values.Add(property.intValue);
            }
            property.intValue = before;
            return values;
        }

        // The value of a name, or what the values of several have together.
        private static int Flags(string[] names, List<int> values, List<string> members, object value)
        {
            var number = 0;
            foreach (var member in members)
            {
                var places = Enumerable.Range(0, names.Length).Where(at => CodeEnum.IsSame(names[at], member)).ToList();
                number |= places.Count == 1 ? values[places[0]] : throw FieldFault.MustBeOneOf(names, value);
            }
            return members.Count > 0 ? number : throw FieldFault.MustBeOneOf(names, value);
        }

        // A number is good if it is the value of a name, or, for flags, made of the bits of such values.
        private static bool IsValueOf(List<int> values, int number)
        {
            var all = 0;
            var areFlags = true;
            foreach (var value in values)
            {
                areFlags &= value == 0 || (value & (value - 1)) == 0 || (value & ~all) == 0 || value == -1;
                all |= value;
            }
            return values.Contains(number) || (areFlags && (number & ~all) == 0);
        }

        private static bool Elements(ChangeCall call, SerializedProperty property, object value)
        {
            var elements = value as List<object>;
            var size = elements?.Count ?? 0;
            if (value is JsonObject cut && cut.ContainsKey("size") && cut.Keys.All(name => name is "size" or "first"))
            {
                // As a list is printed of which only a part is shown. What is not given stays as it is.
                size = (int)Whole(cut["size"], 0, MostElements);
                elements = cut.Array("first") ?? new List<object>();
            }
            if (elements == null || elements.Count > size || size > MostElements)
            {
                throw FieldFault.MustBe(size > MostElements ? "a list of at most " + MostElements + " elements"
                    : "a list, as in [...]", value);
            }
            var changed = Resize(property, size);
            for (var i = 0; i < elements.Count; i++)
            {
                using var element = property.GetArrayElementAtIndex(i);
                changed |= Part(call, element, elements[i], "[" + i + "]");
            }
            return changed;
        }

        // Unity fills a longer list with copies of the last element, in which managed references, at any depth, are the
        // same objects again.
        private static bool Resize(SerializedProperty list, int size)
        {
            var old = list.arraySize;
            var changed = Changes(old, size, set => list.arraySize = set);
            for (var i = old; i < size; i++)
            {
                using var added = list.GetArrayElementAtIndex(i);
                foreach (var path in ReferencesIn(added))
                {
                    using var reference = added.serializedObject.FindProperty(path);
                    reference.managedReferenceValue = null;
                }
            }
            return changed;
        }

        // The outermost ones, hidden ones too.
        private static List<string> ReferencesIn(SerializedProperty element)
        {
            var paths = new List<string>();
            using var at = element.Copy();
            var outside = element.depth;
            do
            {
                if (at.propertyType == SerializedPropertyType.ManagedReference)
                {
                    paths.Add(at.propertyPath);
                }
            }
            while (at.Next(
                !(at.propertyType is SerializedPropertyType.ManagedReference or SerializedPropertyType.String))
                && at.depth > outside);
            return paths;
        }

        private static bool Part(ChangeCall call, SerializedProperty property, object value, string name) =>
            FieldFault.InPart(name, () => Write(call, property, value));

        // Kinds of newer Unitys, and those that have parts.
        private static bool Other(ChangeCall call, SerializedProperty property, object value)
        {
            if (SameJson.Are(FieldValue.ToJson(property, ChangeReport.Depth), value))
            {
                return false;
            }
            if (NewerFieldWriter.TryWrite(call, property, value, out var changed))
            {
                return changed;
            }
            return property.hasVisibleChildren ? Structure(call, property, value)
                : throw new FieldFault(" cannot be set: Unity gives no access to fields of this type.");
        }

        public static string HexDigits(object value) =>
            value is string { Length: 32 } digits && digits.All(Uri.IsHexDigit) ? digits.ToLowerInvariant()
                : throw FieldFault.MustBe("a text of 32 hexadecimal digits", value);

        private static decimal[] Range(decimal least, decimal most) => new[] { least, most };
    }

    /// <summary>Whether two JSON values are the same. Numbers are compared as numbers.</summary>
    internal static class SameJson
    {
        /// <param name="shown">As <see cref="FieldValue"/> prints it.</param>
        /// <param name="given">As <see cref="JsonReader"/> reads it.</param>
        public static bool Are(object shown, object given) => shown switch
        {
            null => given == null,
            bool or string => shown.Equals(given),
            JsonObject members => given is JsonObject others && members.Count == others.Count
                && members.All(member => others.TryGetValue(member.Key, out var other) && Are(member.Value, other)),
            List<object> items => given is List<object> others && items.Count == others.Count
            && !items.Where((item, i) => !Are(item, others[i])).Any(),
            _ => NumberOf(given) is { } number && NumberOf(shown) == number,
        };

        /// <summary>Null for what is no number.</summary>
        public static double? NumberOf(object value) => value switch
        {
            RawJson raw => double.Parse(raw.Text, CultureInfo.InvariantCulture),
            int or long or ulong or float or double => Convert.ToDouble(value, CultureInfo.InvariantCulture),
            _ => null,
        };
    }
}
