using System;
using System.Collections.Generic;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>A value does not fit its field. The message is what follows the field's name: " must be a number, not
    /// \"x\".".</summary>
    internal sealed class FieldFault : Exception
    {
        private const int MostNames = 12;

        public FieldFault(string message) : base(message)
        {
        }

        public static FieldFault MustBe(string what, object given) =>
            new FieldFault(" must be " + what + ", not " + Shown(given) + ".");

        public static FieldFault NoMember(string name, params string[] members) =>
            new FieldFault(" has no member " + Quoted.Text(name) + "; it has " + string.Join(", ", members) + ".");

        /// <summary>Of many names only the nearest are listed: the rest of the sentence must fit behind them.</summary>
        /// <param name="more">What else it may be.</param>
        public static FieldFault MustBeOneOf(ICollection<string> names, object given, string more = "")
        {
            var listed = names.Count <= MostNames ? string.Join(", ", names)
                : Spelling.Nearest(Shown(given).Trim('"'), names, MostNames) + " or one more of " + names.Count;
            return MustBe("one of " + listed + more, given);
        }

        /// <summary>The same fault, of a part of a field.</summary>
        public FieldFault InPart(string part) => new FieldFault(part + Message);

        public static string Shown(object given) =>
            Quoted.Text(given is JsonObject or List<object> && JsonWriter.Write(given) is { Length: > 60 }
            ? given is JsonObject ? "an object" : "a list" : JsonWriter.Write(given));
    }
}
