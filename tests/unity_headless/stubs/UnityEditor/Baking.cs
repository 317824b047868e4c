using System;
using System.Diagnostics;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace UnityEditor
{
    /// <summary>Bakes outside the main thread (Lightmapping.bindings.cs): it has not begun when BakeAsync returns, and
    /// the event comes in an update after it has ended. A quirk has its time.</summary>
    public static class Lightmapping
    {
        /// <summary>False for a scene that has none of its own (Lightmapping.bindings.cs, 2021.3 to 6000.7).</summary>
        public static bool TryGetLightingSettings(out LightingSettings settings)
        {
            Native.RequireMainThread("Lightmapping.TryGetLightingSettings");
            settings = null;
            return false;
        }

        private static Stopwatch _baking;
        private static int _updates;

        public static event Action bakeCompleted;

        public static bool isRunning
        {
            get { Native.RequireMainThread("Lightmapping.isRunning"); return _baking != null && _updates > 1; }
        }

        public static float buildProgress
        {
            get { Native.RequireMainThread("Lightmapping.buildProgress"); return isRunning ? 0.5f : 0; }
        }

        public static bool BakeAsync()
        {
            Native.RequireMainThread("Lightmapping.BakeAsync");
            RequireFiles();
            if (Native.Editor.Quirk("bake-refused")) return false;
            Native.Editor.Say("bake-lighting");
            _baking = Stopwatch.StartNew();
            _updates = 0;
            EditorApplication.update += Update;
            return true;
        }

        // The result is kept next to the scene's file.
        internal static void RequireFiles()
        {
            for (var i = 0; i < SceneManager.sceneCount; i++)
            {
                if (SceneManager.GetSceneAt(i).path.Length == 0)
                {
                    Native.Editor.Say("VIOLATION a modal dialog asked for the name of a scene");
                }
            }
        }

        public static void Cancel()
        {
            Native.RequireMainThread("Lightmapping.Cancel");
            Native.Editor.Say("bake-cancelled");
            End();
        }

        private static void Update()
        {
            _updates++;
            if (_baking == null || _baking.ElapsedMilliseconds < Native.Editor.QuirkValue("bake-ms") || _updates < 3)
            {
                return;
            }
            End();
            if (bakeCompleted != null) bakeCompleted();
        }

        private static void End()
        {
            _baking = null;
            EditorApplication.update -= Update;
        }
    }
}

namespace UnityEditor.AI
{
    /// <summary>NavMeshBuilderEditor.bindings.cs; marked obsolete in 6000.7.</summary>
    [Obsolete("UnityEditor NavMeshBuilder has been deprecated.")]
    public sealed class NavMeshBuilder
    {
        private static Stopwatch _baking;

        public static bool isRunning
        {
            get
            {
                Native.RequireMainThread("NavMeshBuilder.isRunning");
                return _baking != null && _baking.ElapsedMilliseconds < Native.Editor.QuirkValue("bake-ms");
            }
        }

        public static void BuildNavMeshAsync()
        {
            Native.RequireMainThread("NavMeshBuilder.BuildNavMeshAsync");
            Lightmapping.RequireFiles();
            Native.Editor.Say("bake-navmesh scenes");
            _baking = Stopwatch.StartNew();
        }

        public static void Cancel()
        {
            Native.RequireMainThread("NavMeshBuilder.Cancel");
            Native.Editor.Say("bake-cancelled");
            _baking = null;
        }
    }
}
