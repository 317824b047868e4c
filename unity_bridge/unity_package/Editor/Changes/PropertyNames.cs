using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Properties of Unity's components that stand for one serialized field with another name. Most are found by a rule, as
    /// <c>Light.intensity</c> is <c>m_Intensity</c> (<see cref="FieldAddress"/>).
    /// </summary>
    internal static class PropertyNames
    {
        private static readonly Dictionary<string, string> Fields = new Dictionary<string, string>
        {
            { "Light.shadows", "m_Shadows.m_Type" }, { "Light.shadowStrength", "m_Shadows.m_Strength" }, { "Camera.backgroundColor", "m_BackGroundColor" },
            { "Renderer.sharedMaterials", "m_Materials" }, { "Renderer.sharedMaterial", "m_Materials[0]" }, { "Renderer.material", "m_Materials[0]" },
            { "Renderer.shadowCastingMode", "m_CastShadows" }, { "MeshFilter.sharedMesh", "m_Mesh" }, { "MeshCollider.sharedMesh", "m_Mesh" },
            { "Collider.sharedMaterial", "m_Material" }, { "Animator.runtimeAnimatorController", "m_Controller" }, { "AudioSource.clip", "m_audioClip" },
            { "Text.fontSize", "m_FontData.m_FontSize" }, { "Text.alignment", "m_FontData.m_Alignment" },
            { "Text.font", "m_FontData.m_Font" }, { "Text.fontStyle", "m_FontData.m_FontStyle" }, { "Canvas.worldCamera", "m_Camera" },
            // What a text of TextMesh Pro has from Graphic is not what it draws.
            { "TMP_Text.color", "m_fontColor" }, { "TMP_Text.m_Color", "m_fontColor" },
            { "TMP_Text.material", "m_sharedMaterial" }, { "TMP_Text.m_Material", "m_sharedMaterial" },
            { "TMP_Text.fontSharedMaterial", "m_sharedMaterial" }, { "TMP_Text.fontMaterial", "m_sharedMaterial" },
            { "TMP_Text.font", "m_fontAsset" }, { "TMP_Text.richText", "m_isRichText" },
        };

        /// <summary>The field that a property of this type or of one above it stands for; null for any other.</summary>
        public static string Of(Type type, string property)
        {
            if (SettingsMembers.FieldOf(type, property) is { } ofSettings)
            {
                return ofSettings;
            }
            for (; type != null && type != typeof(object); type = type.BaseType)
            {
                if (Fields.TryGetValue(type.Name + "." + property, out var field))
                {
                    return field;
                }
            }
            return null;
        }

        /// <summary>"near clip plane" for nearClipPlane, as a Camera's fields are named.</summary>
        public static string Spaced(string property) => string.Concat(property.Select(one => char.IsUpper(one) ? " " + char.ToLowerInvariant(one) : one.ToString()));
    }
}
