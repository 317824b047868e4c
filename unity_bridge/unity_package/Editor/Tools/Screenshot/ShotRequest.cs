using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>How a picture is wanted, and what is answered with it.</summary>
    internal sealed class ShotRequest
    {
        public const string GameView = "game";
        public const string SceneView = "scene";

        private readonly string _format;
        private readonly int _maxSize;

        public ShotRequest(string format, int maxSize)
        {
            _format = format;
            _maxSize = maxSize;
        }

        /// <summary>Main thread.</summary>
        /// <param name="flips">The texture has its first row at the top.</param>
        /// <param name="reason">Why it is not fresh, or what is missing in it; null for nothing.</param>
        public void Answer(ToolCall call, string view, RenderTexture source, bool flips, bool fresh, string reason = null)
        {
            var picture = Picture.Of(source, _maxSize, _format, flips);
            var result = new JsonObject
            {
                { "image", picture.Base64 }, { "format", _format }, { "width", picture.Width }, { "height", picture.Height },
                { "view", view }, { "playing", EditorApplication.isPlaying }, { "frame", Time.frameCount },
                { "fresh", fresh }, { "uniform", picture.IsUniform },
            };
            if (reason != null)
            {
                result["reason"] = reason;
            }
            call.Succeed(result);
        }

        /// <summary>There is nothing to take a picture of.</summary>
        public static void Refuse(ToolCall call, string message) => call.Refuse(Refusal.NotExecuted("no_view", message));
    }
}
