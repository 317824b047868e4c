using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using Object = UnityEngine.Object;

// What Unity and packages do after a call has returned: when the editor quits, and in the updates after an import.
namespace UnityEditor
{
    public partial class EditorWindow
    {
        /// <summary>Those that a script has made, shown or not.</summary>
        internal static readonly List<EditorWindow> Made = new List<EditorWindow>();

        private bool _hasUnsavedChanges;

        public EditorWindow() { if (GetType().Assembly != typeof(EditorWindow).Assembly) Made.Add(this); }

        internal virtual bool IsUnsaved { get { return _hasUnsavedChanges; } }

        /// <summary>Editor/Mono/EditorWindow.cs 2021.3.58f1:991-1017, 6000.7.0a1:1070-1096.</summary>
        public bool hasUnsavedChanges
        {
            get { Native.RequireMainThread("EditorWindow.hasUnsavedChanges"); return IsUnsaved; }
            protected set { _hasUnsavedChanges = value; }
        }
        public GUIContent titleContent { get; set; } = new GUIContent("");

        internal override void Destroyed() { Made.Remove(this); }

        public virtual void DiscardChanges() { hasUnsavedChanges = false; }
    }

    /// <summary>A window that keeps work, such as a graph's. With the quirk "window-keeps-changes" it does not let go
    /// of it.</summary>
    internal sealed class GraphWindow : EditorWindow
    {
        internal override bool IsUnsaved
        {
            get { return Native.List(Native.Editor.UnsavedWindows).Contains(titleContent.text); }
        }

        public override void DiscardChanges()
        {
            if (Native.Editor.Quirk("window-keeps-changes")) return;
            Native.Editor.Say("window-discarded " + titleContent.text);
            Native.Editor.UnsavedWindows =
                string.Join(";", Native.List(Native.Editor.UnsavedWindows).Where(title => title != titleContent.text));
        }
    }

    /// <summary>Up to 2022.1 no Inspector says that it has unsaved changes; since then it does for its editors
    /// (Editor/Mono/Inspector/PropertyEditor.cs 6000.7.0a1:2661-2690).</summary>
    internal class PropertyEditor : EditorWindow
    {
#if !UNITY_2021_3
        internal override bool IsUnsaved { get { return Native.Editor.DirtyImporters.Length > 0; } }
        public override void DiscardChanges() { Native.Editor.DirtyImporters = ""; }
#endif
    }

    internal sealed class InspectorWindow : PropertyEditor { }

    public class Editor : ScriptableObject
    {
        public Object[] targets { get; internal set; }
#if !UNITY_2021_3
        public virtual void DiscardChanges() { }
#endif
    }

    /// <summary>Editor/Mono/EditorApplication.cs, Internal_EditorApplicationQuit; StageNavigationManager.cs, OnQuit
    /// (2021.3.58f1 to 6000.7.0a1).</summary>
    internal static class Quitting
    {
        public static IEnumerable<Object> Objects()
        {
            foreach (var window in EditorWindow.Made) yield return window;
            foreach (var title in Native.List(Native.Editor.UnsavedWindows))
            {
                yield return new GraphWindow { titleContent = new GUIContent(title) };
            }
            yield return new InspectorWindow { titleContent = new GUIContent("Inspector") };
            if (Native.Editor.Quirk("unapplied-slices"))
            {
                yield return (Object)Activator.CreateInstance(AppDomain.CurrentDomain.GetAssemblies()
                    .Select(assembly => assembly.GetType("UnityEditor.U2D.Sprites.SpriteEditorWindow"))
                    .First(type => type != null));
            }
            if (Native.Editor.Quirk("unapplied-order")) yield return new ScriptExecutionOrderInspector();
            foreach (var path in Native.List(Native.Editor.DirtyImporters))
            {
                yield return new AssetImporters.TextureImporterInspector(path);
            }
        }

        /// <summary>What Exit loses without a word is for its caller to see before.</summary>
        public static void Check()
        {
            var isUnsaved = Native.Editor.DirtyScenes().Length > 0
                || Native.Editor.DirtyAssets.Split(';').Any(IsOfAPerson)
                || Native.Editor.UnsavedWindows.Length + Native.Editor.DirtyImporters.Length > 0;
            if (isUnsaved || EditorWindow.Made.Exists(window => window.IsUnsaved))
            {
                Native.Editor.Say("VIOLATION unsaved changes were lost");
            }
        }

        private static bool IsOfAPerson(string path)
        {
            return path.Length > 0 && !path.StartsWith("Packages/com.unity.") && !path.EndsWith(" Dynamic.asset");
        }

