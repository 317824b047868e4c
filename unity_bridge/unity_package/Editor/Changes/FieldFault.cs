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

        public static FieldFault NoPart(string name, IEnumerable<string> parts) =>
            new FieldFault(" has no part '" + Quoted.Text(name) + "'; it has " + Quoted.Text(string.Join(", ", parts))
                + ".");

        /// <summary>Of many names only the nearest are listed: the rest of the sentence must fit behind them.</summary>
        /// <param name="more">What else it may be.</param>
        public static FieldFault MustBeOneOf(ICollection<string> names, object given, string more = "")
        {
            var listed = names.Count <= MostNames ? string.Join(", ", names)
                : Spelling.Nearest(Shown(given).Trim('"'), names, MostNames) + " or one more of " + names.Count;
            return MustBe("one of " + listed + more, given);
        }

        /// <summary>Reads a part of a value. A fault in it is one of that part.</summary>
        public static T InPart<T>(string part, Func<T> read)
        {
            try
            {
                return read();
            }
            catch (FieldFault fault)
            {
                throw new FieldFault(part + fault.Message);
            }
        }

        /// <summary>Reads the value of a field. A fault in it refuses the call.</summary>
        public static T InField<T>(string field, Func<T> read)
        {
            try
            {
                return read();
            }
            catch (FieldFault fault)
            {
                throw ChangeTarget.Refused(field + fault.Message);
            }
        }

        public static void InField(string field, Action read) => InField(field, () =>
        {
            read();
            return true;
        });

        public static string Shown(object given) =>
            Quoted.Text(given is JsonObject or List<object> && JsonWriter.Write(given) is { Length: > 60 }
            ? given is JsonObject ? "an object" : "a list" : JsonWriter.Write(given));
    }
}
