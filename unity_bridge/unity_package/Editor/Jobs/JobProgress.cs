using UnityBridge.Json;

namespace UnityBridge.Jobs
{
    /// <summary>How far a job is: a step and since when, or a count. Immutable.</summary>
    internal sealed class JobProgress
    {
        private readonly JsonObject _count;

        private JobProgress(string step, long sinceUtcMs, JsonObject count, string waitsFor = null)
        {
            WaitsFor = waitsFor;
            Step = step;
            SinceUtcMs = sinceUtcMs;
            _count = count;
        }

        /// <summary>Null for a count.</summary>
        public string Step { get; }

        public long SinceUtcMs { get; }

        /// <summary>What of Unity's a waiting job waits for: test_run, compiling or importing; null for another
        /// job.</summary>
        public string WaitsFor { get; }

        public static JobProgress WaitingFor(string what, long sinceUtcMs) =>
            new JobProgress(JobStep.Waiting, sinceUtcMs, null, what);

        public static JobProgress At(string step, long sinceUtcMs) => new JobProgress(step, sinceUtcMs, null);

        public static JobProgress Counted(
            long completed, long total, string current, long failed = 0, string failedTest = null)
        {
            var count = new JsonObject { { "completed", completed }, { "total", total }, { "current_test", current } };
            if (failed > 0)
            {
                count["failed"] = failed;
                count["failed_test"] = failedTest;
            }
            return new JobProgress(null, 0, count);
        }

        /// <summary>The member <c>progress</c> of <c>job_status</c>. A stalled main thread is reported in place of a
        /// step; a count stays, since a test may well hold the main thread.</summary>
        public JsonObject ToJson(long nowUtcMs, long? stalledMs)
        {
            if (_count != null)
            {
                return _count;
            }
            return stalledMs != null
                ? Message(JobStep.Stalled, stalledMs.Value)
                : Message(Step, nowUtcMs - SinceUtcMs);
        }

        private static JsonObject Message(string step, long forMs) =>
            new JsonObject { { "step", step }, { "for_ms", forMs < 0 ? 0 : forMs } };
    }
}
