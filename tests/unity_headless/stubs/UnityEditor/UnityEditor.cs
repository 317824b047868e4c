using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public class InitializeOnLoadAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Method)]
    public class InitializeOnLoadMethodAttribute : Attribute
    {
    }

    public sealed partial class EditorApplication
    {
        public delegate void CallbackFunction();

        public static CallbackFunction update;
        public static CallbackFunction delayCall;
        public static event Action quitting;

        public static bool isCompiling
        {
            get { Native.RequireMainThread("EditorApplication.isCompiling"); return Native.Compiling; }
        }
        public static bool isUpdating
        {
            get { Native.RequireMainThread("EditorApplication.isUpdating"); return Native.Updating; }
        }

        /// <summary>Thread-safe (EditorApplication.bindings.cs, NativeMethod IsThreadSafe).</summary>
        internal static void SignalTick()
        {
            Native.Editor.SignalTick();
        }

        public static void QueuePlayerLoopUpdate()
        {
            Native.RequireMainThread("EditorApplication.QueuePlayerLoopUpdate");
            Native.Editor.PlayerLoops = Native.Editor.PlayerLoops + 1;
            Native.Editor.PlayerLoopWanted = true;
        }

        public static void LockReloadAssemblies()
        {
            Native.RequireMainThread("EditorApplication.LockReloadAssemblies");
            Native.Editor.ReloadLocks = Native.Editor.ReloadLocks + 1;
        }

        public static void UnlockReloadAssemblies()
        {
            Native.RequireMainThread("EditorApplication.UnlockReloadAssemblies");
            Native.Editor.ReloadLocks = Math.Max(0, Native.Editor.ReloadLocks - 1);
        }

        internal static bool CanReloadAssemblies()
        {
            Native.RequireMainThread("EditorApplication.CanReloadAssemblies");
            return !Native.Editor.ReloadLocked;
        }

        internal static void RaiseQuitting()
        {
            if (quitting != null) quitting();
        }

        /// <summary>Asks about no scene, asset or window (manual: unsaved changes are lost; wantsToQuit is not raised),
        /// raises quitting, leaves the stage (EditorApplication.cs 2021.3.58f1:116-125, 6000.7.0a1:125-134, which the
        /// native side calls on its way out) and does not return.</summary>
        public static void Exit(int returnValue)
        {
            Native.RequireMainThread("EditorApplication.Exit");
            Quitting.Check();
            RaiseQuitting();
            Quitting.LeaveStage();
            Native.Editor.Say("exit " + returnValue);
            System.Diagnostics.Process.GetCurrentProcess().Kill();
        }
    }

    public static class AssemblyReloadEvents
    {
        public delegate void AssemblyReloadCallback();

        public static event AssemblyReloadCallback beforeAssemblyReload;
        public static event AssemblyReloadCallback afterAssemblyReload;

        internal static void RaiseBefore()
        {
            if (beforeAssemblyReload != null) beforeAssemblyReload();
        }

        internal static void RaiseAfter()
        {
            if (afterAssemblyReload != null) afterAssemblyReload();
        }
    }

    /// <summary>The native side keeps UTF-8 (EditorGUIUtility.bindings.cs; SessionState.cpp is not public): half of a
    /// surrogate pair does not come back as it was, and a text may end at U+0000. No limit of its size is documented;
    /// each text is copied over and kept until the editor ends.</summary>
    public class SessionState
    {
        public static void SetString(string key, string value)
        {
            Native.RequireMainThread("SessionState.SetString");
            if (value != null && (value.IndexOf('\0') >= 0
                || System.Text.Encoding.UTF8.GetString(System.Text.Encoding.UTF8.GetBytes(value)) != value))
                Native.Editor.Say("VIOLATION the text of " + key + " does not come back as it was");
            Native.Editor.SetSession(key, value);
        }

        public static string GetString(string key, string defaultValue)
        {
            Native.RequireMainThread("SessionState.GetString");
            return Native.Editor.GetSession(key) ?? defaultValue;
        }

        public static void EraseString(string key)
        {
            Native.RequireMainThread("SessionState.EraseString");
            Native.Editor.SetSession(key, null);
        }

        public static void SetInt(string key, int value)
        {
            SetString("int:" + key, value.ToString());
        }

        public static int GetInt(string key, int defaultValue)
        {
            var text = GetString("int:" + key, "");
            return text.Length == 0 ? defaultValue : int.Parse(text);
        }
    }

    public static partial class EditorUtility
    {
        /// <summary>It is in a file of the project, and not in a scene.</summary>
        public static bool IsPersistent(UnityEngine.Object target)
        {
            Native.RequireMainThread("EditorUtility.IsPersistent");
            var component = target as Component;
            return (component == null ? target : component.Owner).AssetPath.Length > 0;
        }

        public static void SetDirty(UnityEngine.Object target)
        {
            Native.RequireMainThread("EditorUtility.SetDirty");
            if (target.AssetPath.StartsWith("ProjectSettings/")) ProjectSettings.MarkDirty(target);
            else Undo.Touch(target);
        }

        public static bool IsDirty(UnityEngine.Object target)
        {
            Native.RequireMainThread("EditorUtility.IsDirty");
            return target != null && Native.Editor.IsDirtyAsset(target.AssetPath);
        }

        public static bool scriptCompilationFailed
        {
            get { Native.RequireMainThread("EditorUtility.scriptCompilationFailed"); return Native.CompilationFailed; }
        }

        /// <summary>Since 6000.3: null for an object that is not there any more
        /// (Editor/Mono/EditorUtility.bindings.cs).</summary>
        [Obsolete(Newer.ThanOurs, true)]
        public static UnityEngine.Object EntityIdToObject(EntityId entityId)
        {
            World.Read("EditorUtility.EntityIdToObject");
            return World.ById.TryGetValue(entityId.Id, out var found) ? found : null;
        }
    }

    [Flags]
    public enum ImportAssetOptions { Default = 0, ForceUpdate = 1, ForceSynchronousImport = 8, ImportRecursive = 256 }

    public partial class BuildPipeline
    {
        public static bool isBuildingPlayer
        {
            get { Native.RequireMainThread("BuildPipeline.isBuildingPlayer"); return Native.BuildingPlayer; }
        }
    }

    public partial class AssetDatabase
    {
        /// <summary>Imports before it returns; a compilation that it asks for begins in a later update of the editor
        /// (EditorCompilation.TickCompilationPipeline), and never reloads the domain of its caller.</summary>
        public static void Refresh(ImportAssetOptions options)
        {
            Native.RequireMainThread("AssetDatabase.Refresh");
            if (Native.Editor.AssetEditing == 0) Native.Editor.Refresh();
        }

        /// <summary>6000.4 and 6000.5 refuse it while code is reloaded (AssetDatabase.bindings.cs,
        /// PreventExecutionInState kCodeReload), as they do most of AssetDatabase; which code of ours runs in that
        /// state only a real Unity shows.</summary>
        public static bool IsAssetImportWorkerProcess()
        {
            if (!TypeCache.IsComplete && Native.Editor.Quirk("asset-database-refuses"))
                throw new InvalidOperationException(
                    "Please make sure this function is not called from code that runs during code reload");
            return Native.Editor.ImportWorker;
        }
    }

    public enum BuildTarget { NoTarget = -2, StandaloneOSX = 2, StandaloneWindows = 5, iOS = 9, Android = 13,
        StandaloneWindows64 = 19, WebGL = 20, StandaloneLinux64 = 24 }

    public enum MessageType { None, Info, Warning, Error }

    public enum SettingsScope { User, Project }

    [AttributeUsage(AttributeTargets.Method)]
    public class SettingsProviderAttribute : Attribute
    {
    }

    public class SettingsProvider
    {
        public SettingsProvider(string path, SettingsScope scopes, IEnumerable<string> keywords = null)
        {
            settingsPath = path;
        }

        public string settingsPath { get; private set; }
        public string label { get; set; }
        public Action<string> guiHandler { get; set; }
    }

    public static class EditorStyles
    {
        public static GUIStyle boldLabel
        {
            get { Native.RequireMainThread("EditorStyles.boldLabel"); return new GUIStyle(); }
        }
    }

    public sealed partial class EditorGUILayout
    {
        public static void HelpBox(string message, MessageType type)
        {
            Draw(type + ": " + message);
        }

        public static void LabelField(string label, params GUILayoutOption[] options)
        {
            Draw(label);
        }

        public static void SelectableLabel(string text, params GUILayoutOption[] options)
        {
            Draw(text);
        }

        public static void LabelField(string label, GUIStyle style, params GUILayoutOption[] options)
        {
            Draw(label);
        }

        public static void LabelField(string label, string label2, params GUILayoutOption[] options)
        {
            Draw(label + ": " + label2);
        }

        public static int IntField(string label, int value, params GUILayoutOption[] options)
        {
            var shown = HeadlessGui.TypedInt ?? value;
            Draw(label + " <" + shown + ">");
            return shown;
        }

        public static void Space()
        {
        }

        /// <summary>Ends throw in Unity without a begin (GUILayoutUtility.EndLayoutGroup).</summary>
        public static void BeginHorizontal(params GUILayoutOption[] options)
        {
            Native.RequireMainThread("EditorGUILayout");
            HeadlessGui.Rows++;
        }

        public static void EndHorizontal()
        {
            Native.RequireMainThread("EditorGUILayout");
            if (--HeadlessGui.Rows < 0) throw new System.InvalidOperationException("EndHorizontal without a begin");
        }

        private static void Draw(string what)
        {
            Native.RequireMainThread("EditorGUILayout");
            HeadlessGui.Drawn.Add(what);
        }
    }
}

