using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>screenshot</c>: what the Game view or the Scene view shows now (SPEC §16.3).</summary>
    internal sealed class Screenshot : IReadTool
    {
        private const int DefaultSize = 1024;
        private const int LeastSize = 64;
        private const int MostSize = 2048;

        private readonly ToolContext _context;
        private readonly RenderWatch _watch = new RenderWatch();

        public Screenshot(ToolContext context)
        {
            _context = context;
        }

        public string ToolName => "screenshot";

        public void Execute(ToolCall call)
        {
            var fault = FaultIn(call.Parameters);
            if (fault != null)
            {
                call.Refuse(new Refusal(ErrorCode.InvalidParams, fault));
                return;
            }
            var asked = new ShotRequest(call.Parameters.Text("format") ?? Picture.Jpg, (int)(call.Parameters.Integer("max_size") ?? DefaultSize));
            if (call.Parameters.Text("view") == ShotRequest.SceneView)
            {
                var shot = new SceneViewShot(call, asked, _context.Ticks);
                call.EachUpdate(_context.MainThread, shot.Advance, shot);
            }
            else
            {
                call.EachUpdate(_context.MainThread, new GameViewShot(call, asked, _watch, _context.Ticks).Advance);
            }
        }

        private static string FaultIn(JsonObject parameters)
        {
            if (parameters.Get("view") is not (null or ShotRequest.GameView or ShotRequest.SceneView))
            {
                return "view is game or scene.";
            }
            if (parameters.Get("format") is not (null or Picture.Jpg or Picture.Png))
            {
                return "format is jpg or png.";
            }
            return parameters.Get("max_size") == null || parameters.Integer("max_size") is >= LeastSize and <= MostSize
                ? null
                : "max_size is a whole number from " + LeastSize + " to " + MostSize + ".";
        }
    }
}
