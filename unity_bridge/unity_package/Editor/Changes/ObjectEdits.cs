using System;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityEngine.SceneManagement;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// The changes of objects that commands make, with Undo: as Unity's own menus make them. In a prefab's file they are made without, because
    /// its contents are gone when the call ends, and Undo would keep dead objects. Main thread.
    /// </summary>
    internal static class ObjectEdits
    {
        // Internal from 2021.3 to 6000.7. CreatePrimitive leaves a record open, and Unity's own menu closes it before it sets a parent
        // (GOCreationCommands.Place).
        private static readonly MethodInfo FlushTracked = typeof(Undo).GetMethod("FlushTrackedObjects",
            BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic, null, Type.EmptyTypes, null);

        private static bool IsInFile => PrefabFile.Current != null;

        public static GameObject Create(Scene scene, string name) =>
            IsInFile ? Created(new GameObject(name)) : AtOrigin(ObjectFactory.CreateGameObject(scene, HideFlags.None, name));

        /// <remarks>ObjectFactory applies the project's presets (Editor/Mono/ObjectFactory.bindings.cs, 2021.3 to 6000.7).</remarks>
        public static GameObject CreatePrimitive(PrimitiveType type) =>
            IsInFile ? Created(GameObject.CreatePrimitive(type)) : AtOrigin(ObjectFactory.CreatePrimitive(type));

        // Since 2022.2 the factory puts it below the person's default parent, at the same place in the world (GameObjectUtility.cs).
        private static GameObject AtOrigin(GameObject made)
        {
            if (made.transform.parent != null)
            {
                made.transform.localPosition = made.transform.localEulerAngles = new Vector3(0, 0, 0);
                made.transform.localScale = new Vector3(1, 1, 1);
            }
            return made;
        }

        /// <summary>Notes an object that was made in another way. The creation is what is undone, so it is recorded at once (manual,
        /// Undo.RegisterCreatedObjectUndo).</summary>
        public static GameObject Created(GameObject made)
        {
            if (IsInFile)
            {
                made.transform.SetParent(PrefabFile.Current.Root.transform, false);
            }
            else
            {
                Undo.RegisterCreatedObjectUndo(made, "Create " + made.name);
            }
            return made;
        }

        public static Component AddComponent(GameObject owner, Type type) => IsInFile ? owner.AddComponent(type) : ObjectFactory.AddComponent(owner, type);

        public static void Apply(SerializedObject serialized)
        {
            if (IsInFile)
            {
                serialized.ApplyModifiedPropertiesWithoutUndo();
            }
            else
            {
                serialized.ApplyModifiedProperties();
            }
        }

        public static void Destroy(Object target)
        {
            if (IsInFile)
            {
                Object.DestroyImmediate(target);
            }
            else
            {
                Undo.DestroyObjectImmediate(target);
            }
        }

        /// <summary>Below a parent, or at the root of a scene, to which a root object alone can be moved.</summary>
        public static void Place(Transform moved, GameObject above, Scene scene, bool worldPositionStays, string name)
        {
            if (IsInFile)
            {
                moved.SetParent(above.transform, worldPositionStays);
                return;
            }
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

        // Undo.SetSiblingIndex is there from 2022.2 on. Before it Unity records the order of the parent's children (SceneView.cs, 2021.3);
        // for the root objects of a scene, which have no parent, the transform itself is recorded.
        public static void SetIndex(Transform moved, int index, string name)
        {
            var set = typeof(Undo).GetMethod("SetSiblingIndex", new[] { typeof(Transform), typeof(int), typeof(string) });
            if (!IsInFile && set != null)
            {
                set.Invoke(null, new object[] { moved, index, name });
                return;
            }
            if (!IsInFile && moved.parent != null)
            {
                Undo.RegisterChildrenOrderUndo(moved.parent, name);
            }
            else if (!IsInFile)
            {
                Undo.RegisterCompleteObjectUndo(moved, name);
            }
            moved.SetSiblingIndex(index);
        }
    }
}
