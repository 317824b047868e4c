using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityEngine.SceneManagement;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    /// <summary>
    /// Editor/Mono/Undo/Undo.bindings.cs. Operations belong to the group that is the current one; collapsing puts all
    /// since a group into it; one Ctrl+Z undoes a whole group (manual, Undo.IncrementCurrentGroup,
    /// CollapseUndoOperations, RevertAllDownToGroup). UndoStack.cs has the stack itself.
    /// </summary>
    public partial class Undo
    {
        // (Of a field of the native side no address can be taken: another domain has it.)
        public static void IncrementCurrentGroup()
        {
            Native.RequireMainThread("Undo.IncrementCurrentGroup");
            Native.Editor.UndoGroup = Native.Editor.UndoGroup + 1;
        }

        public static int GetCurrentGroup()
        {
            Native.RequireMainThread("Undo.GetCurrentGroup");
            return Native.Editor.UndoGroup;
        }

        /// <summary>Recording marks what is changed: a scene not in play mode, an asset always.</summary>
        internal static void Touch(Object target)
        {
            var owner = target is Component ? ((Component)target).Owner : target as GameObject;
            if (owner != null) NoteScene(owner.SceneFile);
            Mark(target);
        }

        internal static void Mark(Object target)
        {
            var owner = target is Component ? ((Component)target).Owner : target as GameObject;
            if (owner != null && owner.SceneFile.StartsWith(World.Apart))
            {
                Native.Editor.Say("VIOLATION Undo of an object that is gone when its contents are unloaded");
            }
            if (EditorUtility.IsPersistent(target))
            {
                AssetDatabase.MarkDirty(AssetDatabase.GetAssetPath(target));
            }
            else if (!Native.Playing && owner != null) Native.Editor.MarkDirty(owner.SceneFile);
        }

        /// <summary>What RecordObject has noted is compared and written down; a person's too.</summary>
        public static void FlushUndoRecordObjects()
        {
            Native.RequireMainThread("Undo.FlushUndoRecordObjects");
            foreach (var pending in Pending.ToList()) pending();
            Pending.Clear();
        }

        private static readonly List<Action> Pending = new List<Action>();

        internal static void FlushTrackedObjects()
        {
            Native.Editor.Say("tracked-flushed");
            IsTracking = false;
        }

        /// <summary>CreatePrimitive leaves a record open: a parent that is set before it is closed is lost at
        /// Undo.</summary>
        internal static bool IsTracking;

        /// <summary>The record is taken when it is flushed, and belongs to the group of that moment.</summary>
        public static void RecordObject(Object objectToUndo, string name)
        {
            World.Read("Undo.RecordObject");
            var material = objectToUndo as Material;
#if !UNITY_2021_3
            if (objectToUndo is Build.Profile.BuildProfile)
            {
                var list = Native.Editor.ProfileScenes;
                Pending.Add(() => Record(() => Native.Editor.ProfileScenes = list));
                return;
            }
#endif
            if (material == null)
            {
                throw new NotSupportedException("the stub records materials and build profiles alone");
            }
            var values = new Dictionary<string, object>(material.Values);
            var shader = material.shader;
            var queue = material.renderQueue;
            var instancing = material.enableInstancing;
            Pending.Add(() => Record(() =>
            {
                material.Values = values;
                material.shader = shader;
                material.renderQueue = queue;
                material.enableInstancing = instancing;
            }));
        }

#if !UNITY_2021_3
        public static void SetSiblingIndex(Transform transform, int siblingIndex, string name)
        {
            World.Read("Undo.SetSiblingIndex");
            var before = transform.GetSiblingIndex();
            transform.Place(transform.Above, transform.Owner.SceneFile, siblingIndex);
            Record(() => transform.Place(transform.Above, transform.Owner.SceneFile, before));
            Touch(transform);
        }

        /// <summary>From 2022.2 on, and internal (Undo.bindings.cs): undoing it writes the earlier content and imports
        /// it.</summary>
        internal static void RegisterFileChangeUndo(GUID prefabToUndo, byte[] oldFileContent, byte[] newFileContent)
        {
            World.Read("Undo.RegisterFileChangeUndo");
            var path = AssetDatabase.GUIDToAssetPath(prefabToUndo.ToString());
            Record(() =>
            {
                System.IO.File.WriteAllBytes(Making.FileOf(path), oldFileContent);
                AssetDatabase.ImportAsset(path);
            });
        }
#endif

        /// <summary>Undoing it puts the settings back and imports the file again (Undo.bindings.cs).</summary>
        public static void RegisterImporterUndo(string path, string name)
        {
            World.Read("Undo.RegisterImporterUndo");
            var back = AssetImporter.GetAtPath(path).Back();
            // What cannot be written is an error in the console, and no exception.
            Record(() =>
            {
                try { back(); }
                catch (Exception full) { Debug.LogError(full.Message); }
            });
        }

        public static void RegisterCreatedObjectUndo(Object objectToUndo, string name)
        {
            Native.RequireMainThread("Undo.RegisterCreatedObjectUndo");
            if (objectToUndo is Transform)
            {
                throw new ArgumentException("Cannot call 'RegisterCreatedObjectUndo' on Transform components");
            }
            Record(((GameObject)objectToUndo).Destroy);
            Touch(objectToUndo);
        }

        /// <summary>Throws for an object that a prefab's instance has from its prefab; from 2022.2 on that is an
        /// override. A component that another one needs stays, with an error in the console (manual,
        /// RequireComponent).</summary>
        public static void DestroyObjectImmediate(Object objectToUndo)
        {
            World.Read("Undo.DestroyObjectImmediate");
            var component = objectToUndo as Component;
            if (component != null)
            {
                Remove(component);
                return;
            }
            var owner = (GameObject)objectToUndo;
#if UNITY_2021_3
            if (PrefabUtility.IsHeld(owner))
            {
                throw new InvalidOperationException("Destroying a GameObject inside a Prefab instance is not allowed.");
            }
#endif
            var parent = owner.Own.Above;
            var index = owner.Own.GetSiblingIndex();
            Touch(owner);
            owner.Destroy();
            Record(() => { owner.Mark(false); owner.Own.Place(parent, owner.SceneFile, index); });
        }

        private static void Remove(Component component)
        {
            var owner = component.Owner;
            var index = owner.Components.IndexOf(component);
            component.Destroyed();
            if (!component.IsDestroyed) return;
            Record(() => { owner.Components.Insert(index, component); component.IsDestroyed = false; });
            Touch(owner);
        }

        public static void SetTransformParent(Transform transform, Transform newParent, string name)
        {
            SetTransformParent(transform, newParent, true, name);
        }

        /// <summary>What an instance has from its prefab stays where it is, with an error in the console. Unity keeps
        /// the scene of an object that goes to no parent.</summary>
        public static void SetTransformParent(
            Transform transform, Transform newParent, bool worldPositionStays, string name)
        {
            World.Read("Undo.SetTransformParent");
            if (IsTracking) Native.Editor.Say("VIOLATION a parent is set while an object is tracked");
            if (PrefabUtility.IsHeld(transform.Owner))
            {
                Debug.LogError("Setting the parent of a transform which resides in a Prefab instance is not possible.");
                return;
            }
            Move(transform, newParent, transform.Owner.SceneFile);
            if (!worldPositionStays) Native.Editor.Say("local-position-stays " + transform.Owner.RawName);
        }

        public static void MoveGameObjectToScene(GameObject go, Scene scene, string name)
        {
            World.Read("Undo.MoveGameObjectToScene");
            if (go.Own.Above != null) throw new ArgumentException("Gameobject is not a root in a scene");
            Move(go.Own, null, scene.File);
        }

        private static void Move(Transform transform, Transform parent, string scene)
        {
            var before = transform.Above;
            var sceneBefore = transform.Owner.SceneFile;
            var index = transform.GetSiblingIndex();
            transform.Place(parent, scene, int.MaxValue);
            Record(() => transform.Place(before, sceneBefore, index));
            Touch(transform);
        }

        /// <summary>The order of its children is what is undone.</summary>
        public static void RegisterChildrenOrderUndo(Object objectToUndo, string name)
        {
            World.Read("Undo.RegisterChildrenOrderUndo");
            var parent = (Transform)objectToUndo;
            var order = parent.Children.ToArray();
            Record(() => { parent.Children.Clear(); parent.Children.AddRange(order); });
            Touch(parent);
        }

        /// <summary>Of a transform: its place among the others (m_RootOrder, a field of the transform in
        /// 2021.3).</summary>
        public static void RegisterCompleteObjectUndo(Object objectToUndo, string name)
        {
            World.Read("Undo.RegisterCompleteObjectUndo");
            var transform = (Transform)objectToUndo;
            var index = transform.GetSiblingIndex();
            Record(() => transform.Place(transform.Above, transform.Owner.SceneFile, index));
            Touch(transform);
        }
    }

    /// <summary>Editor/Mono/ObjectFactory.bindings.cs: with the project's presets, and with Undo of its own.</summary>
    public static class ObjectFactory
    {
        /// <summary>In the active scene, with a collider, and the record left open (ObjectFactory.bindings.cs;
        /// GOCreationCommands.Place).</summary>
        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            World.Read("ObjectFactory.CreatePrimitive");
            var made = CreateGameObject(
                SceneManager.GetActiveScene(), HideFlags.None, type.ToString(), typeof(MeshFilter),
                typeof(MeshRenderer), typeof(BoxCollider));
            Undo.IsTracking = true;
            return made;
        }

        public static GameObject CreateGameObject(Scene scene, HideFlags hideFlags, string name, params Type[] types)
        {
            World.Read("ObjectFactory.CreateGameObject");
            if (!scene.IsValid()) throw new ArgumentException("Cannot create a GameObject to a null Scene.");
            var made = World.Created(scene.File, name);
            Undo.Record(made.Destroy);
            Undo.Touch(made);
            foreach (var type in types) AddComponent(made, type);
#if !UNITY_2021_3
            PutBelowDefaultParent(made);
#endif
            return made;
        }

        /// <summary>Since 2022.2, below that of the active scene or of the open prefab, whatever scene was asked for,
        /// at the same place in the world: what a parent is scaled by, its children take back
        /// (GameObjectUtility.SetDefaultParentForNewObject, SceneView.GetDefaultParentObjectIfSet).</summary>
        private static void PutBelowDefaultParent(GameObject made)
        {
            var parent = World.DefaultParent;
            if (parent == null || parent.SceneFile != (Native.Editor.OpenPrefab ?? SceneManager.GetActiveScene().File))
            {
                return;
            }
            var scale = parent.Own.localScale;
            made.Own.SetParent(parent.Own, true);
            made.Own.localScale = new Vector3(1 / scale.x, 1 / scale.y, 1 / scale.z);
        }

        public static Component AddComponent(GameObject gameObject, Type type)
        {
            World.Read("ObjectFactory.AddComponent");
            if (type.IsAbstract)
            {
                throw new ArgumentException("Abstract types can't be used in the ObjectFactory : " + type.FullName);
            }
            if (Attribute.GetCustomAttribute(type, typeof(ExcludeFromObjectFactoryAttribute)) != null)
                throw new ArgumentException("The type " + type.FullName + " is not supported by the ObjectFactory.");
            if (!type.IsSubclassOf(typeof(Component)))
            {
                throw new ArgumentException(
                    "Non-Component type must use ObjectFactory.CreateInstance instead : " + type.FullName);
            }
            if (!ModuleAttribute.CanAdd(type)) return null;
            if (Native.Editor.Quirk("adds-nothing")
                || (type.IsDefined(typeof(DisallowMultipleComponent), false)
                    && gameObject.Components.Any(type.IsInstanceOfType)))
            {
                Debug.LogError("The component " + type.Name + " can't be added because " + gameObject.RawName
                    + " already contains the same component.");
                return null;
            }
            foreach (RequireComponent needs in type.GetCustomAttributes(typeof(RequireComponent), true))
            {
                if (!gameObject.Components.Any(needs.m_Type0.IsInstanceOfType)) AddComponent(gameObject, needs.m_Type0);
            }
            // TMP_Settings.instance (com.unity.textmeshpro, com.unity.ugui 2): without its resources a window asks to
            // import them.
            if (type.FullName.StartsWith("TMPro.TextMeshPro")
                && !World.Assets.Any(asset => asset.GetType().Name == "TMP_Settings"))
                Native.Editor.Say("VIOLATION a window asks to import TextMesh Pro's resources");
            var before = gameObject.Components.ToArray();
            var own = gameObject.Own;
            var added = gameObject.Add(type);
            Undo.Record(() =>
            {
                if (added is Transform) gameObject.Become(own);
                gameObject.Components.Clear();
                gameObject.Components.AddRange(before);
                added.IsDestroyed = true;
            });
            Undo.Touch(gameObject);
            return added;
        }
    }

    public static partial class PrefabUtility
    {
        public static Object InstantiatePrefab(Object assetComponentOrGameObject, Scene destinationScene)
        {
            World.Read("PrefabUtility.InstantiatePrefab");
            return World.InstanceIn((GameObject)assetComponentOrGameObject, destinationScene.File);
        }

        public static bool IsPartOfPrefabInstance(Object componentOrGameObject)
        {
            World.Read("PrefabUtility.IsPartOfPrefabInstance");
            return SourceOf(componentOrGameObject) != null;
        }

        /// <summary>Also the root of an instance within another one, which the stub has none of.</summary>
        public static bool IsAnyPrefabInstanceRoot(GameObject gameObject)
        {
            return IsOutermostPrefabInstanceRoot(gameObject);
        }

        public static bool IsOutermostPrefabInstanceRoot(GameObject gameObject)
        {
            World.Read("PrefabUtility.IsOutermostPrefabInstanceRoot");
            return gameObject.Source != null
                && (gameObject.Own.Above == null || gameObject.Own.Above.Owner.Source == null);
        }

        /// <summary>An object below an instance that its prefab does not have.</summary>
        public static bool IsAddedGameObjectOverride(GameObject gameObject)
        {
            World.Read("PrefabUtility.IsAddedGameObjectOverride");
            return gameObject.Source == null && gameObject.Own.Above != null
                && gameObject.Own.Above.Owner.Source != null;
        }

        /// <summary>A part of a model, or of a package that cannot be changed.</summary>
        public static bool IsPartOfImmutablePrefab(Object componentOrGameObject)
        {
            World.Read("PrefabUtility.IsPartOfImmutablePrefab");
            return AssetDatabase.GetAssetPath(componentOrGameObject).EndsWith(".fbx");
        }

        public static string GetPrefabAssetPathOfNearestInstanceRoot(Object instanceComponentOrGameObject)
        {
            World.Read("PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot");
            var owner = instanceComponentOrGameObject is Component
                ? ((Component)instanceComponentOrGameObject).Owner
                : (GameObject)instanceComponentOrGameObject;
            while (owner.Source == null && owner.Own.Above != null) owner = owner.Own.Above.Owner;
            return owner.Source == null ? "" : owner.Source.AssetPath;
        }

        // The root of an instance is free, and what was added to one.
        internal static bool IsHeld(GameObject owner)
        {
            return owner.Source != null && !IsOutermostPrefabInstanceRoot(owner);
        }

        /// <summary>Null for what no prefab has.</summary>
        internal static Object SourceOf(Object target)
        {
            var component = target as Component;
            if (component == null) return target is GameObject ? ((GameObject)target).Source : null;
            var source = component.Owner.Source;
            if (source == null) return null;
            var same = component.Owner.Components.Where(
                other => other != null && other.GetType() == component.GetType()).ToList();
            return source.Components.Where(other => other != null && other.GetType() == component.GetType())
                .Skip(same.IndexOf(component)).FirstOrDefault();
        }
    }

    public partial class AssetDatabase
    {
        /// <summary>Made by an importer out of a file of another program.</summary>
        public static bool IsForeignAsset(Object obj)
        {
            World.Read("AssetDatabase.IsForeignAsset");
            return GetAssetPath(obj).EndsWith(".png");
        }

        public static bool IsOpenForEdit(string assetOrMetaFilePath)
        {
            Native.RequireMainThread("AssetDatabase.IsOpenForEdit");
            return !Native.Editor.Quirk("not-checked-out");
        }

        public static bool IsOpenForEdit(Object assetObject)
        {
            World.Read("AssetDatabase.IsOpenForEdit");
            return !GetAssetPath(assetObject).StartsWith("Packages/");
        }

        private static readonly Dictionary<string, Object> SettingsByPath = new Dictionary<string, Object>();

        // One object for each file of ProjectSettings.
        private static Object Settings(string path)
        {
            Object settings;
            if (!SettingsByPath.TryGetValue(path, out settings))
            {
                SettingsByPath[path] = settings = new ScriptableObject { AssetPath = path };
            }
            return settings;
        }

        public static Object[] LoadAllAssetsAtPath(string assetPath)
        {
            World.Read("AssetDatabase.LoadAllAssetsAtPath");
            if (assetPath.StartsWith("ProjectSettings/") && ProjectSettings.At(assetPath).Length > 0)
            {
                return ProjectSettings.At(assetPath);
            }
            if (assetPath.StartsWith("ProjectSettings/")) return new[] { Settings(assetPath) };
            return World.Assets.Concat(World.SubAssets).Where(asset => asset.AssetPath == assetPath).ToArray();
        }
    }
}

