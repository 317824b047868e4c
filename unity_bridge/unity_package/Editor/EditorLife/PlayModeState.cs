using UnityEditor;
using UnityEngine;
using UnityBridge.Json;

namespace UnityBridge.EditorLife
{
    /// <summary>Play mode as it is now. Main thread.</summary>
    internal static class PlayModeState
    {
        /// <summary>Unity has been asked to enter or to leave play mode, and has not done so yet. (While it leaves,
        /// isPlaying is true and isPlayingOrWillChangePlaymode is false; while it enters, the other way
        /// round.)</summary>
        public static bool IsChanging => EditorApplication.isPlaying != EditorApplication.isPlayingOrWillChangePlaymode;

        /// <summary>The result of the tool.</summary>
        public static JsonObject ToJson(bool changed, string reason = null)
        {
            var result = new JsonObject
            {
                { "playing", EditorApplication.isPlaying },
                { "paused", EditorApplication.isPaused },
                { "frame", Time.frameCount },
                { "changed", changed },
            };
            if (EditorApplication.isPlaying)
            {
                result["game_time_s"] = new GameMoment().TimeS;
                reason ??= Time.timeScale == 0 && !EditorApplication.isPaused
                    ? "Time.timeScale is 0: frames run, and the time of the game stands still."
                    : null;
            }
            result.AddIfAny("reason", reason);
            return result;
        }
    }

    /// <summary>Unity's reports on play mode since the scripts were loaded. Main thread.</summary>
    internal sealed class PlayModeWatch
    {
        public PlayModeWatch()
        {
            EditorEvents.OnPlayMode(Note);
        }

        /// <summary>How often Unity began to leave a mode.</summary>
        public int Departures { get; private set; }

        private void Note(PlayModeStateChange change)
        {
            if (change is PlayModeStateChange.ExitingEditMode or PlayModeStateChange.ExitingPlayMode)
            {
                Departures++;
            }
            if (change == PlayModeStateChange.EnteredEditMode)
            {
                PlaySession.End();
                GameSpeed.PutBack();
            }
        }
    }
}