        /// <summary>The stage is left on the way out: with Auto Save it is saved, else Unity asks.</summary>
        public static void LeaveStage()
        {
            if (Native.Editor.DirtyPrefab == null) return;
            var isSaved = SceneManagement.PrefabStageUtility.GetCurrentPrefabStage().autoSave;
            Native.Editor.Say(isSaved
                ? "VIOLATION the open prefab was saved while the editor quit"
                : "VIOLATION a modal dialog: Prefab Has Been Modified");
        }
    }

    public static partial class EditorUtility
    {
        /// <summary>Editor/Mono/EditorUtility.bindings.cs 2021.3.58f1:115: nothing is saved of it then.</summary>
        public static void ClearDirty(Object target)
        {
            Native.RequireMainThread("EditorUtility.ClearDirty");
            AssetDatabase.Clean(AssetDatabase.GetAssetPath(target));
        }
    }

    public partial class AssetDatabase
    {
        internal static void Clean(string path)
        {
            Native.Editor.CleanAsset(path);
        }

        internal static void MarkDirty(string path)
        {
            if (!Native.Editor.IsDirtyAsset(path))
            {
                Native.Editor.DirtyAssets = (Native.Editor.DirtyAssets + ";" + path).Trim(';');
            }
            Native.Editor.Say("dirty-asset " + path);
        }
    }

    /// <summary>
    /// A package as URP and HDRP are: in the import of a new material it adds a sub-asset that no window shows, sets
    /// the queue as the surface options say, marks both as changed, and saves all assets in the next update
    /// (com.unity.render-pipelines.universal 12.0.0 Editor/AssetPostProcessors/MaterialPostprocessor.cs:62-83, 96-120,
    /// 150-202; BaseShaderGUI.cs:409-416). It waits for a rendered frame, which an editor without graphics never has.
    /// </summary>
    internal static class LikeUrp
    {
        private const string Version = "AssetVersion";

        public static void Imported(string path)
        {
            Object asset;
            if (!Native.Editor.Quirk("like-urp") || !World.AssetByPath.TryGetValue(path, out asset)
                || !(asset is Material)
                || World.SubAssets.Any(part => part.AssetPath == path && part.RawName == Version)) return;
            World.AddHiddenPart(path, Version);
            ((Material)asset).renderQueue = 2000;
            AssetDatabase.MarkDirty(path);
            EditorApplication.update += SaveOnce;
        }

        private static void SaveOnce()
        {
            if (Native.Editor.Quirk("no-rendered-frames")) return;
            EditorApplication.update -= SaveOnce;
            Native.Editor.Say("pipeline saves all assets");
            AssetDatabase.SaveAssets();
        }
    }

    /// <summary>Editor/Mono/Inspector/ShaderGUI.cs 2021.3.58f1:92, 6000.7.0a1:92. The Inspector calls it after each
    /// edit, and the engine when a material is loaded; Material.SetColor and its like do not, so the keywords are those
    /// of the former values.</summary>
    internal static class ShaderGUIUtility
    {
        internal static void ValidateMaterial(Material material)
        {
            Native.Editor.Say("validated " + material.RawName);
            material.Validate();
        }
    }
}

namespace UnityEditor
{
    /// <summary>Editor/Mono/Inspector/MaterialEditor.cs 2021.3.58f1:1959, 6000.7.0a1:2616: each property's drawer sets
    /// its keyword, as [Toggle] does (MaterialPropertyDrawer.cs). No setter of a material calls it.</summary>
    public class MaterialEditor : Editor
    {
        public static void ApplyMaterialPropertyDrawers(Material material)
        {
            World.Read("MaterialEditor.ApplyMaterialPropertyDrawers");
            material.Draw();
        }
    }
}

namespace UnityEditor
{
    /// <summary>Editor/Mono/Inspector/ScriptExecutionOrderInspector.cs 2021.3.58f1:155-178, 6000.7.0a1:150-177: asks
    /// when play mode is entered.</summary>
    internal sealed class ScriptExecutionOrderInspector : Editor
    {
        private bool m_DirtyOrders = true;

        public static void ExitingEditMode()
        {
            if (Native.Editor.Quirk("unapplied-order"))
            {
                Native.Editor.Say("VIOLATION a modal dialog: Unapplied execution order");
            }
        }
    }

    public enum PrefabAssetType { NotAPrefab, Regular, Model, Variant, MissingAsset }

    public static partial class PrefabUtility
    {
        public static PrefabAssetType GetPrefabAssetType(Object componentOrGameObject)
        {
            World.Read("PrefabUtility.GetPrefabAssetType");
            var owner = componentOrGameObject as GameObject;
            return owner == null
                ? PrefabAssetType.NotAPrefab
                : owner.Source != null && owner.AssetPath.Length > 0
                ? PrefabAssetType.Variant
                : PrefabAssetType.Regular;
        }

