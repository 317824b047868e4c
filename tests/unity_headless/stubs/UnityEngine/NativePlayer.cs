namespace UnityEngine
{
    public abstract partial class Native
    {
        public bool Playing { get; set; }
        public bool PlayingWanted { get; set; }
        public bool Paused { get; set; }
        /// <summary>A frame that was asked for while the game is paused.</summary>
        public bool StepWanted { get; set; }
        public int FrameCount { get; set; }
    }

    public class Time
    {
        public static float unscaledTime { get { Native.RequireMainThread("Time.unscaledTime"); return Native.Editor.FrameCount / 60f; } }
        /// <summary>Frames of the player loop. The count restarts with the game. (Runtime/Export/Time/Time.bindings.cs)</summary>
        public static int frameCount { get { Native.RequireMainThread("Time.frameCount"); return Native.Editor.FrameCount; } }
    }
}
