using System;
using System.Collections.Generic;
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

    public enum PlayModeStateChange { EnteredEditMode, ExitingEditMode, EnteredPlayMode, ExitingPlayMode }

    public sealed class EditorApplication
    {
        public delegate void CallbackFunction();

        public static CallbackFunction update;
        public static CallbackFunction delayCall;
        public static event Action<PlayModeStateChange> playModeStateChanged;
        public static event Action quitting;

        public static bool isPlaying
        {
            get { Native.RequireMainThread("EditorApplication.isPlaying"); return Native.Editor.Playing; }
            set { Native.RequireMainThread("EditorApplication.isPlaying"); Native.Editor.PlayingWanted = value; }
        }

        public static bool isPlayingOrWillChangePlaymode
        {
            get
            {
                Native.RequireMainThread("EditorApplication.isPlayingOrWillChangePlaymode");
                return Native.Editor.Playing || Native.Editor.PlayingWanted;
            }
        }

        public static bool isCompiling { get { Native.RequireMainThread("EditorApplication.isCompiling"); return Native.Editor.Compiling; } }
        public static bool isUpdating { get { Native.RequireMainThread("EditorApplication.isUpdating"); return Native.Editor.Updating; } }

        internal static void SignalTick()
        {
            Native.Editor.SignalTick();
        }

        internal static void RaisePlayMode(PlayModeStateChange change)
        {
            if (playModeStateChanged != null) playModeStateChanged(change);
        }

        internal static void RaiseQuitting()
        {
            if (quitting != null) quitting();
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

    public class SessionState
    {
        public static void SetString(string key, string value)
        {
            Native.RequireMainThread("SessionState.SetString");
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

    public static class EditorUtility
    {
        public static bool scriptCompilationFailed
        {
            get { Native.RequireMainThread("EditorUtility.scriptCompilationFailed"); return Native.Editor.CompilationFailed; }
        }
    }

    public class AssetDatabase
    {
        public static bool IsAssetImportWorkerProcess()
        {
            return Native.Editor.ImportWorker;
        }
    }

    public enum BuildTarget { NoTarget = -2 }

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
        public static GUIStyle boldLabel { get { Native.RequireMainThread("EditorStyles.boldLabel"); return new GUIStyle(); } }
    }

    public sealed class EditorGUILayout
    {
        public static void HelpBox(string message, MessageType type)
        {
            Draw(type + ": " + message);
        }

        public static void LabelField(string label, params GUILayoutOption[] options)
        {
            Draw(label);
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

        private static void Draw(string what)
        {
            Native.RequireMainThread("EditorGUILayout");
            HeadlessGui.Drawn.Add(what);
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

    public static class CompilationPipeline
    {
        public static event Action<object> compilationStarted;
        public static event Action<object> compilationFinished;
        public static event Action<string, CompilerMessage[]> assemblyCompilationFinished;

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
