using System;
using UnityEditor;
using UnityEngine;
using UnityEngine.SceneManagement;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>The changes of objects that commands make: those of scenes with Undo, those in a prefab's file without.
    /// Main thread.</summary>
    internal abstract class ObjectEdits
    {
        public abstract GameObject Create(Scene scene, string name);

        public abstract GameObject CreatePrimitive(PrimitiveType type);

        /// <summary>Notes an object that was made in another way.</summary>
        public abstract GameObject Created(GameObject made);

        public abstract Component AddComponent(GameObject owner, Type type);

        public abstract void Apply(SerializedObject serialized);

        public abstract void Destroy(Object target);

        /// <summary>Below a parent, or at the root of a scene, to which a root object alone can be moved.</summary>
        public abstract void Place(
            Transform moved, GameObject above, Scene scene, bool worldPositionStays, string name);

        public abstract void SetIndex(Transform moved, int index, string name);
    }
}
