namespace UnityEngine
{
    public abstract partial class Native
    {
        public bool Playing, PlayingWanted, Paused;
        /// <summary>A frame that was asked for while the game is paused.</summary>
        public bool StepWanted;
        public int FrameCount;
    }

    public class Time
    {
        /// <summary>Frames of the player loop. It begins anew with the game. (Runtime/Export/Time/Time.bindings.cs)</summary>
        public static int frameCount { get { Native.RequireMainThread("Time.frameCount"); return Native.Editor.FrameCount; } }
    }
}
