using System.Collections.Generic;
using UnityEditor;
using UnityEngine.SceneManagement;
using UnityBridge.Console;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.TestRuns
{
    /// <summary>Whether tests can run at all. Main thread.</summary>
    /// <remarks>The framework itself would run stale assemblies, throw, or raise a dialog that nobody answers.</remarks>
    internal sealed class EditorReadiness
    {
        private const int ErrorsTold = 5;

        private readonly ConsoleBuffer _console;

        public EditorReadiness(ConsoleBuffer console)
        {
            _console = console;
        }

        /// <summary>Compiling or importing: it passes by itself.</summary>
        public static bool IsBusy
        {
            get { return EditorApplication.isCompiling || EditorApplication.isUpdating; }
        }

        public static bool IsInPlayMode
        {
            get { return EditorApplication.isPlaying || EditorApplication.isPlayingOrWillChangePlaymode; }
        }

        /// <summary>Why tests cannot run now and what to do about it, or null.</summary>
        public Refusal WhyTestsCannotRun()
        {
            if (!IsBusy && EditorUtility.scriptCompilationFailed)
            {
                return Refuse("compile_errors", "Unity's scripts do not compile, so the tests cannot run. Fix the compile "
                    + "errors (read_console shows them) and run the tests again.", "compile_errors", CompileErrors());
            }
            if (IsInPlayMode)
            {
                return Refuse("play_mode", "The editor is in play mode. Leave play mode, then run the tests.", null, null);
            }
            var unsaved = UnsavedScenes();
            if (unsaved.Count > 0)
            {
                return Refuse("unsaved_scenes", "Scenes have unsaved changes (" + string.Join(", ", unsaved.ToArray())
                    + "); Unity would ask about them in a dialog. Save or discard them, then run the tests.",
                    "scenes", unsaved);
            }
            return null;
        }

        private static Refusal Refuse(string reason, string message, string member, List<string> values)
        {
            var details = new JsonObject { { "reason", reason }, { "execution_guarantee", "not_executed" } };
            if (member != null)
            {
                details[member] = values;
            }
            return new Refusal(ErrorCode.UnityExecution, message, details);
        }

        private List<string> CompileErrors()
        {
            var errors = _console.CompileErrors();
            return errors.GetRange(0, System.Math.Min(ErrorsTold, errors.Count)).ConvertAll(error => error.Message);
        }

        private static List<string> UnsavedScenes()
        {
            var unsaved = new List<string>();
            for (var i = 0; i < SceneManager.sceneCount; i++)
            {
                var scene = SceneManager.GetSceneAt(i);
                if (scene.isDirty)
                {
                    unsaved.Add(string.IsNullOrEmpty(scene.path) ? "Untitled" : scene.path);
                }
            }
            return unsaved;
        }
    }
}
