using System;
using System.Collections.Generic;

namespace UnityEngine
{
    public enum CameraClearFlags { Skybox = 1, Color = 2, SolidColor = 2, Depth = 3, Nothing = 4 }

    [Flags]
    public enum RigidbodyConstraints { None = 0, FreezePositionX = 2, FreezePositionY = 4, FreezePositionZ = 8,
        FreezeRotationX = 16, FreezeRotationY = 32, FreezeRotationZ = 64,
        FreezePosition = 14, FreezeRotation = 112, FreezeAll = 126 }

    public sealed partial class Camera
    {
        /// <summary>Runtime/Export/Camera/Camera.bindings.cs. Its field is a number (CameraEditor.cs:
        /// clearFlags.intValue).</summary>
        public CameraClearFlags clearFlags { get; set; }
    }

    /// <summary>Modules/TextRendering/TextMesh.bindings.cs.</summary>
    [Module("textrendering")]
    public class TextMesh : Component
    {
        public string text { get; set; } = "";
        public Font font { get; set; }
    }

    public partial class Rigidbody
    {
        /// <summary>Modules/Physics/ScriptBindings/Rigidbody.bindings.cs. Its field is a number
        /// (RigidbodyEditor.cs).</summary>
        public RigidbodyConstraints constraints { get; set; }
    }

    /// <summary>
    /// What components of Unity have serialized, by the names that files of scenes have (2021.3 to 6000.3), with the
    /// quirk unity-fields. Most tests want few fields, and add their own.
    /// </summary>
    internal static class UnityFields
    {
        private static readonly Dictionary<string, string> All = new Dictionary<string, string>
        {
            { "Rigidbody",
                "m_Mass|Float|float|1;m_Drag|Float|float|0;m_UseGravity|Boolean|bool|true;"
                + "m_IsKinematic|Boolean|bool|false;m_Constraints|Integer|int|0" },
            { "BoxCollider",
                "m_IsTrigger|Boolean|bool|false;m_Enabled|Boolean|bool|true;m_Size|Vector3|Vector3f|1,1,1;"
                + "m_Center|Vector3|Vector3f|0,0,0" },
            { "Light",
                "m_Type|Enum|Enum|1:Spot=0,Directional=1,Point=2,Area=3;m_Color|Color|ColorRGBA|1,1,1,1;"
                + "m_Range|Float|float|10;m_SpotAngle|Float|float|30;"
                + "m_Shadows|Generic|ShadowSettings|;m_Shadows.m_Type|Enum|Enum|0:None,Hard,Soft;"
                + "m_CullingMask|LayerMask|LayerMask|-1" },
            { "Camera",
                "m_ClearFlags|Integer|unsigned int|1;m_BackGroundColor|Color|ColorRGBA|0.19,0.3,0.47,0;far clip "
                + "plane|Float|float|1000;"
                + "field of view|Float|float|60;orthographic|Boolean|bool|false;orthographic "
                + "size|Float|float|5;m_CullingMask|LayerMask|LayerMask|-1" },
            { "AudioSource",
                "m_audioClip|ObjectReference|PPtr<AudioClip>|;m_PlayOnAwake|Boolean|bool|true;m_Volume|Float|float|1;"
                + "m_Pitch|Float|float|1;Loop|Boolean|bool|false;"
                + "Mute|Boolean|bool|false" },
            { "MeshRenderer",
                "m_Enabled|Boolean|bool|true;m_CastShadows|Enum|Enum|1:Off,On,TwoSided,ShadowsOnly;"
                + "m_ReceiveShadows|Boolean|bool|true" },
            { "SpriteRenderer",
                "m_Enabled|Boolean|bool|true;m_Sprite|ObjectReference|PPtr<Sprite>|;m_Color|Color|ColorRGBA|1,1,1,1;"
                + "m_FlipX|Boolean|bool|false;m_SortingOrder|Integer|SInt16|0" },
            // CanvasEditor.cs: m_RenderMode.enumValueIndex.
            { "Canvas",
                "m_RenderMode|Enum|Enum|0:ScreenSpaceOverlay,ScreenSpaceCamera,WorldSpace;"
                + "m_PixelPerfect|Boolean|bool|false;m_SortingOrder|Integer|SInt16|0" },
            // com.unity.ugui 2.5.0, Runtime/UI/Core/Slider.cs.
            { "Slider",
                "m_Interactable|Boolean|bool|true;m_MinValue|Float|float|0;m_MaxValue|Float|float|1;"
                + "m_WholeNumbers|Boolean|bool|false;m_Value|Float|float|0" },
            { "ParticleSystem",
                "lengthInSec|Float|float|5;looping|Boolean|bool|true;playOnAwake|Boolean|bool|true;"
                + "InitialModule|Generic|InitialModule|;"
                + "InitialModule.startColor|Generic|MinMaxGradient|;"
                + "InitialModule.startColor.minMaxState|Integer|int|2;"
                + "InitialModule.startColor.maxColor|Color|ColorRGBA|1,1,1,1;"
                + "InitialModule.startLifetime|Generic|MinMaxCurve|;"
                + "InitialModule.startLifetime.minMaxState|Integer|int|0;"
                + "InitialModule.startLifetime.scalar|Float|float|5" },
            { "RectTransform",
                "m_AnchorMin|Vector2|Vector2f|0.5,0.5;m_AnchorMax|Vector2|Vector2f|0.5,0.5;"
                + "m_AnchoredPosition|Vector2|Vector2f|0,0;"
                + "m_SizeDelta|Vector2|Vector2f|100,100;m_Pivot|Vector2|Vector2f|0.5,0.5" },
            // com.unity.ugui 2.5.0, Runtime/UI/Core/Text.cs and FontData.cs.
            { "Text",
                "m_Text|String|string|;m_Color|Color|ColorRGBA|1,1,1,1;m_FontData|Generic|FontData|;"
                + "m_FontData.m_FontSize|Integer|int|14;"
                + "m_FontData.m_Alignment|Enum|Enum|0:UpperLeft,UpperCenter,UpperRight,MiddleLeft,MiddleCenter,"
                + "MiddleRight,LowerLeft,LowerCenter,LowerRight" },
            { "Animator", "m_Controller|ObjectReference|PPtr<RuntimeAnimatorController>|" },
        };

        public static void AddTo(FieldList fields, Object target)
        {
            string rows;
            if (!All.TryGetValue(target.GetType().Name, out rows) || !Native.Editor.Quirk("unity-fields")) return;
            foreach (var row in rows.Split(';'))
            {
                var words = row.Split('|');
                fields.Set(words[0], words[1], words[2], words[1] == "Enum" ? words[3].Replace(':', ';') : words[3]);
            }
        }
    }
}
