using UnityBridge.Json;

namespace UnityBridge.Jobs
{
    /// <summary>What jobs need of the console: what was logged while one ran (SPEC §15.3). Any thread.</summary>
    internal interface IJobConsole
    {
        /// <summary>The number of the newest entry there has been.</summary>
        long NewestSeq { get; }

        /// <summary><c>{errors, warnings, first, next_cursor}</c> of the entries after the given one.</summary>
        JsonObject Summary(long afterSeq);
    }
}
