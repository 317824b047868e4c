using System;
using System.Collections.Generic;

namespace UnityBridge.Json
{
    /// <summary>
    /// A JSON object in the order in which its members were set. Values are null, bool, long, ulong, double, string,
    /// <see cref="JsonObject"/> or <c>List&lt;object&gt;</c>; <see cref="JsonWriter"/> takes further kinds.
    /// </summary>
    /// <remarks>The typed getters answer null for a member that is absent or of another kind: no message from the
    /// line can make them throw.</remarks>
    internal sealed class JsonObject : Dictionary<string, object>
    {
        public JsonObject() : base(StringComparer.Ordinal)
        {
        }

        public object Get(string name)
        {
            object value;
            return TryGetValue(name, out value) ? value : null;
        }

        public string Text(string name)
        {
            return Get(name) as string;
        }

        public long? Integer(string name)
        {
            var value = Get(name);
            if (value is long)
            {
                return (long)value;
            }
            // 3.0 is an integer in JSON Schema's eyes.
            if (value is double && Math.Abs((double)value) < 9e15 && Math.Floor((double)value) == (double)value)
            {
                return (long)(double)value;
            }
            return null;
        }

        public double? Number(string name)
        {
            var value = Get(name);
            return value is long ? (long)value : value is double ? (double?)value : null;
        }

        public bool? Flag(string name)
        {
            var value = Get(name);
            return value is bool ? (bool?)value : null;
        }

        public JsonObject Object(string name)
        {
            return Get(name) as JsonObject;
        }

        public List<object> Array(string name)
        {
            return Get(name) as List<object>;
        }
    }
}
