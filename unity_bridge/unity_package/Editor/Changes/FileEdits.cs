using System;
using UnityEditor;
using UnityEngine;
using UnityEngine.SceneManagement;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Changes in a prefab's file: without Undo, because its contents are gone when the call ends, and Undo
    /// would keep dead objects. Main thread.</summary>
    internal sealed class FileEdits : ObjectEdits
    {
        private readonly PrefabFile _file;

        public FileEdits(PrefabFile file)
        {
            _file = file;
        }

        public override GameObject Create(Scene scene, string name) => Created(new GameObject(name));

        public override GameObject CreatePrimitive(PrimitiveType type) => Created(GameObject.CreatePrimitive(type));

        public override GameObject Created(GameObject made)
        {
            made.transform.SetParent(_file.Root.transform, false);
            return made;
        }

        public override Component AddComponent(GameObject owner, Type type) => owner.AddComponent(type);

        public override void Apply(SerializedObject serialized) => serialized.ApplyModifiedPropertiesWithoutUndo();

        public override void Destroy(Object target) => Object.DestroyImmediate(target);

        public override void Place(
            Transform moved, GameObject above, Scene scene, bool worldPositionStays, string name) =>
            moved.SetParent(above.transform, worldPositionStays);

        public override void SetIndex(Transform moved, int index, string name) => moved.SetSiblingIndex(index);
    }
}