        /// <summary>Editor/Mono/Prefabs/PrefabUtility.bindings.cs 2021.3.58f1:352, 6000.7.0a1:432. What has such a
        /// cycle cannot be saved.</summary>
        internal static bool CheckIfAddingPrefabWouldResultInCyclicNesting(
            Object prefabAssetThatIsAddedTo, Object prefabAssetThatWillBeAdded)
        {
            return Contains((GameObject)prefabAssetThatWillBeAdded, ((GameObject)prefabAssetThatIsAddedTo).AssetPath);
        }

        internal static bool Contains(GameObject tree, string prefab)
        {
            return tree.AssetPath == prefab || (tree.Source != null && Contains(tree.Source, prefab))
                || tree.Own.Children.Any(child => Contains(child.Owner, prefab));
        }
    }
}

namespace UnityEditor.VersionControl
{
    /// <summary>Editor/Mono/VersionControl/VCProvider.bindings.cs. Where one is enabled, Unity asks before a folder is
    /// moved (VCAssetModificationHooks.cs 2021.3.58f1, 6000.7.0a1:93-104).</summary>
    public class Provider
    {
        public static bool enabled { get { return Native.Editor.Quirk("version-control"); } }
    }
}

namespace UnityEditor.AssetImporters
{
    /// <summary>Modules/AssetPipelineEditor/ImportSettings/AssetImporterEditor.cs. What a person types goes into the
    /// importer itself; HasModified compares it with what is on disk. 2021.3 has ResetValues alone; DiscardChanges is
    /// there since 2022.2.</summary>
    public abstract class AssetImporterEditor : Editor
    {
        public virtual bool HasModified()
        {
            Native.RequireMainThread("AssetImporterEditor.HasModified");
            return Native.List(Native.Editor.DirtyImporters).Contains(((AssetImporter)targets[0]).assetPath);
        }

        protected virtual void ResetValues()
        {
            var path = ((AssetImporter)targets[0]).assetPath;
            Native.Editor.Say("import-settings-discarded " + path);
            Native.Editor.DirtyImporters =
                string.Join(";", Native.List(Native.Editor.DirtyImporters).Where(one => one != path));
        }

#if !UNITY_2021_3
        public override void DiscardChanges() { ResetValues(); }
#endif
    }

    internal sealed class TextureImporterInspector : AssetImporterEditor
    {
        public TextureImporterInspector(string path)
        {
            targets = new Object[] { AssetImporter.GetAtPath(path) ?? new TextureImporter { AssetPath = path } };
        }
    }
}

#if !UNITY_2021_3
namespace UnityEditor.Build.Profile
{
    /// <summary>Editor/Mono/BuildProfile/BuildProfile.cs 6000.0.78f1:98-121, 6000.7.0a1: the setter of scenes sets the
    /// list, and does not mark the file as changed; Unity's own window does that, and records Undo
    /// (BuildProfileSceneListTreeView.cs 6000.7.0a1:79-81).</summary>
    public sealed class BuildProfile : ScriptableObject
    {
        internal const string Path = "Assets/Settings/Build Profiles/Windows.asset";

        private static BuildProfile _active;

        public static BuildProfile GetActiveBuildProfile()
        {
            if (!Native.Editor.Quirk("build-profile")) return null;
            if (ReferenceEquals(_active, null)) _active = new BuildProfile { AssetPath = Path };
            return _active;
        }

        private PlayerSettings _playerSettings;

        /// <summary>Its own, which its file has as text (BuildProfilePlayerSettings.cs 6000.0.78f1); null where it has
        /// none.</summary>
        internal PlayerSettings playerSettings
        {
            get
            {
                if (!Native.Editor.Quirk("profile-settings")) return null;
                if (ReferenceEquals(_playerSettings, null))
                {
                    _playerSettings = (PlayerSettings)Activator.CreateInstance(typeof(PlayerSettings), true);
                    _playerSettings.AssetPath = Path;
                    _playerSettings.Fields.Set("companyName", "String", "string", "Profile");
                }
                return _playerSettings;
            }
        }

        internal void SerializePlayerSettings() { Native.Editor.Say("settings-in-profile"); }

        public bool overrideGlobalScenes { get { return !Native.Editor.Quirk("global-scenes"); } }

        public EditorBuildSettingsScene[] scenes
        {
            get
            {
                return Native.List(Native.Editor.ProfileScenes).Select(path => new EditorBuildSettingsScene(path, true))
                    .ToArray();
            }
            set { Native.Editor.ProfileScenes = string.Join(";", value.Select(scene => scene.path).ToArray()); }
        }
    }
}
#endif
