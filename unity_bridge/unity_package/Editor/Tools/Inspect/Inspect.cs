using UnityBridge.EditorLife;
using UnityBridge.Framework;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>inspect</c> (SPEC §16.4): scenes, hierarchies, objects, assets, the selection and the
    /// user interface of the running game, page by page.</summary>
    /// <remarks>Reading changes nothing: no accessor is used that makes what it returns (such as
    /// <c>Renderer.material</c>), and no serialized object is applied. Everything is read on the main thread, as much
    /// in an update as its budget allows.</remarks>
    internal sealed class Inspect : IReadTool
    {
        private readonly MainThread _mainThread;
        private readonly AssetSearch _assets = new AssetSearch();
        private readonly KeptWalks _kept = new KeptWalks();

        public Inspect(ToolContext context)
        {
            _mainThread = context.MainThread;
        }

        public string ToolName => "inspect";

        public void Execute(ToolCall call)
        {
            var query = new InspectQuery();
            if (call.IsRefused(query.FaultIn(call.Parameters)))
            {
                return;
            }
            var page = new InspectPage(query, QuestionOf(query), _kept);
            call.EachUpdate(_mainThread, () => page.GoOn(call, () => _mainThread.IsBudgetSpent), page);
        }

        private Question QuestionOf(InspectQuery query) => query.What switch
        {
            "scenes" => new ScenesQuestion(),
            "hierarchy" => new HierarchyQuestion(query),
            "object" => new ObjectQuestion(query),
            "assets" => new AssetsQuestion(query, _assets),
            "ui" => new UiQuestion(query),
            _ => new SelectionQuestion(),
        };
    }
}
