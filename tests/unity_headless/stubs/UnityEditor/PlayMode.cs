using System;
using UnityEngine;

namespace UnityEditor
{
    public enum PlayModeStateChange { EnteredEditMode, ExitingEditMode, EnteredPlayMode, ExitingPlayMode }

    // Editor/Mono/EditorApplication.bindings.cs, 2021.3 to 6000.7: EnterPlaymode and ExitPlaymode set isPlaying.
    // Setting it only asks for the change, which Unity makes after the update.
    public sealed partial class EditorApplication
    {
        public static event Action<PlayModeStateChange> playModeStateChanged;

        public static bool isPlaying
        {
            get { Native.RequireMainThread("EditorApplication.isPlaying"); return Native.Playing; }
            set
            {
                Native.RequireMainThread("EditorApplication.isPlaying");
                if (value != Native.PlayingWanted) Native.Editor.Say("asked to " + (value ? "play" : "stop"));
                Native.PlayingWanted = value;
            }
        }

        /// <summary>False while play mode is being left, although isPlaying is true still (manual,
        /// PlayModeStateChange.ExitingPlayMode).</summary>
        public static bool isPlayingOrWillChangePlaymode
        {
            get
            {
                Native.RequireMainThread("EditorApplication.isPlayingOrWillChangePlaymode");
                return Native.PlayingWanted;
            }
        }

        public static bool isPaused
        {
            get { Native.RequireMainThread("EditorApplication.isPaused"); return Native.Paused; }
            set { Native.RequireMainThread("EditorApplication.isPaused"); Native.Paused = value; }
        }

        /// <summary>The frame comes with a later update.</summary>
        public static void Step()
        {
            Native.RequireMainThread("EditorApplication.Step");
            if (!Native.Playing) Native.Editor.Say("VIOLATION stepped in edit mode");
            if (Native.Editor.StepWanted) Native.Editor.Say("VIOLATION stepped before the last step was made");
            Native.Paused = true;
            Native.Editor.StepWanted = true;
        }

        internal static void RaisePlayMode(PlayModeStateChange change)
        {
            if (playModeStateChanged != null) playModeStateChanged(change);
        }
    }
}
