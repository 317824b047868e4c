using System.IO;
using System.Linq;
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
            if (!Menu.GetEnabled(menuItemPath))
            {
                // Only for one that is not there (ExecuteMenuItemInternal, logErrorOnUnfoundItem).
                if (!Menu.Entries.Contains(menuItemPath) && menuItemPath != "File/Save")
                    Debug.LogError("ExecuteMenuItem failed because there is no menu named '" + menuItemPath + "'");
                return false;
            }
            Native.Editor.Say("menu " + menuItemPath);
            return true;
        }
    }

    public sealed class Menu
    {
        /// <summary>Of the main menu; one is greyed out, and one is listed nowhere, as Unity's own command of a mode
        /// may be.</summary>
        internal static readonly string[] Entries = { "Tools/Build Levels", "Tools/Greyed Out",
            "GameObject/Create Empty", "GameObject/3D Object/Cube", "File/Save %s",
            "Game/Validated %#v", "Game/Plain" };

        /// <summary>Unity's search shows an entry as disabled by it, and logs nothing
        /// (Modules/QuickSearch/Editor/Providers/MenuProvider.cs).</summary>
        public static bool GetEnabled(string menuPath)
        {
            Native.RequireMainThread("Menu.GetEnabled");
            // It runs the method of the entry's owner that says so.
            foreach (var method in TypeCache.GetMethodsWithAttribute(typeof(MenuItem))
                .Where(method => method.ReflectedType.Assembly.GetName().Name == "Game.Editor"))
                foreach (MenuItem item in method.GetCustomAttributes(typeof(MenuItem), false))
                    if (item.validate && item.menuItem.StartsWith(menuPath)) return (bool)method.Invoke(null, null);
            return menuPath == "Tools/Build Levels" || menuPath == "Tools/Unlisted" || menuPath.StartsWith("Game/");
        }
    }

    /// <summary>Editor/Mono/MenuItem.cs: a path, which may have a shortcut behind a space. With true the method says
    /// whether the entry is enabled.</summary>
    [System.AttributeUsage(System.AttributeTargets.Method, AllowMultiple = true)]
    public sealed class MenuItem : System.Attribute
    {
        public string menuItem;
        public bool validate;

        public MenuItem(string itemName) : this(itemName, false) { }

        public MenuItem(string itemName, bool isValidateFunction)
        {
            menuItem = itemName;
            validate = isValidateFunction;
        }
    }

    public static partial class Unsupported
    {
        /// <summary>Whole paths of the entries at any depth below a menu (AddComponentDataSource.cs takes them so);
        /// empty for no such menu.</summary>
        public static string[] GetSubmenus(string menuPath)
        {
            Native.RequireMainThread("Unsupported.GetSubmenus");
            return Menu.Entries.Where(one => one.StartsWith(menuPath + "/")).ToArray();
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

    public static partial class PrefabUtility
    {
        /// <summary>Overwrites what is there without a word; says in the console why it could not, and asks nothing
        /// (PrefabUtility.cs). Contents that were loaded apart are written over the objects of their file, which stay
        /// the same.</summary>
        public static GameObject SaveAsPrefabAsset(GameObject instanceRoot, string assetPath, out bool success)
        {
            Native.RequireMainThread("PrefabUtility.SaveAsPrefabAsset");
            Making.RequireFolder(assetPath);
            success = !Native.Editor.Quirk("unsavable-prefab") && !Missing(instanceRoot);
            if (!success)
            {
                Debug.LogError("You are trying to save a Prefab with a missing script.");
                return null;
            }
            if (instanceRoot.Own.Children.Any(child => Contains(child.Owner, assetPath)))
            {
                success = false;
                Debug.LogError("You cannot add a Prefab to a Prefab that it contains.");
                return null;
            }
            Object there;
            if (!instanceRoot.SceneFile.StartsWith(World.Apart) || !World.AssetByPath.TryGetValue(assetPath, out there))
                return File.Exists(Making.FileOf(assetPath)) && instanceRoot.Source == null
                    ? WrittenAgain(assetPath)
                    : Written(instanceRoot, assetPath);
            World.Rewrite((GameObject)there, instanceRoot, one => one.Original);
            Native.Editor.DiskAt("before-save");
            File.WriteAllText(Making.FileOf(assetPath), World.Yaml((GameObject)there));
            Native.Editor.DiskAt("after-save");
            return Said(assetPath);
        }

        private static GameObject WrittenAgain(string path)
        {
            var text = File.ReadAllText(Making.FileOf(path));
            Native.Editor.DiskAt("before-save");
            File.WriteAllText(Making.FileOf(path), text);
            Native.Editor.DiskAt("after-save");
            return Said(path);
        }

        private static GameObject Said(string path)
        {
            Native.Editor.Say("save-prefab " + path);
            return (GameObject)World.AssetByPath.Values.FirstOrDefault(one => one.AssetPath == path);
        }
    }

    public partial class AssetDatabase
    {
        /// <summary>With the preference Verify Saving Assets Unity asks in a modal window before it writes assets or
        /// .meta files (AssetModificationProcessor.OnWillSaveAssets); a scene or a prefab that is saved by itself is
        /// left out of that.</summary>
        internal static void AskWhatToSave()
        {
            if (Native.Editor.Quirk("verify-saving-assets"))
            {
                Native.Editor.Say("VIOLATION a modal window asked which assets to save");
            }
        }

        public static void SaveAssets()
        {
            Native.RequireMainThread("AssetDatabase.SaveAssets");
            AskWhatToSave();
            Native.Editor.Say("save-assets");
            // ProjectSettings.asset is one of them.
            if (Native.Editor.RunInBackground) Native.Editor.Say("wrote run-in-background");
            if (Native.Editor.RunInBackground && !Native.Editor.RunInBackgroundOfProject)
                Native.Editor.Say(
                    "VIOLATION a value that a script has set for a while was written to the project's settings");
            foreach (var path in Native.List(Native.Editor.DirtyAssets))
            {
                ProjectSettings.Write(path);
                Write(path);
            }
            Native.Editor.DirtyAssets = "";
        }

        private static void Write(string path)
        {
            Native.Editor.Say("wrote " + path);
            WriteParts(path);
            if (path.StartsWith("Assets/Settings/Build Profiles/"))
            {
                Native.Editor.SavedProfileScenes = Native.Editor.ProfileScenes;
            }
            if (path.StartsWith("ProjectSettings/") && ProjectSettings.At(path).Length == 0
                && Directory.Exists(Making.FileOf("ProjectSettings")))
                File.AppendAllText(Making.FileOf(path), "# written\n");
        }

        public static void StartAssetEditing()
        {
            Native.RequireMainThread("AssetDatabase.StartAssetEditing");
            Native.Editor.AssetEditing++;
        }

        /// <summary>Only at the last one, what was asked for since the first is imported. Until then nothing is, over
        /// reloads too, and AssetDatabase.Refresh does nothing (manual, AssetDatabase.StartAssetEditing: "a state that
        /// will prevent imports").</summary>
        public static void StopAssetEditing()
        {
            Native.RequireMainThread("AssetDatabase.StopAssetEditing");
            if (--Native.Editor.AssetEditing == 0) Native.Editor.Refresh();
        }

        /// <summary>Of all assets, scripts among them.</summary>
        public static string[] GetAllAssetPaths()
        {
            Native.RequireMainThread("AssetDatabase.GetAllAssetPaths");
            return Native.Editor.ImportedPaths().Split('\n').Concat(World.AssetByPath.Keys).ToArray();
        }

        /// <summary>What was imported last, whatever the file is by now. A script is a TextAsset with the text of its
        /// file (MonoScript.bindings.cs).</summary>
        public static T LoadAssetAtPath<T>(string assetPath) where T : Object
        {
            Native.RequireMainThread("AssetDatabase.LoadAssetAtPath");
            var text = Native.Editor.ImportedText(assetPath);
            return text == null ? null : (T)(Object)new TextAsset { text = text };
        }

        public static void ImportAsset(string path, ImportAssetOptions options)
        {
            Native.RequireMainThread("AssetDatabase.ImportAsset");
            if (Native.Editor.AssetEditing == 0) Native.Editor.Say("VIOLATION one import for each asset");
            if (Native.Editor.Quirk("import-throws"))
            {
                throw new UnityException("thrown while " + path + " was imported");
            }
            Native.Editor.Say("import " + path + " " + options);
        }
    }
}

namespace UnityEditor.SceneManagement
{
    public enum OpenSceneMode { Single, Additive, AdditiveWithoutLoading }

    public partial class EditorSceneManager
    {
        /// <summary>Asks about nothing: with Single, changes that are not saved are lost
        /// (EditorSceneManager.bindings.cs). But in each mode the stage of an open prefab is left after it, which asks
        /// about changes (StageNavigationManager.OnSceneOpened,
        /// PrefabStage.AskUserToSaveModifiedStageBeforeSwitchingStage; 2021.3 to 6000.7).</summary>
        public static Scene OpenScene(string scenePath, OpenSceneMode mode)
        {
            Native.RequireMainThread("EditorSceneManager.OpenScene");
            if (Native.Playing) Native.Editor.Say("VIOLATION OpenScene cannot be used during play mode");
            if (mode == OpenSceneMode.Single)
            {
                foreach (var closed in GetSceneManagerSetup()) Undo.ForgetScene(closed.path);
                foreach (var lost in Native.Editor.DirtyScenes())
                {
                    Native.Editor.Say("lost " + lost);
                    Native.Editor.DiscardScene(lost);
                }
            }
            Native.Editor.Say("open-scene " + scenePath + " " + mode);
            if (Native.Editor.DirtyPrefab != null) Native.Editor.Say("VIOLATION a modal dialog asked about a prefab");
            Native.Editor.DirtyPrefab = null;
            Native.Editor.OpenPrefab = null;
            if (mode == OpenSceneMode.Single) World.Reopen(scenePath);
            Native.Editor.OpenedFile(scenePath, mode == OpenSceneMode.Additive);
            RaiseOpened(scenePath);
            return new Scene(scenePath);
        }

        public delegate void SceneOpenedCallback(Scene scene, OpenSceneMode mode);
        public delegate void SceneSavedCallback(Scene scene);

        public static event SceneOpenedCallback sceneOpened;
        public static event SceneSavedCallback sceneSaved;

        internal static void RaiseOpened(string path)
        {
            if (sceneOpened != null) sceneOpened(new Scene(path), OpenSceneMode.Additive);
        }

        internal static void RaiseSaved(string path)
        {
            if (sceneSaved != null) sceneSaved(new Scene(path));
        }

        /// <summary>Whether its objects refer to those of another scene.</summary>
        public static bool DetectCrossSceneReferences(Scene scene)
        {
            Native.RequireMainThread("EditorSceneManager.DetectCrossSceneReferences");
            return Native.Editor.Quirk("cross-scene-references");
        }

        /// <summary>Asks about nothing. The last loaded scene cannot be closed
        /// (EditorSceneManager.bindings.cs).</summary>
        public static bool CloseScene(Scene scene, bool removeScene)
        {
            Native.RequireMainThread("EditorSceneManager.CloseScene");
            if (GetSceneManagerSetup().Count(open => open.isLoaded) == 1)
            {
                throw new System.InvalidOperationException("Unloading the last loaded scene is not supported.");
            }
            if (Native.Editor.ActiveScene == scene.path) Native.Editor.ActiveScene = null;
            Native.Editor.Say("close-scene " + scene.path + (removeScene ? " removed" : " kept"));
            Native.Editor.CloseScene(scene.path, removeScene);
            Undo.ForgetScene(scene.path);
            return true;
        }

        public static Scene NewScene(NewSceneSetup setup, NewSceneMode mode)
        {
            Native.RequireMainThread("EditorSceneManager.NewScene");
            if (Native.Playing) throw new System.InvalidOperationException("This cannot be used during play mode.");
            if (mode == NewSceneMode.Additive && GetSceneManagerSetup().Any(open => open.path.Length == 0))
                throw new System.InvalidOperationException(
                    "Cannot create a new scene additively with an untitled scene unsaved.");
            if (Native.Editor.DirtyPrefab != null) Native.Editor.Say("VIOLATION a modal dialog asked about a prefab");
            Native.Editor.Say("new-scene " + mode);
            if (mode == NewSceneMode.Single)
            {
                foreach (var scene in GetSceneManagerSetup())
                {
                    Native.Editor.CloseScene(scene.path.Length == 0 ? "Untitled" : scene.path, true);
                }
            }
            Native.Editor.NewScene(mode == NewSceneMode.Single);
            if (setup == NewSceneSetup.DefaultGameObjects)
            {
                World.Created("Untitled", "Main Camera").Add(typeof(Camera));
                World.Created("Untitled", "Directional Light").Add(typeof(Light));
            }
            return new Scene("Untitled");
        }

        public static SceneSetup[] GetSceneManagerSetup()
        {
            Native.RequireMainThread("EditorSceneManager.GetSceneManagerSetup");
            return Enumerable.Range(0, UnityEngine.SceneManagement.SceneManager.sceneCount)
                .Select(UnityEngine.SceneManagement.SceneManager.GetSceneAt)
                .Select(scene => new SceneSetup { path = scene.path, isLoaded = scene.isLoaded }).ToArray();
        }

        /// <summary>Opens all of them again, and asks about nothing.</summary>
        public static void RestoreSceneManagerSetup(SceneSetup[] value)
        {
            Native.RequireMainThread("EditorSceneManager.RestoreSceneManagerSetup");
            Native.Editor.Say("restore-setup " + value.Length);
            foreach (var scene in value.Where(scene => scene.isLoaded))
            {
                if (Native.Editor.DirtyScenes().Contains(scene.path)) Native.Editor.CloseScene(scene.path, false);
                Native.Editor.OpenedFile(scene.path);
                RaiseOpened(scene.path);
            }
        }
    }

    public enum NewSceneSetup { EmptyScene, DefaultGameObjects }

    public enum NewSceneMode { Single, Additive }

    public class SceneSetup
    {
        public string path { get; set; }
        public bool isLoaded { get; set; }
        public bool isActive { get; set; }
    }

    public sealed class StageUtility
    {
        public static void GoToMainStage()
        {
            Native.RequireMainThread("StageUtility.GoToMainStage");
            if (Native.Editor.DirtyPrefab != null) Native.Editor.Say("VIOLATION a modal dialog asked about a prefab");
            Native.Editor.Say("leave-prefab " + Native.Editor.OpenPrefab);
            World.LeaveStage(Native.Editor.DirtyPrefab ?? Native.Editor.OpenPrefab);
            Native.Editor.DirtyPrefab = null;
            Native.Editor.OpenPrefab = null;
        }
    }

    public sealed partial class PrefabStage
    {
        public static event System.Action<PrefabStage> prefabStageOpened;
        public static event System.Action<GameObject> prefabSaved;

        internal static void RaiseOpened()
        {
            if (prefabStageOpened != null) prefabStageOpened(new PrefabStage());
        }

        internal static void RaiseSaved()
        {
            if (prefabSaved != null) prefabSaved(null);
        }

        public GameObject prefabContentsRoot
        {
            get
            {
                Native.RequireMainThread("PrefabStage.prefabContentsRoot");
                return World.RootsOf(assetPath).FirstOrDefault() ?? new GameObject("", null, FileName);
            }
        }

        private string FileName { get { return System.IO.Path.GetFileNameWithoutExtension(assetPath); } }

        /// <summary>PrefabStage.cs, 2021.3 to 6000.7: internal.</summary>
        internal bool autoSave { get { return Native.Editor.AutoSave && EditorSettings.prefabModeAllowAutoSave; } }

        internal static event System.Action<PrefabStage> prefabStageReloaded;

        private static readonly System.Diagnostics.Stopwatch SinceTick = System.Diagnostics.Stopwatch.StartNew();

        /// <summary>StageNavigationManager.Update ticks the stages every 0.2 s. A clean one whose file changed is
        /// loaded again without a word (HandlePrefabChangedOnDisk), and a changed one is saved (HandleAutoSave), also
        /// in play mode; not in a folder that is read-only, while scripts compile, or while a person edits a text
        /// (PrefabImporterEditor.IsAutoSaveAllowed).</summary>
        internal static void Tick()
        {
            if (SinceTick.ElapsedMilliseconds < 200) return;
            SinceTick.Restart();
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            if (stage == null) return;
            if (Native.Editor.DirtyPrefab != null && stage.autoSave && !Native.Compiling
                && !Native.Editor.Quirk("person-types"))
            {
                stage.Save();
            }
            if (!Native.Editor.TakeChangedPrefab() || Native.Editor.DirtyPrefab != null) return;
            Native.Editor.Say("reload-prefab " + stage.assetPath);
            Native.Editor.OpenedFile(stage.assetPath);
            if (prefabStageReloaded != null) prefabStageReloaded(stage);
        }

        private void Save()
        {
            Native.Editor.Say("auto-save " + assetPath);
            if (Native.Editor.Quirk("not-checked-out"))
            {
                Native.Editor.Say("VIOLATION a modal dialog: the version control requires you to check out the Prefab");
                Native.Editor.AutoSave = false;
                return;
            }
            if (prefabContentsRoot.RawName != FileName)
            {
                Native.Editor.Say("VIOLATION a modal dialog: Rename Prefab File?");
            }
            if (!SavePrefab()) Native.Editor.AutoSave = false;
        }

        /// <summary>AssetEvents.cs and PrefabStage.OnAssetsChangedOnHDD (2021.3.58f1:1662-1668, 6000.7.0a1:1771-1777):
        /// the stage has the new path. Its root keeps its name: the file's content is the same, so it is not loaded
        /// again.</summary>
        internal static void Moved(string from, string to)
        {
            if (from != (Native.Editor.DirtyPrefab ?? Native.Editor.OpenPrefab)) return;
            World.Rename(from, to);
            if (Native.Editor.OpenPrefab == from) Native.Editor.OpenPrefab = to;
            if (Native.Editor.DirtyPrefab == from) Native.Editor.DirtyPrefab = to;
            Native.Editor.OpenedFile(to);
        }

        /// <summary>Internal in all versions (2021.3.58f1:1562, 6000.7.0a1:1671).</summary>
        internal void RenameInstanceRootToMatchPrefabFile() { prefabContentsRoot.SetName(FileName); }

        /// <summary>The file's content again (2021.3.58f1:932, 6000.7.0a1:1035). Of a file that is gone nothing is
        /// loaded.</summary>
        private void ReloadStage()
        {
            Native.Editor.Say("reload-stage " + assetPath);
            Native.Editor.OpenPrefab = assetPath;
            Native.Editor.DirtyPrefab = null;
            World.LeaveStage(assetPath);
            World.EnterStage(assetPath);
            Native.Editor.OpenedFile(assetPath);
            if (prefabStageReloaded != null) prefabStageReloaded(this);
        }

        public void ClearDirtiness()
        {
            Native.RequireMainThread("PrefabStage.ClearDirtiness");
            Native.Editor.OpenPrefab = assetPath;
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
            get
            {
                return Native.Editor.Quirk("no-code-editor")
                    ? (IExternalCodeEditor)new DefaultExternalCodeEditor()
                    : new VisualStudioEditor();
            }
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
            foreach (var name in new[] { "Game.sln", "Assembly-CSharp.csproj" })
            {
                File.WriteAllText(Path.Combine(Path.GetDirectoryName(Native.Editor.DataPath), name), "");
            }
        }
    }
}
