using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Changes
{
    /// <summary>Writes animation curves: lists of <c>{time, value, in_tangent, out_tangent}</c>, as <see
    /// cref="FieldValue"/> prints them.</summary>
    internal static class CurveWriter
    {
        private const int MostKeys = 1000;

        public static bool Write(SerializedProperty property, object value)
        {
            if (SameJson.Are(FieldValue.ToJson(property, 1), value))
            {
                return false;
            }
            var curve = property.animationCurveValue;
            if (!(Listed(value) is { Count: <= MostKeys } entries))
            {
                throw FieldFault.MustBe("a list of keys, as in [{\"time\": 0, \"value\": 1}], or a number", value);
            }
            var keys = new Keyframe[entries.Count];
            for (var i = 0; i < keys.Length; i++)
            {
                // What is not printed of a key, its weights, stays with the key at that place.
                keys[i] = Key(entries[i], i < curve.length ? curve[i] : new Keyframe(0, 0), i < curve.length);
                if (i > 0 && keys[i].time <= keys[i - 1].time)
                {
                    throw new FieldFault("[" + i + "].time must be later than the one before it.");
                }
            }
            if (curve.keys.SequenceEqual(keys))
            {
                return false;
            }
            curve.keys = keys;
            property.animationCurveValue = curve;
            return true;
        }

        // A number is a constant (AnimationCurve.Constant).
        private static List<object> Listed(object value)
        {
            if (!(SameJson.NumberOf(value) is { } number))
            {
                return value as List<object>;
            }
            JsonObject At(double time) => new JsonObject { { "time", time }, { "value", number }, { "in_tangent", 0d },
                { "out_tangent", 0d } };
            return new List<object> { At(0), At(1) };
        }

        private static Keyframe Key(object value, Keyframe key, bool isThere)
        {
            var given = FieldWriter.MembersOf(value, "time", "value", "in_tangent", "out_tangent");
            if (!isThere && !(given.ContainsKey("time") && given.ContainsKey("value")))
            {
                throw FieldFault.MustBe(
                    "a list of keys with time and value, and in_tangent and out_tangent if they are not 0", value);
            }
            float Number(string name, float now) => FieldWriter.Member(given, name, FieldWriter.Single, now);
            key.time = Number("time", key.time);
            key.value = Number("value", key.value);
            key.inTangent = Number("in_tangent", key.inTangent);
            key.outTangent = Number("out_tangent", key.outTangent);
            return key;
        }

    }
}
