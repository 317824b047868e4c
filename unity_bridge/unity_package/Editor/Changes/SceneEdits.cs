using System;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Changes of objects in scenes, with Undo: as Unity's own menus make them. Main thread.</summary>
    internal sealed class SceneEdits : ObjectEdits
    {
        // Internal from 2021.3 to 6000.7. CreatePrimitive leaves a record open, and Unity's own menu closes it before
        // it sets a parent (GOCreationCommands.Place).
        private static readonly MethodInfo FlushTracked = 
            Members.Method(typeof(Undo), "FlushTrackedObjects");

        // From 2022.2 on.
        private static readonly MethodInfo SetSiblingIndex =
            Members.Method(typeof(Undo), "SetSiblingIndex", typeof(Transform), typeof(int), typeof(string));

        public override GameObject Create(Scene scene, string name) =>
            AtOrigin(ObjectFactory.CreateGameObject(scene, HideFlags.None, name));

        /// <remarks>ObjectFactory applies the project's presets (Editor/Mono/ObjectFactory.bindings.cs, 2021.3 to
        /// 6000.7).</remarks>
        public override GameObject CreatePrimitive(PrimitiveType type) => AtOrigin(ObjectFactory.CreatePrimitive(type));

        // The creation is what is undone, so it is recorded at once (manual, Undo.RegisterCreatedObjectUndo).
        public override GameObject Created(GameObject made)
        {
            Undo.RegisterCreatedObjectUndo(made, "Create " + made.name);
            return made;
        }

        public override Component AddComponent(GameObject owner, Type type) => ObjectFactory.AddComponent(owner, type);

        public override void Apply(SerializedObject serialized) => serialized.ApplyModifiedProperties();

        public override void Destroy(Object target) => Undo.DestroyObjectImmediate(target);

        public override void Place(Transform moved, GameObject above, Scene scene, bool worldPositionStays, string name)
        {
            FlushTracked?.Invoke(null, null);
            var parent = above == null ? null : above.transform;
            if (moved.parent != parent)
            {
                Undo.SetTransformParent(moved, parent, worldPositionStays, name);
            }
            if (above == null && moved.gameObject.scene != scene)
            {
                Undo.MoveGameObjectToScene(moved.gameObject, scene, name);
            }
        }

        // Before 2022.2 Unity records the order of the parent's children (SceneView.cs, 2021.3); for the root objects
        // of a scene, which have no parent, the transform itself is recorded.
        public override void SetIndex(Transform moved, int index, string name)
        {
            if (SetSiblingIndex != null)
            {
                SetSiblingIndex.Invoke(null, new object[] { moved, index, name });
                return;
            }
            if (moved.parent != null)
            {
                Undo.RegisterChildrenOrderUndo(moved.parent, name);
            }
            else
            {
                Undo.RegisterCompleteObjectUndo(moved, name);
            }
            moved.SetSiblingIndex(index);
        }

        // Since 2022.2 the factory puts it below the person's default parent, at the same place in the world
        // (GameObjectUtility.cs).
        private static GameObject AtOrigin(GameObject made)
        {
            if (made.transform.parent != null)
            {
                made.transform.localPosition = made.transform.localEulerAngles = new Vector3(0, 0, 0);
                made.transform.localScale = new Vector3(1, 1, 1);
            }
            return made;
        }
    }
}
