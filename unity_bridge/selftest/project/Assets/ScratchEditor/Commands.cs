using System;
using System.Collections;
using System.Threading;
using System.Threading.Tasks;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace Scratch.Editor
{
    /// <summary>The plugin finds it by its name, so the scratch project refers to nothing of the plugin's.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class BridgeCommandAttribute : Attribute
    {
        public BridgeCommandAttribute(string name, string description)
        {
            Name = name;
            Description = description;
        }

        public string Name { get; private set; }
        public string Description { get; private set; }
        public bool Write { get; set; }
    }

    public static class Commands
    {
        public enum Kind { log, warning, error, assert, exception, thread }

        public enum Size { small, large }

        private static int _delayed;
        private static int _runs;
        private static bool _isLocked;

        [BridgeCommand("scratch_value", "The number that the loaded code has.", Write = false)]
        private static int LoadedValue()
        {
            return Value.Number;
        }

        [BridgeCommand("scratch_runs", "How often the other commands have run since the scripts were loaded.",
            Write = false)]
        private static int Runs()
        {
            return _runs;
        }

        [BridgeCommand("scratch_lock", "Holds the reload of the assemblies back, or lets it happen.")]
        private static bool Lock(bool on)
        {
            if (on != _isLocked)
            {
                if (on) EditorApplication.LockReloadAssemblies();
                else EditorApplication.UnlockReloadAssemblies();
            }
            _isLocked = on;
            return _isLocked;
        }

        [BridgeCommand("scratch_log", "Writes to the console.")]
        private static string Log(Kind kind, string text)
        {
            _runs++;
            switch (kind)
            {
                case Kind.log: Debug.Log(text); break;
                case Kind.warning: Debug.LogWarning(text); break;
                case Kind.error: Debug.LogError(text); break;
                case Kind.assert: Debug.LogAssertion(text); break;
                case Kind.exception: Debug.LogException(new InvalidOperationException(text)); break;
                case Kind.thread:
                    var thread = new Thread(() => Debug.Log(text));
                    thread.Start();
                    thread.Join();
                    break;
            }
            return text;
        }

        [BridgeCommand("scratch_log_many", "Writes numbered lines to the console.")]
        private static int LogMany(string text, int count)
        {
            for (var i = 0; i < count; i++) Debug.Log(text + " " + i);
            return count;
        }

        private sealed class UnsavedWindow : EditorWindow
        {
            public void Change()
            {
                titleContent = new GUIContent("Scratch window");
                hasUnsavedChanges = true;
            }
        }

        [BridgeCommand("scratch_window", "Makes a window with unsaved changes, or destroys it.")]
        private static bool Window(bool on)
        {
            foreach (var window in Resources.FindObjectsOfTypeAll<UnsavedWindow>())
            {
                UnityEngine.Object.DestroyImmediate(window);
            }
            if (on)
            {
                ScriptableObject.CreateInstance<UnsavedWindow>().Change();
            }
            return on;
        }

        [BridgeCommand("scratch_change_scene", "Marks the active scene as changed.")]
        private static string ChangeScene()
        {
            EditorSceneManager.MarkSceneDirty(SceneManager.GetActiveScene());
            return SceneManager.GetActiveScene().path;
        }

        [BridgeCommand("scratch_delay", "Asks for a delayed call.")]
        private static int Delay()
        {
            _delayed = 0;
            EditorApplication.delayCall += () => _delayed++;
            return _delayed;
        }

        [BridgeCommand("scratch_delayed", "How many delayed calls came.", Write = false)]
        private static int Delayed()
        {
            return _delayed;
        }

        [BridgeCommand("scratch_add", "Adds two numbers.", Write = false)]
        private static int Add(int a, int b = 2)
        {
            return a + b;
        }

        [BridgeCommand("scratch_size", "Gives its arguments back.", Write = false)]
        private static string[] Sizes(Size size = Size.small, string[] names = null)
        {
            return new[] { size.ToString(), names == null ? "none" : string.Join("+", names) };
        }

        [BridgeCommand("scratch_throw", "Throws.")]
        private static void Throw()
        {
            _runs++;
            throw new InvalidOperationException("thrown by design");
        }

        [BridgeCommand("scratch_steps", "Takes so many updates of the editor.")]
        private static IEnumerator Steps(int count)
        {
            _runs++;
            for (var i = 0; i < count; i++) yield return null;
            yield return count;
        }

        [BridgeCommand("scratch_wait", "Waits, and can be cancelled.")]
        private static async Task<string> Wait(int ms, CancellationToken token)
        {
            _runs++;
            await Task.Delay(ms, token);
            return "waited";
        }

        [BridgeCommand("scratch_block", "Holds the main thread.")]
        private static int Block(int ms)
        {
            Thread.Sleep(ms);
            return ms;
        }
    }
}
