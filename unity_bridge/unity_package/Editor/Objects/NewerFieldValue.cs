using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>Kinds of fields that 2021.3 does not have, or has no public reading of. The package is compiled in each
    /// Unity as it is, so they go by their numbers, and what reads them is found by name.</summary>
    internal static class NewerFieldValue
    {
        public const int RenderingLayerMask = 26; // from 6000.0
        public const int EntityId = 27;           // from 6000.3
        public const int Guid = 28;               // from 6000.4

        public static readonly PropertyInfo Gradients = Reads("gradientValue"); // public from 2022.1
        public static readonly PropertyInfo EntityIds = Reads("entityIdValue");
        public static readonly PropertyInfo Guids = Reads("guidValue");

        /// <summary>False for every other kind, and where this Unity has it under no name that is known.</summary>
        public static bool TryRead(SerializedProperty property, out object value)
        {
            value = null;
            switch ((int)property.propertyType)
            {
                case (int)SerializedPropertyType.Gradient when Gradients != null:
                    value = AsJson((Gradient)Gradients.GetValue(property));
                    return true;
                case RenderingLayerMask:
                    value = (long)unchecked((uint)property.longValue);
                    return true;
                case EntityId when EntityIds != null:
                    return TryResolve(EntityIds.GetValue(property), out value);
                case Guid when Guids != null:
                    value = Guids.GetValue(property).ToString();
                    return true;
                default:
                    return false;
            }
        }

        private static PropertyInfo Reads(string name) =>
            typeof(SerializedProperty)
            .GetProperty(name, Members.Any);

        // The id itself means nothing after a restart of the editor, so the object is reported.
        private static bool TryResolve(object id, out object value)
        {
            value = null;
            var type = id.GetType();
            if (id.Equals(System.Activator.CreateInstance(type)))
            {
                return true;
            }
            var find = Members.Method(typeof(EditorUtility), "EntityIdToObject", type);
            if (find == null)
            {
                return false;
            }
            var found = find.Invoke(null, new[] { id }) as Object;
            value = found == null ? new JsonObject { { "missing", true } } : FieldValue.Reference(found);
            return true;
        }

        private static object AsJson(Gradient gradient)
        {
            if (gradient == null)
            {
                return null;
            }
            var colors = gradient.colorKeys.Select(
                key => new JsonObject { { "time", FieldValue.Real(key.time) },
                    { "color", VectorValue.ToJson(key.color) } }).ToList<object>();
            var alphas = gradient.alphaKeys.Select(
                key => new JsonObject { { "time", FieldValue.Real(key.time) },
                    { "alpha", FieldValue.Real(key.alpha) } }).ToList<object>();
            return new JsonObject { { "mode", gradient.mode.ToString() }, { "colors", colors }, { "alphas", alphas } };
        }
    }
}
