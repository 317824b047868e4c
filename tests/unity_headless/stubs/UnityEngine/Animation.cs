using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public enum SpriteAlignment { Center, TopLeft, TopCenter, TopRight, LeftCenter, RightCenter, BottomLeft,
        BottomCenter, BottomRight, Custom }

    public class Motion : Object { }

    /// <summary>Modules/Animation/ScriptBindings/AnimationClip.bindings.cs. A new one has 60 frames a second.</summary>
    public sealed class AnimationClip : Motion
    {
        internal readonly List<KeyValuePair<object, object>> Curves = new List<KeyValuePair<object, object>>();
        internal bool Loops;

        public float frameRate { get; set; } = 60;
        public bool legacy { get { return Native.Editor.Quirk("legacy-clips"); } }
    }

    public enum AnimatorControllerParameterType { Float = 1, Int = 3, Bool = 4, Trigger = 9 }

    public class AnimatorControllerParameter
    {
        public string name { get; set; } = "";
        public AnimatorControllerParameterType type { get; set; }
        public float defaultFloat { get; set; }
        public int defaultInt { get; set; }
        public bool defaultBool { get; set; }

        internal AnimatorControllerParameter Copy() { return (AnimatorControllerParameter)MemberwiseClone(); }
    }

    public class RuntimeAnimatorController : Object { }

    /// <summary>Modules/Animation/ScriptBindings/Animator.bindings.cs; its field is m_Controller.</summary>
    public class Animator : Component { }

    public abstract class StateMachineBehaviour : ScriptableObject { }

    public partial class Object
    {
        /// <summary>Without the permission an asset stays, and the console says so
        /// (UnityEngineObject.bindings.cs).</summary>
        public static void DestroyImmediate(Object target, bool allowDestroyingAssets)
        {
            Native.RequireMainThread("Object.DestroyImmediate");
            if (target.AssetPath.Length > 0 && !allowDestroyingAssets)
            {
                Debug.LogError("Destroying assets is not permitted to avoid data loss.");
                return;
            }
            World.SubAssets.Remove(target);
            target.AssetPath = "";
            target.IsDestroyed = true;
        }
    }
}
