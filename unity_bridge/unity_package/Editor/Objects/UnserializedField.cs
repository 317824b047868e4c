using System.Reflection;
using UnityEngine;
using UnityBridge.Json;

namespace UnityBridge.Objects
{
    /// <summary>A field of a project's own script that Unity does not serialize: a private one, or that of an automatic
    /// property. It is read while the game runs, and nothing is called for it. Main thread.</summary>
    internal static class UnserializedField
    {
        /// <summary>Null for a name that is none, and for Unity's own types.</summary>
        public static FieldInfo Find(Object target, string name)
        {
            for (var type = target.GetType();
                type != null && type != typeof(MonoBehaviour) && type != typeof(ScriptableObject)
                    && type.Namespace?.StartsWith("Unity") != true;
                type = type.BaseType)
            {
                const BindingFlags own =
                    BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
                var found = type.GetField(name, own) ?? type.GetField("<" + name + ">k__BackingField", own);
                if (found != null)
                {
                    return found;
                }
            }
            return null;
        }

        public static JsonObject Item(ObjectPart part, FieldInfo field, string name) => new JsonObject
        {
            { "component", part.Name }, { "field", name }, { "type", TypeNames.NameOf(field.FieldType) },
            { "value", ResultJson.OfField(field.GetValue(part.Target)) }, { "serialized", false },
        };
    }
}
