using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Properties of Unity's components that stand for one serialized field with another name. Most are found by a
    /// rule, as
    /// <c>Light.intensity</c> is <c>m_Intensity</c> (<see cref="FieldAddress"/>).
    /// </summary>
    internal static class PropertyNames
    {
        private static readonly Dictionary<string, string> Fields = new Dictionary<string, string>
        {
            { "Light.shadows", "m_Shadows.m_Type" }, { "Light.shadowStrength", "m_Shadows.m_Strength" },
            { "Camera.backgroundColor", "m_BackGroundColor" },
            { "Renderer.sharedMaterials", "m_Materials" }, { "Renderer.sharedMaterial", "m_Materials[0]" },
            { "Renderer.material", "m_Materials[0]" },
            { "Renderer.shadowCastingMode", "m_CastShadows" }, { "MeshFilter.sharedMesh", "m_Mesh" },
            { "MeshCollider.sharedMesh", "m_Mesh" },
            { "Collider.sharedMaterial", "m_Material" }, { "Animator.runtimeAnimatorController", "m_Controller" },
            { "AudioSource.clip", "m_audioClip" },
            { "Text.fontSize", "m_FontData.m_FontSize" }, { "Text.alignment", "m_FontData.m_Alignment" },
            { "Text.font", "m_FontData.m_Font" }, { "Text.fontStyle", "m_FontData.m_FontStyle" },
            { "Canvas.worldCamera", "m_Camera" },
            // What a text of TextMesh Pro has from Graphic is not what it draws.
            { "TMP_Text.color", "m_fontColor" }, { "TMP_Text.m_Color", "m_fontColor" },
            { "TMP_Text.material", "m_sharedMaterial" }, { "TMP_Text.m_Material", "m_sharedMaterial" },
            { "TMP_Text.fontSharedMaterial", "m_sharedMaterial" }, { "TMP_Text.fontMaterial", "m_sharedMaterial" },
            { "TMP_Text.font", "m_fontAsset" }, { "TMP_Text.richText", "m_isRichText" },
            { "Transform.scale", "m_LocalScale" },
            // Before Unity 6 the fields have the first of these names (Rigidbody.bindings.cs).
            { "Rigidbody.drag", "m_LinearDamping" }, { "Rigidbody.linearDamping", "m_Drag" },
            { "Rigidbody.angularDrag", "m_AngularDamping" }, { "Rigidbody.angularDamping", "m_AngularDrag" },
            // ParticleSystemModules/InitialModuleUI.cs, EmissionModuleUI.cs, ShapeModuleUI.cs, 2021.3 to 6000.7.
            { "ParticleSystem.main.duration", "lengthInSec" }, { "ParticleSystem.main.loop", "looping" },
            { "ParticleSystem.main.prewarm", "prewarm" },
            { "ParticleSystem.main.startDelay", "startDelay" }, { "ParticleSystem.main.playOnAwake", "playOnAwake" },
            { "ParticleSystem.main.simulationSpeed", "simulationSpeed" },
            { "ParticleSystem.main.simulationSpace", "moveWithTransform" },
            { "ParticleSystem.main.stopAction", "stopAction" }, { "ParticleSystem.main", "InitialModule" },
            { "ParticleSystem.main.maxParticles", "InitialModule.maxNumParticles" },
            { "ParticleSystem.emission", "EmissionModule" },
            { "ParticleSystem.shape", "ShapeModule" }, { "ParticleSystem.shape.shapeType", "ShapeModule.type" },
            { "ParticleSystem.shape.radius", "ShapeModule.radius.value" },
            { "ParticleSystem.shape.arc", "ShapeModule.arc.value" },
        };

        /// <summary>The field that a property of this type or of one above it stands for; null for any other.</summary>
        public static string FieldOf(Type type, string property)
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

        /// <summary>The field with its longest beginning of several names that a row stands for replaced, as in
        /// <c>main.duration</c>.</summary>
        public static string Replaced(Type type, string field)
        {
            for (var end = field.Length; end > field.IndexOf('.')
                && field.IndexOf('.') > 0; end = field.LastIndexOf('.', end - 1))
            {
                if (FieldOf(type, field.Substring(0, end)) is { } name)
                {
                    return name + field.Substring(end);
                }
            }
            return field;
        }

        /// <summary>"near clip plane" for nearClipPlane, as a Camera's fields are named.</summary>
        public static string Spaced(string property) =>
            string.Concat(property.Select(
                letter => char.IsUpper(letter) ? " " + char.ToLowerInvariant(letter) : letter.ToString()));
    }
}
