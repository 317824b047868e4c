namespace UnityBridge.Jobs
{
    /// <summary>The states of a job on the wire (SPEC §5).</summary>
    internal static class JobState
    {
        public const string Queued = "queued";
        public const string Running = "running";
        public const string Succeeded = "succeeded";
        public const string Failed = "failed";
        public const string Timeout = "timeout";
        public const string Cancelled = "cancelled";

        public static bool IsEnd(string state) => state is not (Queued or Running);
    }

    /// <summary>The values of <c>progress.step</c> on the wire.</summary>
    internal static class JobStep
    {
        /// <summary>For another job, or for the editor to be idle.</summary>
        public const string Waiting = "waiting";
        public const string Importing = "importing";
        public const string Compiling = "compiling";
        public const string Reloading = "reloading";
        public const string Running = "running";
        public const string EnteringPlayMode = "entering_play_mode";
        public const string LeavingPlayMode = "leaving_play_mode";

        /// <summary>The main thread stands still; <c>for_ms</c> says how long.</summary>
        public const string Stalled = "stalled";
    }
}
