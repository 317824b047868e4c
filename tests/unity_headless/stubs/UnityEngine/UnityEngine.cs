using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public class TextAsset : Object
    {
        public string text { get; internal set; }
    }

    public enum LogType { Error, Assert, Warning, Log, Exception }

    [Flags]
    public enum HideFlags { None = 0, HideInHierarchy = 1, HideInInspector = 2, DontSaveInEditor = 4, NotEditable = 8,
        HideAndDontSave = 61 }

    /// <summary>An object with HideAndDontSave outlives the domain: at a reload Unity serializes it and makes it again,
    /// and only DestroyImmediate takes it away. (Runtime/Export/Scripting/UnityEngineObject.bindings.cs)</summary>
    public partial class Object
    {
        private HideFlags _hideFlags;

        public HideFlags hideFlags
        {
            get { Native.RequireMainThread("Object.hideFlags"); return _hideFlags; }
            set
            {
                Native.RequireMainThread("Object.hideFlags");
                Native.Editor.CountKept((value == HideFlags.HideAndDontSave ? 1 : 0) - (
                    _hideFlags == HideFlags.HideAndDontSave ? 1 : 0));
                _hideFlags = value;
            }
        }

        public static void DestroyImmediate(Object target)
        {
            Native.RequireMainThread("Object.DestroyImmediate");
            target.hideFlags = HideFlags.None;
            target.Destroyed();
        }

        /// <summary>In play mode; it is gone at the end of the game's frame, and is used like any other until
        /// then.</summary>
        public static void Destroy(Object obj)
        {
            Native.RequireMainThread("Object.Destroy");
            if (!Native.Playing) Native.Editor.Say("VIOLATION Destroy may not be called from edit mode");
            World.Doomed.Add(obj);
        }

        /// <summary>A script has destroyed it.</summary>
        internal virtual void Destroyed()
        {
        }
    }

    /// <summary>Everything in memory, assets with unsaved changes among it (manual: "objects that are loaded, including
    /// assets").</summary>
    public sealed class Resources
    {
        public static T[] FindObjectsOfTypeAll<T>() where T : Object
        {
            return FindObjectsOfTypeAll(typeof(T)).Cast<T>().ToArray();
        }

        public static Object[] FindObjectsOfTypeAll(Type type)
        {
            Native.RequireMainThread("Resources.FindObjectsOfTypeAll");
            // It goes through all loaded objects, so how often it is called counts.
            if (type.Name == "UIDocument") Native.Editor.Say("searched all objects");
            var found = new System.Collections.Generic.List<Object>();
            if (type.IsAssignableFrom(typeof(ScriptableObject)))
                foreach (var path in Native.Editor.DirtyAssets.Split(';'))
                {
                    if (path.Length > 0) found.AddRange(TextCore.Text.FontAsset.InFile(path));
                }
            found.AddRange(World.EditorObjects().Where(type.IsInstanceOfType));
            foreach (var component in World.Everything().SelectMany(one => one.Components))
            {
                if (type.IsInstanceOfType(component)) found.Add(component);
            }
            return found.ToArray();
        }
    }

    public class ScriptableObject : Object
    {
        /// <summary>Logs, and answers null, for a class that cannot be made.</summary>
        public static ScriptableObject CreateInstance(Type type)
        {
            Native.RequireMainThread("ScriptableObject.CreateInstance");
            return (ScriptableObject)Activator.CreateInstance(type);
        }

        public static T CreateInstance<T>() where T : ScriptableObject
        {
            Native.RequireMainThread("ScriptableObject.CreateInstance");
            return (T)Activator.CreateInstance(typeof(T));
        }
    }

    public static class Application
    {
        public delegate void LogCallback(string condition, string stackTrace, LogType type);

        public static event LogCallback logMessageReceived;
        public static event LogCallback logMessageReceivedThreaded;

        public static bool isBatchMode
        {
            get { Native.RequireMainThread("Application.isBatchMode"); return Native.Editor.BatchMode; }
        }
        public static string dataPath
        {
            get { Native.RequireMainThread("Application.dataPath"); return Native.Editor.DataPath; }
        }
        public static string consoleLogPath
        {
            get
            {
                Native.RequireMainThread("Application.consoleLogPath");
                return Native.Editor.LogPath ?? Native.Editor.DataPath + "/../Logs/Editor.log";
            }
        }
        public static bool isPlaying { get { return Native.Playing; } }
        /// <summary>Opens a browser: Application.bindings.cs, 2021.3.</summary>
        public static void OpenURL(string url)
        {
            Native.RequireMainThread("Application.OpenURL");
            Native.Editor.Say("opens " + url);
        }
        public static int targetFrameRate
        {
            get { Native.RequireMainThread("Application.targetFrameRate"); return -1; }
        }
        /// <summary>In the editor the setter changes PlayerSettings, and marks ProjectSettings.asset as changed
        /// (Application.bindings.cs 2021.3.58f1:134, 6000.7.0a1:141, SetPlayerSettingsRunInBackground).</summary>
        public static bool runInBackground
        {
            get { Native.RequireMainThread("Application.runInBackground"); return Native.Editor.RunInBackground; }
            set
            {
                Native.RequireMainThread("Application.runInBackground");
                Native.Editor.RunInBackground = value;
                Native.Editor.Say("run-in-background " + (value ? "on" : "off"));
            }
        }
        /// <summary>Whether the Game view has it.</summary>
        public static bool isFocused { get { return Native.Editor.Quirk("game-focused"); } }
        public static string productName
        {
            get
            {
                Native.RequireMainThread("Application.productName");
                if (Native.Editor.Quirk("no-product-name")) throw new UnityException("no product name");
                return Native.Editor.ProductName;
            }
        }
        public static string unityVersion { get { return Native.Editor.UnityVersion; } }

        internal static void Raise(string condition, string stackTrace, LogType type, bool onMainThread)
        {
            if (logMessageReceivedThreaded != null) logMessageReceivedThreaded(condition, stackTrace, type);
            if (onMainThread && logMessageReceived != null) logMessageReceived(condition, stackTrace, type);
        }
    }

    public static class Debug
    {
        public static void Log(object message) { Write(message, LogType.Log); }
        public static void LogWarning(object message) { Write(message, LogType.Warning); }
        public static void LogError(object message) { Write(message, LogType.Error); }
        public static void LogAssertion(object message) { Write(message, LogType.Assert); }
        public static void LogException(Exception exception) { Write(exception.Message, LogType.Exception); }

        private static void Write(object message, LogType type)
        {
            LogWithStack(Convert.ToString(message),
                "UnityEngine.Debug:" + type + " (object)\nHeadless:Frame () (at Assets/Headless.cs:1)\n", type);
        }

        public static void LogWithStack(string text, string stack, LogType type)
        {
            Native.Editor.AddRow(text, stack, ModeOf(type), "", 0);
            Application.Raise(text, stack, type,
                System.Threading.Thread.CurrentThread.ManagedThreadId == Native.MainThreadId);
        }

        private static int ModeOf(LogType type)
        {
            switch (type)
            {
                case LogType.Error: return 1 << 8;
                case LogType.Warning: return 1 << 9;
                case LogType.Assert: return 1 << 21;
                case LogType.Exception: return 1 << 17;
                default: return 1 << 10;
            }
        }
    }

    public enum EventType { MouseDown = 0, MouseUp = 1, MouseMove = 2, Repaint = 7, Layout = 8, Used = 12 }

    public sealed class Event
    {
        public static readonly Event current = new Event();

        public EventType type { get; set; }
        public Vector2 mousePosition { get; set; }
        public int button { get; set; }
        public int clickCount { get; set; }
    }

    public class GUIStyle
    {
    }

    public class GUILayoutOption
    {
    }

    /// <summary>Drawn controls are remembered, and one value and one click can be waiting for them.</summary>
    public static class HeadlessGui
    {
        public static readonly List<string> Drawn = new List<string>();
        public static int? TypedInt;
        public static int Rows;
        public static string Click;
    }

    public static class GUILayout
    {
        public static bool Button(string text, params GUILayoutOption[] options)
        {
            Native.RequireMainThread("GUILayout.Button");
            HeadlessGui.Drawn.Add("[" + text + "]");
            return HeadlessGui.Click == text;
        }
    }
}

