using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEngine;

namespace UnityBridge.Framework
{
    /// <summary>The types that arguments can have: truth values, numbers, texts, enums, JSON objects, and arrays and
    /// lists of these.</summary>
    internal static class ArgumentType
    {
        private const int MostMembersShown = 12;

        private static readonly Dictionary<Type, string> Plain = new Dictionary<Type, string>
        {
            { typeof(bool), "bool" }, { typeof(string), "string" }, { typeof(float), "float" },
            { typeof(double), "double" },
            { typeof(int), "int" }, { typeof(long), "long" }, { typeof(short), "short" }, { typeof(byte), "byte" },
            { typeof(uint), "uint" }, { typeof(ulong), "ulong" }, { typeof(ushort), "ushort" },
            { typeof(sbyte), "sbyte" },
            { typeof(Vector3), "vector" }, { typeof(object), "any" },
        };

        public static bool IsKnown(Type type)
        {
            var single = ItemOf(type) ?? type;
            single = Nullable.GetUnderlyingType(single) ?? single;
            return Plain.ContainsKey(single) || single.IsEnum || IsObject(single);
        }

        /// <summary>Whether it takes a JSON object: <c>IDictionary&lt;string, object&gt;</c>, or a <c>Dictionary</c> of
        /// these.</summary>
        public static bool IsObject(Type type) =>
            type == typeof(IDictionary<string, object>) || type == typeof(Dictionary<string, object>);

        /// <summary>The type of an array's or a list's items; null for anything else.</summary>
        public static Type ItemOf(Type type)
        {
            if (type.IsArray)
            {
                return type.GetArrayRank() == 1 ? type.GetElementType() : null;
            }
            return type.IsGenericType && type.GetGenericTypeDefinition() == typeof(List<>)
                ? type.GetGenericArguments()[0]
                : null;
        }

        /// <summary>For signatures and messages.</summary>
        public static string NameOf(Type type)
        {
            var item = ItemOf(type);
            if (item != null)
            {
                return item.IsEnum ? "(" + NameOf(item) + ")[]" : NameOf(item) + "[]";
            }
            var underlying = Nullable.GetUnderlyingType(type);
            if (underlying != null)
            {
                return NameOf(underlying) + "?";
            }
            return IsObject(type)
                ? "object"
                : type.IsEnum
                ? MembersOf(type, MostMembersShown)
                : Plain.TryGetValue(type, out var name)
                ? name
                : type.Name;
        }

        private static string MembersOf(Type type, int most)
        {
            var names = Enum.GetNames(type);
            return string.Join("|", names.Take(most)) + (names.Length > most ? "|..." : "");
        }
    }

    /// <summary>Arguments as they came, converted to what a parameter takes: exactly, or not at all.</summary>
    internal static class ArgumentConversion
    {
        /// <summary>False, and in <paramref name="fault"/> what was expected and what came.</summary>
        public static bool TryConvert(object given, Type type, out object value, out string fault)
        {
            value = null;
            fault = null;
            var plain = Nullable.GetUnderlyingType(type) ?? type;
            if (type == typeof(object) || (given == null && (!type.IsValueType || plain != type)))
            {
                value = given;
                return true;
            }
            var item = ArgumentType.ItemOf(plain);
            if (item != null)
            {
                return TryConvertAll(given, plain, item, out value, out fault);
            }
            value = plain.IsEnum ? Member(given, plain) : given switch
            {
                bool or string => given.GetType() == plain ? given : null,
                Json.JsonObject or List<object> when plain == typeof(Vector3) => Vector(given),
                Json.JsonObject => ArgumentType.IsObject(plain) ? given : null,
                long or ulong or double => Number(given, plain),
                _ => null,
            };
            fault = value == null && plain == typeof(Vector3) ? "must be [x, y, z], not " + Shown(given)
                : value == null ? "must be " + ArgumentType.NameOf(type) + ", not " + Shown(given) : null;
            return fault == null;
        }

        /// <summary>The numbers of "1, 2, 3", also in brackets, as Unity writes a vector; null for any other
        /// text.</summary>
        public static List<object> NumbersIn(string text)
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

        private static bool TryConvertAll(object given, Type type, Type item, out object value, out string fault)
        {
            value = null;
            if (given is not List<object> items)
            {
                fault = "must be an array, " + ArgumentType.NameOf(type) + ", not " + Shown(given);
                return false;
            }
            var array = Array.CreateInstance(item, items.Count);
            for (var i = 0; i < items.Count; i++)
            {
                if (!TryConvert(items[i], item, out var one, out fault))
                {
                    fault = "[" + i + "] " + fault;
                    return false;
                }
                array.SetValue(one, i);
            }
            value = type.IsArray ? array : Activator.CreateInstance(type, array);
            fault = null;
            return true;
        }

        // [x, y, z], or {"x", "y", "z"} as inspect prints it.
        private static object Vector(object given)
        {
            var numbers = given is Json.JsonObject members
                ? new[] { "x", "y", "z" }.Where(_ => members.Count == 3).Select(members.Get).ToList()
                : (List<object>)given;
            var reals = numbers.Select(
                number => number is long or ulong or double ? Number(number, typeof(float)) as float? : null).ToList();
            return reals.Count == 3 && reals.All(real => real != null)
                ? (object)new Vector3(reals[0].Value, reals[1].Value, reals[2].Value)
                : null;
        }

        private static object Number(object given, Type type)
        {
            if (type == typeof(double) || type == typeof(float))
            {
                var real = Convert.ToDouble(given, CultureInfo.InvariantCulture);
                return type == typeof(double) ? real : double.IsInfinity((float)real) ? null : (object)(float)real;
            }
            if (!type.IsPrimitive || type == typeof(bool) || type == typeof(char))
            {
                return null;
            }
            try
            {
                // 3.0 is an integer in JSON Schema's eyes; 3.5 is none, and nothing is rounded.
                var exact = given is double real ? Whole(real) : Convert.ToDecimal(given, CultureInfo.InvariantCulture);
                return exact == null ? null : Convert.ChangeType(exact.Value, type, CultureInfo.InvariantCulture);
            }
            catch (OverflowException)
            {
                return null;
            }
        }

        private static decimal? Whole(double real) =>
            Math.Abs(real) < 9e15 && Math.Floor(real) == real ? (decimal?)real : null;

        // By name, in any case if that leaves no doubt; of flags several, with commas between.
        private static object Member(object given, Type type)
        {
            if (given is not string text)
            {
                return null;
            }
            var names = Enum.GetNames(type);
            var meant = new List<string>();
            foreach (var part in type.IsDefined(typeof(FlagsAttribute), false) ? text.Split(',') : new[] { text })
            {
                var fitting = Array.FindAll(
                    names, name => string.Equals(name, part.Trim(), StringComparison.OrdinalIgnoreCase));
                if (Array.IndexOf(names, part.Trim()) < 0 && fitting.Length != 1)
                {
                    return null;
                }
                meant.Add(fitting.Length == 1 ? fitting[0] : part.Trim());
            }
            return Enum.Parse(type, string.Join(",", meant));
        }

        private static string Shown(object given)
        {
            var text = given switch
            {
                null => "null",
                Json.JsonObject => "an object",
                List<object> => "an array",
                _ => Json.JsonWriter.Write(given),
            };
            return Wire.Quoted.Text(text);
        }
    }
}
