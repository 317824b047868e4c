using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>Which tests to list.</summary>
    internal enum ListedMode
    {
        all,
        edit,
        play,
    }

    internal static class ListTests
    {
        [BridgeCommand("list_tests",
            "The tests that run_tests runs with this mode and filter, in pages (next_cursor).",
            Write = false,
            Keywords = "test")]
        private static IJobRun Run(
            ToolContext context, ListedMode mode = ListedMode.all, string filter = "",
            string cursor = "", int max_bytes = 300000) =>
            context.ListTests(new JsonObject { { "mode", mode.ToString() }, { "filter", filter }, { "cursor", cursor },
                { "max_bytes", (long)max_bytes } });

        /// <summary>In the domain after a reload: it only reads, so it begins again.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) => context.ListTests(memo);
    }
}