namespace UnityEditorInternal
{
    public partial class InternalEditorUtility
    {
        public static bool isApplicationActive
        {
            get { Native.RequireMainThread("InternalEditorUtility.isApplicationActive"); return Native.Focused; }
        }
    }
}

namespace UnityEditor.Compilation
{
    public enum CompilerMessageType { Error, Warning, Info }

    public struct CompilerMessage
    {
        public string message, file;
        public int line, column;
        public CompilerMessageType type;
    }

    public static partial class CompilationPipeline
    {
        public static event Action<object> compilationStarted;
        public static event Action<object> compilationFinished;
        public static event Action<string, CompilerMessage[]> assemblyCompilationFinished;

        public static void RequestScriptCompilation()
        {
            Native.RequireMainThread("CompilationPipeline.RequestScriptCompilation");
            Native.Editor.RequestCompilation();
        }

        internal static void RaiseStarted()
        {
            if (compilationStarted != null) compilationStarted(new object());
        }

        internal static void RaiseAssembly(string path, CompilerMessage[] messages)
        {
            if (assemblyCompilationFinished != null) assemblyCompilationFinished(path, messages);
        }

        internal static void RaiseFinished()
        {
            if (compilationFinished != null) compilationFinished(new object());
        }
    }
}

namespace UnityEditor.SceneManagement
{
    using UnityEngine.SceneManagement;

