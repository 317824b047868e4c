using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>
    /// Properties of Unity's components that stand for one serialized field with another name. Most are found by a
    /// rule, as
    /// <c>Light.intensity</c> is <c>m_Intensity</c> (<see cref="FieldAddress"/>).
    /// </summary>
    internal static class PropertyNames
    {
        private static readonly Dictionary<string, string> Fields = NameTable.Read(
            "m_Shadows.m_Type: Light.shadows", "m_Shadows.m_Strength: Light.shadowStrength",
            "m_BackGroundColor: Camera.backgroundColor", "m_Materials: Renderer.sharedMaterials",
            "m_Materials[0]: Renderer.sharedMaterial Renderer.material", "m_CastShadows: Renderer.shadowCastingMode",
            "m_Mesh: MeshFilter.sharedMesh MeshCollider.sharedMesh", "m_Material: Collider.sharedMaterial",
            "m_Controller: Animator.runtimeAnimatorController", "m_audioClip: AudioSource.clip",
            "m_FontData.m_FontSize: Text.fontSize", "m_FontData.m_Alignment: Text.alignment",
            "m_FontData.m_Font: Text.font", "m_FontData.m_FontStyle: Text.fontStyle", "m_Camera: Canvas.worldCamera",
            // What a text of TextMesh Pro has from Graphic is not what it draws.
            "m_fontColor: TMP_Text.color TMP_Text.m_Color",
            "m_sharedMaterial: TMP_Text.material TMP_Text.m_Material TMP_Text.fontSharedMaterial TMP_Text.fontMaterial",
            "m_fontAsset: TMP_Text.font", "m_isRichText: TMP_Text.richText", "m_LocalScale: Transform.scale",
            // Before Unity 6 the fields have the first of these names (Rigidbody.bindings.cs).
            "m_LinearDamping: Rigidbody.drag", "m_Drag: Rigidbody.linearDamping",
            "m_AngularDamping: Rigidbody.angularDrag", "m_AngularDrag: Rigidbody.angularDamping",
            // ParticleSystemModules/InitialModuleUI.cs, EmissionModuleUI.cs, ShapeModuleUI.cs, 2021.3 to 6000.7.
            "lengthInSec: ParticleSystem.main.duration", "looping: ParticleSystem.main.loop",
            "prewarm: ParticleSystem.main.prewarm", "startDelay: ParticleSystem.main.startDelay",
            "playOnAwake: ParticleSystem.main.playOnAwake", "simulationSpeed: ParticleSystem.main.simulationSpeed",
            "moveWithTransform: ParticleSystem.main.simulationSpace", "stopAction: ParticleSystem.main.stopAction",
            "InitialModule: ParticleSystem.main", "InitialModule.maxNumParticles: ParticleSystem.main.maxParticles",
            "EmissionModule: ParticleSystem.emission", "ShapeModule: ParticleSystem.shape",
            "ShapeModule.type: ParticleSystem.shape.shapeType",
            "ShapeModule.radius.value: ParticleSystem.shape.radius",
            "ShapeModule.arc.value: ParticleSystem.shape.arc");

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
