using UnityBridge.Framework;
using UnityBridge.GameUi;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>screenshot</c>: what the Game view or the Scene view shows now, or in a few frames from now
    /// on (SPEC §16.3).</summary>
    internal sealed class Screenshot : IReadTool
    {
        private const int DefaultSize = GameScreen.DefaultSize;

        private const int LeastSize = 64;
        private const int MostSize = 2000;
        private const int MostFrames = 4;
        private const int DefaultEveryMs = 250;
        private const int LeastEveryMs = 50;
        private const int MostEveryMs = 1000;

        private readonly ToolContext _context;

        public Screenshot(ToolContext context)
        {
            _context = context;
        }

        public string ToolName => "screenshot";

        public void Execute(ToolCall call)
        {
            if (call.IsRefused(FaultIn(call.Parameters)))
            {
                return;
            }
            var parameters = call.Parameters;
            var asked = new ShotRequest(
                parameters.Text("format") ?? Picture.Jpg, Whole(parameters, "max_size", DefaultSize),
                Whole(parameters, "frames", 1), Whole(parameters, "every_ms", DefaultEveryMs));
            var series = new ShotSeries(call, asked, ViewOf(parameters), _context.Ticks);
            call.EachUpdate(_context.MainThread, series.Advance, series);
        }

        private IPicturedView ViewOf(JsonObject parameters) =>
            parameters.Text("view") == ShotRequest.SceneView
            ? new SceneViewShot()
            : (IPicturedView)new GameViewShot();

        private static int Whole(JsonObject parameters, string name, int otherwise) =>
            (int)(parameters.Integer(name) ?? otherwise);

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
            return FaultInNumber(parameters, "max_size", LeastSize, MostSize)
                ?? FaultInNumber(parameters, "frames", 1, MostFrames)
                ?? FaultInNumber(parameters, "every_ms", LeastEveryMs, MostEveryMs);
        }

        private static string FaultInNumber(JsonObject parameters, string name, int least, int most) =>
            parameters.Get(name) == null || (parameters.Integer(name) is { } given && given >= least && given <= most)
                ? null
                : name + " is a whole number from " + least + " to " + most + ".";
    }
}