namespace UnityEditorInternal
{
    using UnityEditor;

    public partial class InternalEditorUtility
    {
        /// <summary>Those of Unity's own first, then the project's; a removed one is an empty entry of the list until
        /// the project is loaded again (TagManagerInspector.cs: "They will be removed from this list the next time the
        /// project is loaded").</summary>
        public static string[] tags
        {
            get
            {
                Native.RequireMainThread("InternalEditorUtility.tags");
                return TagManager.BuiltIn.Concat(TagManager.Own.Where(tag => tag != "")).ToArray();
            }
        }

        /// <summary>Those that have a name.</summary>
        public static string[] layers
        {
            get
            {
                Native.RequireMainThread("InternalEditorUtility.layers");
                return LayerMask.Names.Where(name => name != "").ToArray();
            }
        }

        /// <summary>Silent for one that is there. The native side does not mark the settings as changed
        /// (TagManager.bindings.cs, 2022.3: AddTag).</summary>
        public static void AddTag(string tag)
        {
            Native.RequireMainThread("InternalEditorUtility.AddTag");
            if (tag.Length > 0 && !tags.Contains(tag))
            {
                TagManager.Edit("tags", list => { list.Resize(list.Size + 1); list.At(list.Size).Value = tag; });
            }
        }

        public static void RemoveTag(string tag)
        {
            Native.RequireMainThread("InternalEditorUtility.RemoveTag");
            if (!TagManager.Own.Contains(tag)) throw new UnityException("Tag: " + tag + " is not defined.");
            TagManager.Edit("tags", list => list.At(TagManager.Own.IndexOf(tag) + 1).Value = "");
        }

