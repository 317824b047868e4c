using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Objects;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Writes kinds of fields that 2021.3 does not have, or has no public access to: the counterpart of
    /// <see cref="NewerFieldValue"/>.</summary>
    internal static class NewerFieldWriter
    {
        // Gradient.SetKeys: "between 2 and 8 keys" (Runtime/Export/Math/Gradient.bindings.cs); one key is taken too.
        private const int MostKeys = 8;

        /// <summary>False for every other kind, and where this Unity has it under no name that is known.</summary>
        public static bool TryWrite(ChangeCall call, SerializedProperty property, object value, out bool changed)
        {
            changed = true;
            switch ((int)property.propertyType)
            {
                case (int)SerializedPropertyType.Gradient when NewerFieldValue.Gradients != null:
                    NewerFieldValue.Gradients.SetValue(
                        property, GradientOf((Gradient)NewerFieldValue.Gradients.GetValue(property), value));
                    return true;
                case NewerFieldValue.RenderingLayerMask:
                    changed = FieldWriter.Mask(property, value);
                    return true;
                case NewerFieldValue.EntityId when NewerFieldValue.EntityIds != null
                    && IdOf(call, property, value, out var id):
                    NewerFieldValue.EntityIds.SetValue(property, id);
                    return true;
                case NewerFieldValue.Guid when NewerFieldValue.Guids != null:
                    return TryWriteGuid(property, value);
                default:
                    changed = false;
                    return false;
            }
        }

        private static Gradient GradientOf(Gradient now, object value)
        {
            var given = FieldWriter.MembersOf(value, "mode", "colors", "alphas");
            var colors = FieldWriter.Member(given, "colors", list => Keys(list, "color", (time, color) =>
                new GradientColorKey
                {
                    time = time, color = VectorWriter.WholeColor(color, new Color { a = 1 }, isHdr: true),
                }), now.colorKeys);
            var alphas = FieldWriter.Member(given, "alphas", list => Keys(list, "alpha",
                (time, alpha) => new GradientAlphaKey { time = time, alpha = FieldWriter.Single(alpha) }),
                now.alphaKeys);
            var mode = FieldWriter.Member(given, "mode", CodeEnum.Member<GradientMode>, now.mode);
            // It is a copy, and keeps what is not printed.
            now.mode = mode;
            now.SetKeys(colors, alphas);
            return now;
        }

        private static T[] Keys<T>(object value, string member, Func<float, object, T> make)
        {
            if (!(value is List<object> { Count: > 0 and <= MostKeys } given))
            {
                throw FieldFault.MustBe("a list of 1 to 8 keys", value);
            }
            return given.ConvertAll(entry =>
            {
                var key = FieldWriter.ObjectOf(entry);
                if (key.Count != 2 || !key.ContainsKey("time") || !key.ContainsKey(member)
                    || !(FieldWriter.Single(key["time"]) is var time and >= 0 and <= 1))
                {
                    throw FieldFault.MustBe("keys with time, from 0 to 1, and " + member, entry);
                }
                return make(time, key[member]);
            }).ToArray();
        }

        private static bool IdOf(ChangeCall call, SerializedProperty property, object value, out object id)
        {
            id = Activator.CreateInstance(NewerFieldValue.EntityIds.PropertyType);
            if (value == null)
            {
                return true;
            }
            var found = ReferenceWriter.Resolve(call, value, "Object", property.serializedObject.targetObject);
            id = Members.Method(typeof(Object), "GetEntityId")?.Invoke(found, null);
            return id != null;
        }

        private static bool TryWriteGuid(SerializedProperty property, object value)
        {
            var digits = FieldWriter.HexDigits(value);
            var make = NewerFieldValue.Guids.PropertyType.GetConstructor(new[] { typeof(string) });
            if (make == null || !NewerFieldValue.Guids.CanWrite)
            {
                return false;
            }
            NewerFieldValue.Guids.SetValue(property, make.Invoke(new object[] { digits }));
            return true;
        }
    }
}
