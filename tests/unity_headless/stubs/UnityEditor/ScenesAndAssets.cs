using System.IO;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace UnityEditor
{
    public sealed partial class EditorApplication
    {
        /// <summary>False, and an error in the console, for an entry that is not there or is greyed out.</summary>
        public static bool ExecuteMenuItem(string menuItemPath)
        {
            Native.RequireMainThread("EditorApplication.ExecuteMenuItem");
            if (menuItemPath != "Tools/Build Levels")
            {
                Debug.LogError("ExecuteMenuItem failed because there is no menu named '" + menuItemPath + "'");
                return false;
            }
            Native.Editor.Say("menu " + menuItemPath);
            return true;
        }
    }

    public class EditorPrefs
    {
        public static bool GetBool(string key, bool defaultValue)
        {
            Native.RequireMainThread("EditorPrefs.GetBool");
            return key == "VerifySavingAssets" ? Native.Editor.Quirk("verify-saving-assets") : defaultValue;
        }
    }

    public static class PrefabUtility
    {
        /// <summary>Says in the console why it could not, and asks nothing (PrefabUtility.cs).</summary>
        public static GameObject SaveAsPrefabAsset(GameObject instanceRoot, string assetPath, out bool success)
        {
            Native.RequireMainThread("PrefabUtility.SaveAsPrefabAsset");
            success = !Native.Editor.Quirk("unsavable-prefab");
            if (!success) Debug.LogError("You are trying to save a Prefab with a missing script.");
            else Native.Editor.Say("save-prefab " + assetPath);
            return null;
        }
    }

    public partial class AssetDatabase
    {
        private static int _editing;

        /// <summary>With the preference Verify Saving Assets it asks in a modal window (AssetModificationProcessor.OnWillSaveAssets); a scene
        /// or a prefab that is saved by itself is left out of that.</summary>
        public static void SaveAssets()
        {
            Native.RequireMainThread("AssetDatabase.SaveAssets");
            if (Native.Editor.Quirk("verify-saving-assets")) Native.Editor.Say("VIOLATION a modal window asked which assets to save");
            Native.Editor.Say("save-assets");
        }

        public static void StartAssetEditing()
        {
            Native.RequireMainThread("AssetDatabase.StartAssetEditing");
            _editing++;
        }

        /// <summary>Only at the last one, what was asked for since the first is imported.</summary>
        public static void StopAssetEditing()
        {
            Native.RequireMainThread("AssetDatabase.StopAssetEditing");
            if (--_editing == 0) Native.Editor.Refresh();
        }

        public static void ImportAsset(string path, ImportAssetOptions options)
        {
            Native.RequireMainThread("AssetDatabase.ImportAsset");
            if (_editing == 0) Native.Editor.Say("VIOLATION one import for each asset");
            Native.Editor.Say("import " + path + " " + options);
        }
    }
}

namespace UnityEditor.SceneManagement
{
    public enum OpenSceneMode { Single, Additive, AdditiveWithoutLoading }

    public partial class EditorSceneManager
    {
        /// <summary>Asks about nothing: with Single, changes that are not saved are lost (EditorSceneManager.bindings.cs). But in each mode
        /// the stage of an open prefab is left after it, which asks about changes (StageNavigationManager.OnSceneOpened,
        /// PrefabStage.AskUserToSaveModifiedStageBeforeSwitchingStage; 2021.3 to 6000.7).</summary>
        public static Scene OpenScene(string scenePath, OpenSceneMode mode)
        {
            Native.RequireMainThread("EditorSceneManager.OpenScene");
            if (Native.Editor.Playing) Native.Editor.Say("VIOLATION OpenScene cannot be used during play mode");
            if (mode == OpenSceneMode.Single)
            {
                foreach (var lost in Native.Editor.DirtyScenes())
                {
                    Native.Editor.Say("lost " + lost);
                    Native.Editor.SaveScene(lost);
                }
            }
            Native.Editor.Say("open-scene " + scenePath + " " + mode);
            if (Native.Editor.DirtyPrefab != null) Native.Editor.Say("VIOLATION a modal dialog asked about a prefab");
            Native.Editor.DirtyPrefab = null;
            return new Scene(scenePath);
        }
    }

    public sealed partial class PrefabStage
    {
        public GameObject prefabContentsRoot { get { Native.RequireMainThread("PrefabStage.prefabContentsRoot"); return new GameObject("", null, "Root"); } }

        public void ClearDirtiness()
        {
            Native.RequireMainThread("PrefabStage.ClearDirtiness");
            Native.Editor.DirtyPrefab = null;
        }
    }
}

namespace Unity.CodeEditor
{
    public interface IExternalCodeEditor
    {
        void SyncAll();
    }

    public class CodeEditor
    {
        public static IExternalCodeEditor CurrentEditor
        {
            get { return Native.Editor.Quirk("no-code-editor") ? (IExternalCodeEditor)new DefaultExternalCodeEditor() : new VisualStudioEditor(); }
        }
    }

    /// <summary>Where no package of an editor is there: it writes nothing (DefaultExternalCodeEditor.cs).</summary>
    internal class DefaultExternalCodeEditor : IExternalCodeEditor
    {
        public void SyncAll()
        {
        }
    }

    internal class VisualStudioEditor : IExternalCodeEditor
    {
        public void SyncAll()
        {
            Native.RequireMainThread("IExternalCodeEditor.SyncAll");
            foreach (var name in new[] { "Game.sln", "Assembly-CSharp.csproj" }) File.WriteAllText(Path.Combine(Path.GetDirectoryName(Native.Editor.DataPath), name), "");
        }
    }
}
