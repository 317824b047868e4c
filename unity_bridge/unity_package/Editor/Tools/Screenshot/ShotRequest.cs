namespace UnityBridge.Tools
{
    /// <summary>How a picture is wanted.</summary>
    internal sealed class ShotRequest
    {
        public const string GameView = "game";
        public const string SceneView = "scene";

        public ShotRequest(string format, int maxSize, int frames, int everyMs)
        {
            Format = format;
            MaxSize = maxSize;
            Frames = frames;
            EveryMs = everyMs;
        }

        public string Format { get; }

        /// <summary>Pixels of the longer side; with several frames, of the whole grid.</summary>
        public int MaxSize { get; }

        public int Frames { get; }

        /// <summary>From one frame to the next.</summary>
        public int EveryMs { get; }
    }
}
