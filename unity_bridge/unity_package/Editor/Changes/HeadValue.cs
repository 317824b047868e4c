using UnityEditor;
using UnityEditorInternal;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>The values that <c>inspect</c> prints of an object itself in another form than Unity stores them: its
    /// tag, layer and static flags. Main thread.</summary>
    internal static class HeadValue
    {
        /// <summary>The value in Unity's form; every other value as it is.</summary>
        public static object ToStored(SerializedProperty property, object value)
        {
            if (!(property.serializedObject.targetObject is GameObject owner))
            {
                return value;
            }
            switch (property.propertyPath)
            {
                case "m_Name":
                    return value is string { Length: > 0 }
                        ? value
                        : throw new FieldFault(" must be a text that is not empty.");
                case "m_TagString" when value is string tag
                    && System.Array.IndexOf(InternalEditorUtility.tags, tag) < 0:
                    throw new FieldFault(" can only be a tag that the project has (tags action=add tag="
                        + Quoted.Text(tag) + " adds it): "
                        + Quoted.Text(string.Join(", ", InternalEditorUtility.tags)) + ".");
                case "m_Layer":
                    return Layer(value);
                case "m_StaticEditorFlags" when value is bool isStatic:
                    // As the Inspector's check box (GameObjectInspector.cs: SetStaticFlags with int.MaxValue).
                    return isStatic == owner.isStatic ? property.longValue : isStatic ? int.MaxValue : 0L;
                default:
                    return value;
            }
        }

        private static object Layer(object value)
        {
            var layer = value is string name ? LayerMask.NameToLayer(name) : value is long number ? number : -1;
            return layer >= 0 && layer < 32 ? layer
                : throw new FieldFault(
                    " must be the name of a layer of the project (tags action=add layer=NAME adds one), or a number "
                    + "from 0 to 31.");
        }
    }
}
