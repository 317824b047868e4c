using System.Linq;
using System.Reflection;
using UnityEngine;
using UnityBridge.Json;

namespace UnityBridge.Objects
{
    /// <summary>A field of a project's own script that Unity does not serialize: a private one, or that of an automatic
    /// property. It is read while the game runs, and nothing is called for it. Main thread.</summary>
    internal static class UnserializedField
    {
        private const BindingFlags Own =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

        /// <summary>Null for a name that is none, and for Unity's own types.</summary>
        public static FieldInfo Find(Object target, string name) => TypeNames.WithBases(target.GetType())
            .TakeWhile(type => type != typeof(MonoBehaviour) && type != typeof(ScriptableObject)
                && type.Namespace?.StartsWith("Unity") != true)
            .SelectMany(type => new[] { name, "<" + name + ">k__BackingField" }
                .Select(own => type.GetField(own, Own)))
            .FirstOrDefault(field => field != null);

        public static JsonObject Item(ObjectPart part, FieldInfo field, string name)
        {
            var value = ResultJson.OfField(field.GetValue(part.Target));
            var item = FieldValue.Row(part.Name, name, TypeNames.NameOf(field.FieldType), value);
            item["serialized"] = false;
            return item;
        }
    }
}
