using System;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    // What Unity has renamed, as 6000.0 declares it (Physics/ScriptBindings/Rigidbody.deprecated.cs,
    // PhysicsMaterial.deprecated.cs, Runtime/Export/Scripting/UnityEngineObject.bindings.cs).
    public partial class Rigidbody
    {
        public Vector3 linearVelocity { get; set; }

        [Obsolete("Please use Rigidbody.linearVelocity instead. (UnityUpgradable) -> linearVelocity")]
        public Vector3 velocity { get { return linearVelocity; } set { linearVelocity = value; } }

        public float linearDamping { get; set; }

        [Obsolete("Please use Rigidbody.linearDamping instead. (UnityUpgradable) -> linearDamping")]
        public float drag { get { return linearDamping; } set { linearDamping = value; } }
    }

    public class PhysicsMaterial : Object
    {
        public float bounciness { get; set; }
    }

    [Obsolete("PhysicMaterial has been renamed to PhysicsMaterial. (UnityUpgradable) -> PhysicsMaterial", true)]
    public class PhysicMaterial : Object
    {
    }

    public enum FindObjectsSortMode { None, InstanceID }

    public partial class Object
    {
        [Obsolete("Object.FindObjectsOfType has been deprecated. Use Object.FindObjectsByType instead.", false)]
        public static T[] FindObjectsOfType<T>() where T : Object
        {
            return new T[0];
        }

        public static T[] FindObjectsByType<T>(FindObjectsSortMode sortMode) where T : Object
        {
            return new T[0];
        }
    }
}
