namespace UnityEngine
{
    public abstract partial class Native
    {
        /// <summary>A frame that was asked for while the game is paused.</summary>
        public bool StepWanted { get; set; }
        public int FrameCount { get; set; }
        /// <summary>A player loop was asked for.</summary>
        public bool PlayerLoopWanted { get; set; }
        public double GameMs { get; set; }
        public float TimeScale { get; set; } = 1;
        /// <summary>PlayerSettings.runInBackground. Off: the stricter one of what new projects have.</summary>
        public bool RunInBackground { get; set; }
    }

    public class Time
    {
        public static float unscaledDeltaTime
        {
            get { Native.RequireMainThread("Time.unscaledDeltaTime"); return (float)(Native.Editor.FrameMs / 1000); }
        }
        public static double timeAsDouble
        {
            get { Native.RequireMainThread("Time.timeAsDouble"); return Native.Editor.GameMs / 1000; }
        }
        /// <summary>One value for the game and the project's settings: what is set in play mode stays when it
        /// ends.</summary>
        public static float timeScale
        {
            get { Native.RequireMainThread("Time.timeScale"); return Native.Editor.TimeScale; }
            set
            {
                Native.RequireMainThread("Time.timeScale");
                Native.Editor.TimeScale = value;
                Native.Editor.Say("time-scale " + value.ToString(System.Globalization.CultureInfo.InvariantCulture));
            }
        }
        public static float unscaledTime
        {
            get { Native.RequireMainThread("Time.unscaledTime"); return Native.Editor.FrameCount / 60f; }
        }
        /// <summary>Frames of the player loop. The count restarts with the game.
        /// (Runtime/Export/Time/Time.bindings.cs)</summary>
        public static int frameCount
        {
            get { Native.RequireMainThread("Time.frameCount"); return Native.Editor.FrameCount; }
        }
    }
}
