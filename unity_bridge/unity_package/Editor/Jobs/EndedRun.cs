using UnityBridge.Json;

namespace UnityBridge.Jobs
{
    /// <summary>A job whose end is known when it begins or goes on.</summary>
    internal sealed class EndedRun : IJobRun
    {
        private readonly JobEnd _end;
        private readonly JsonObject _memo;

        public EndedRun(JobEnd end, JsonObject memo = null)
        {
            _end = end;
            _memo = memo;
        }

        public JobEnd Advance() => _end;

        public JsonObject Memo() => _memo;
    }
}