        /// <summary>With a name of its own choice and a new id (InternalEditorUtility.bindings.cs, 2021.3 to
        /// 6000.7).</summary>
        internal static void AddSortingLayer()
        {
            Native.RequireMainThread("InternalEditorUtility.AddSortingLayer");
            TagManager.Edit("m_SortingLayers", list =>
            {
                list.Resize(list.Size + 1);
                list.At(list.Size).Find("name").Value = "New Layer " + list.Size;
                list.At(list.Size).Find("uniqueID").Value = 1000L + list.Size;
            });
        }

        internal static void SetSortingLayerName(int index, string name)
        {
            Native.RequireMainThread("InternalEditorUtility.SetSortingLayerName");
            TagManager.Edit("m_SortingLayers", list => list.At(index + 1).Find("name").Value = name);
        }

        /// <summary>Until then the running editor has the old order.</summary>
        internal static void UpdateSortingLayersOrder()
        {
            Native.RequireMainThread("InternalEditorUtility.UpdateSortingLayersOrder");
            SortingLayer.Order = TagManager.SortingLayers;
            SortingLayer.Ids = TagManager.SortingLayerIds;
        }
    }
}

namespace UnityEditor.SceneManagement
{
    public partial class EditorSceneManager
    {
        /// <summary>True by default (manual, EditorSceneManager.preventCrossSceneReferences).</summary>
        public static bool preventCrossSceneReferences
        {
            get { Native.RequireMainThread("EditorSceneManager.preventCrossSceneReferences"); return true; }
        }

        /// <summary>Not in play mode.</summary>
        public static bool MarkSceneDirty(Scene scene)
        {
            Native.RequireMainThread("EditorSceneManager.MarkSceneDirty");
            if (Native.Playing) throw new InvalidOperationException("This cannot be used during play mode.");
            Native.Editor.MarkDirty(scene.File);
            return true;
        }
    }
}