namespace UnityEngine.SceneManagement
{
    public partial struct Scene
    {
        private readonly string _path;

        internal Scene(string path)
        {
            _path = path;
        }

        internal string File { get { return _path; } }

        public bool isDirty { get { Native.RequireMainThread("Scene.isDirty");
            return !IsNew && (System.Array.IndexOf(Native.Editor.DirtyScenes(), _path) >= 0
                || _path == Native.Editor.DirtyPrefab);
            } }
        public string path
        {
            get
            {
                Native.RequireMainThread("Scene.path");
                return _path == "Untitled" || IsNew ? "" : _path.Replace(World.Apart, "");
            }
        }

        // A scene that was made and not touched yet: it has no file, and is not dirty either.
        private bool IsNew { get { return _path == "New"; } }
        public string name { get { return System.IO.Path.GetFileNameWithoutExtension(path); } }
    }

    public partial class SceneManager
    {
        public static int sceneCount { get { Native.RequireMainThread("SceneManager.sceneCount");
            return Native.Editor.OpenScenes().Length; } }

        public static Scene GetSceneAt(int index)
        {
            Native.RequireMainThread("SceneManager.GetSceneAt");
            var path = Native.Editor.OpenScenes()[index];
            return new Scene(Native.Editor.Quirk("new-scene")
                && System.Array.IndexOf(Native.Editor.DirtyScenes(), path) < 0 ? "New" : path);
        }
    }
}
