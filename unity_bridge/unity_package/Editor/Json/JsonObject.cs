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

        public JsonObject(IDictionary<string, object> members) : base(members, StringComparer.Ordinal)
        {
        }

        public object Get(string name) => TryGetValue(name, out var value) ? value : null;

        public string Text(string name) => Get(name) as string;

        public long? Integer(string name) => Get(name) switch
        {
            long whole => whole,
            // 3.0 is an integer in JSON Schema's eyes.
            double real when Math.Abs(real) < 9e15 && Math.Floor(real) == real => (long)real,
            _ => null,
        };

        public double? Number(string name) => Get(name) switch
        {
            long whole => whole,
            double real => real,
            _ => null,
        };

        public bool? Flag(string name) => Get(name) as bool?;

        /// <summary>False for none.</summary>
        public bool Is(string name) => Get(name) is true;

        public JsonObject Object(string name) => Get(name) as JsonObject;

        public List<object> Array(string name) => Get(name) as List<object>;

        /// <summary>0 for none.</summary>
        public int Whole(string name) => (int)(Integer(name) ?? 0);

        /// <summary>Empty for none.</summary>
        public List<object> Items(string name) => Array(name) ?? new List<object>();

        /// <summary>Leaves out what is null.</summary>
        public void AddIfAny(string name, object value)
        {
            if (value != null)
            {
                this[name] = value;
            }
        }
    }
}