    public partial class EditorSceneManager
    {
        public static bool SaveScene(Scene scene)
        {
            Native.RequireMainThread("EditorSceneManager.SaveScene");
            if (scene.path.Length == 0) Native.Editor.Say("VIOLATION a modal dialog asked for the name of a scene");
            Native.Editor.SaveScene(scene.path);
            RaiseSaved(scene.path);
            return true;
        }
    }

    public sealed partial class PrefabStage
    {
        public Scene scene { get { return new Scene(assetPath); } }
        public string assetPath
        {
            get
            {
                Native.RequireMainThread("PrefabStage.assetPath");
                return Native.Editor.DirtyPrefab ?? Native.Editor.OpenPrefab;
            }
        }

        /// <summary>Where it cannot, a modal dialog says so (PrefabStage.cs, 2021.3 to 6000.7).</summary>
        internal bool SavePrefab()
        {
            Native.RequireMainThread("PrefabStage.SavePrefab");
            if (PrefabUtility.IsPrefabAssetMissing(prefabContentsRoot))
            {
                Native.Editor.Say("VIOLATION a modal dialog: Saving Variant Failed");
                return false;
            }
            bool success;
            PrefabUtility.SaveAsPrefabAsset(prefabContentsRoot, assetPath, out success);
            if (!success)
            {
                Native.Editor.Say("VIOLATION a modal dialog: Saving Failed");
                return false;
            }
            Native.Editor.OpenPrefab = assetPath;
            Native.Editor.DirtyPrefab = null;
            Native.Editor.OpenedFile(Native.Editor.OpenPrefab);
            RaiseSaved();
            return true;
        }
    }

    public static class PrefabStageUtility
    {
        public static PrefabStage OpenPrefab(string prefabAssetPath)
        {
            Native.RequireMainThread("PrefabStageUtility.OpenPrefab");
            Native.Editor.Say("open-prefab " + prefabAssetPath);
            if (!prefabAssetPath.EndsWith(".prefab"))
            {
                throw new ArgumentException("Incorrect file extension: " + prefabAssetPath);
            }
            if (Native.Editor.DirtyPrefab != null) Native.Editor.Say("VIOLATION a modal dialog asked about a prefab");
            Native.Editor.OpenPrefab = prefabAssetPath;
            Native.Editor.OpenedFile(prefabAssetPath);
            World.EnterStage(prefabAssetPath);
            PrefabStage.RaiseOpened();
            return new PrefabStage();
        }

        public static PrefabStage GetCurrentPrefabStage()
        {
            Native.RequireMainThread("PrefabStageUtility.GetCurrentPrefabStage");
            return Native.Editor.DirtyPrefab == null && Native.Editor.OpenPrefab == null ? null : new PrefabStage();
        }
    }
}
