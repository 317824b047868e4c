using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Jobs
{
    /// <summary>How a job ended. <c>failed</c> with a result: it was carried out and found faults; with an error: it
    /// could not be carried out (SPEC §15.3).</summary>
    internal sealed class JobEnd
    {
        private JobEnd(string state, JsonObject result, Refusal error)
        {
            State = state;
            Result = result;
            Error = error;
        }

        public string State { get; }

        public JsonObject Result { get; }

        public Refusal Error { get; }

        public static JobEnd Succeeded(JsonObject result) => new JobEnd(JobState.Succeeded, result, null);

        /// <summary>The result of a command.</summary>
        public static JobEnd Value(object value) => Succeeded(new JsonObject { { "value", value } });

        /// <summary>Unity reloaded its scripts, and nobody knows how far it had come (SPEC §15.6).</summary>
        public static JobEnd Lost(string message) => Failed(new Refusal(ErrorCode.UnityExecution, message,
            new JsonObject { { "reason", "reloaded_while_running" }, { "execution_guarantee", "unknown" } }));

        /// <summary>Carried out, with faults found.</summary>
        public static JobEnd Faulty(JsonObject result) => new JobEnd(JobState.Failed, result, null);

        /// <summary>Not carried out, or not completely; <paramref name="result"/> is the partial result.</summary>
        public static JobEnd Failed(Refusal error, JsonObject result = null) =>
            new JobEnd(JobState.Failed, result, error);

        /// <param name="state"><see cref="Job.StopWanted"/>: cancelled or timeout.</param>
        public static JobEnd Stopped(string state, JsonObject result = null) => new JobEnd(state, result, null);
    }
}
