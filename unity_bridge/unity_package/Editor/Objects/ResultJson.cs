using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Objects
{
    /// <summary>
    /// Makes JSON of whatever a command or a snippet has returned: plain values, lists, dictionaries, public fields and
    /// automatic properties, Unity's vectors and colours, and of an object of Unity's what it is and where. Main
    /// thread.
    /// </summary>
    /// <remarks>No getter with code of its own is called, since reading some of Unity's changes the scene. What is too
    /// much is left out, and <see cref="IsCut"/> says so.</remarks>
    internal sealed class ResultJson
    {
        private const int MaxDepth = 10;

        // Besides it, an answer contains output and paths, and Messages.MaxContentBytes bounds all; a character may
        // take six bytes.
        private const int MaxChars = 100 * 1000;
        private const int CharsOfAnItem = 4;

        // Of these types the values are in properties, which Unity's sources show to do nothing but read (2021.3 to
        // 6000.7).
        private static readonly Dictionary<string, string> Readable = NameTable.Read(
            "x,y: UnityEngine.Vector2Int", "x,y,z: UnityEngine.Vector3Int",
            "x,y,width,height: UnityEngine.Rect UnityEngine.RectInt", "center,size: UnityEngine.Bounds",
            "position,size: UnityEngine.BoundsInt", "origin,direction: UnityEngine.Ray",
            "normal,distance: UnityEngine.Plane", "value: UnityEngine.LayerMask",
            "name,path,isDirty: UnityEngine.SceneManagement.Scene");

        private readonly HashSet<object> _open = new HashSet<object>(new SameObject());
        private int _left = MaxChars;
        private bool _callsNothing;

        private ResultJson()
        {
        }

        /// <summary>Something is missing: there was too much, or it was too deep.</summary>
        public bool IsCut { get; private set; }

        /// <summary>What <see cref="JsonWriter"/> takes, and whether something is missing.</summary>
        public static object ToJson(object value, out bool isCut)
        {
            var conversion = new ResultJson();
            var json = conversion.Value(value, 0);
            isCut = conversion.IsCut;
            return json;
        }

        /// <summary>The same of a field's value, for which no code of the project is called: its own collections and
        /// texts are named only.</summary>
        public static object OfField(object value) => new ResultJson { _callsNothing = true }.Value(value, 0);

        private object Value(object value, int depth)
        {
            _left -= CharsOfAnItem;
            switch (value)
            {
                case null: return null;
                case string text: return Text(text);
                case bool or long or ulong or RawJson: return value;
                case double real: return FieldValue.Real(real);
                case float single: return FieldValue.Real(single);
                case decimal exact: return (double)exact;
                case Enum: return value.ToString();
                case char: return Text(value.ToString());
                case sbyte or byte or short or ushort or int or uint:
                    return Convert.ToInt64(value, CultureInfo.InvariantCulture);
                case DateTime or DateTimeOffset:
                    return ((IFormattable)value).ToString("o", CultureInfo.InvariantCulture);
                case UnityEngine.Object found: return found == null ? null : Nested(found, depth, UnityObject);
                case byte[] bytes: return Text(Convert.ToBase64String(bytes));
                case IDictionary or IEnumerable:
                    return _callsNothing && !IsPlain(value.GetType())
                        ? Text(value.GetType().ToString())
                        : Nested(value, depth, Items);
                case Type or MemberInfo or Delegate or Pointer or TimeSpan or Guid or Version or Uri:
                    return Text(value.ToString());
                default: return Nested(value, depth, Members);
            }
        }

        private object Nested(object value, int depth, Func<object, int, object> convert)
        {
            if (depth >= MaxDepth || _left <= 0 || !_open.Add(value))
            {
                IsCut = true;
                return Text(value.GetType().ToString());
            }
            var json = convert(value, depth + 1);
            _open.Remove(value);
            return json;
        }

        // Arrays, and the collections of .NET itself.
        private static bool IsPlain(Type type) =>
            type.IsArray || (type.IsPublic && type.Namespace == "System.Collections.Generic");

        private object UnityObject(object value, int depth)
        {
            var json = FieldValue.Reference((UnityEngine.Object)value);
            if (json is JsonObject reference)
            {
                GlobalIds.AddTo(reference, (UnityEngine.Object)value);
            }
            return json;
        }

        private object Items(object value, int depth) =>
            value is IDictionary entries ? Entries(entries, depth) : List((IEnumerable)value, depth);

        private object Entries(IDictionary entries, int depth)
        {
            var json = new JsonObject();
            foreach (DictionaryEntry entry in entries)
            {
                if (IsFull())
                {
                    break;
                }
                json[Text(Convert.ToString(entry.Key, CultureInfo.InvariantCulture))] = Value(entry.Value, depth);
            }
            return json;
        }

        // An endless one ends too.
        private object List(IEnumerable items, int depth)
        {
            var json = new List<object>();
            foreach (var item in items)
            {
                if (IsFull())
                {
                    break;
                }
                json.Add(Value(item, depth));
            }
            return json;
        }

        private object Members(object value, int depth)
        {
            var json = new JsonObject();
            foreach (var (name, read) in MembersOf(value.GetType()))
            {
                if (IsFull())
                {
                    break;
                }
                json[Text(name)] = Value(read(value), depth);
            }
            // A type of which nothing is public speaks for itself.
            return json.Count > 0 ? json : Text(_callsNothing ? value.GetType().ToString() : value.ToString());
        }

        private static IEnumerable<(string Name, Func<object, object> Read)> MembersOf(Type type)
        {
            if (Readable.TryGetValue(type.FullName ?? "", out var names))
            {
                foreach (var name in names.Split(','))
                {
                    yield return (name, type.GetProperty(name).GetValue);
                }
                yield break;
            }
            foreach (var field in type.GetFields(BindingFlags.Instance | BindingFlags.Public))
            {
                yield return (field.Name, field.GetValue);
            }
            foreach (var property in type.GetProperties(BindingFlags.Instance | BindingFlags.Public))
            {
                if (IsAutomatic(property))
                {
                    yield return (property.Name, property.GetValue);
                }
            }
        }

        // Its getter is the compiler's, as those of anonymous types are.
        private static bool IsAutomatic(PropertyInfo property)
        {
            var getter = property.GetGetMethod();
            return getter != null && property.GetIndexParameters().Length == 0
                && (getter.IsDefined(typeof(CompilerGeneratedAttribute), false)
                    || property.DeclaringType.Name.Begins("<>")
                    || property.DeclaringType.FullName.Begins("System.Tuple`")
                    || property.DeclaringType.FullName.Begins(
                        "System.Collections.Generic.KeyValuePair`"));
        }

        private bool IsFull()
        {
            IsCut |= _left <= 0;
            return _left <= 0;
        }

        private string Text(string text)
        {
            text ??= "";
            var most = Math.Max(_left, 100);
            _left -= text.Length;
            if (text.Length <= most)
            {
                return text;
            }
            IsCut = true;
            return text.Substring(0, most) + "...";
        }

        private sealed class SameObject : IEqualityComparer<object>
        {
            bool IEqualityComparer<object>.Equals(object one, object other) => ReferenceEquals(one, other);

            int IEqualityComparer<object>.GetHashCode(object value) => RuntimeHelpers.GetHashCode(value);
        }
    }
}
