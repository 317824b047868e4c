using UnityBridge.Json;

namespace UnityBridge.Wire
{
    /// <summary>The messages this side sends, protocol version 1 (SPEC §7).</summary>
    internal static class Messages
    {
        public const long ProtocolVersion = 1;

        /// <summary>The most UTF-8 bytes one message may have, in both directions.</summary>
        public const int MaxBytes = 1024 * 1024;

        /// <summary>What an answer's own content may take, so that the envelope always fits around it.</summary>
        public const int MaxContentBytes = 900 * 1000;

        public static JsonObject Result(string requestId, object content)
        {
            var message = Reply("result", requestId);
            message["status"] = "ok";
            message["result"] = content;
            return message;
        }

        /// <summary>The tool ran and failed; a tool that did not run is an <see cref="Error"/>.</summary>
        public static JsonObject ResultError(string requestId, Refusal failure)
        {
            var message = Reply("result", requestId);
            message["status"] = "error";
            message["error"] = failure.ToJson();
            return message;
        }

        public static JsonObject SubmitJobResult(string requestId, string jobId)
        {
            var message = Reply("submit_job_result", requestId);
            message["status"] = "accepted";
            message["job_id"] = jobId;
            return message;
        }

        /// <param name="status">The job's own members: job_id, state, progress, result, error.</param>
        public static JsonObject JobStatus(string requestId, JsonObject status)
        {
            var message = Reply("job_status", requestId);
            foreach (var member in status)
            {
                message[member.Key] = member.Value;
            }
            return message;
        }

        public static JsonObject CancelResult(string requestId, string status)
        {
            var message = Reply("cancel_result", requestId);
            message["status"] = status;
            return message;
        }

        public static JsonObject Error(string requestId, Refusal refusal)
        {
            var message = Reply("error", requestId);
            message["error"] = refusal.ToJson();
            return message;
        }

        private static JsonObject Reply(string type, string requestId)
        {
            var message = Envelope(type);
            if (requestId != null)
            {
                message["request_id"] = requestId;
            }
            return message;
        }

        public static JsonObject Envelope(string type) =>
            new JsonObject { { "type", type }, { "protocol_version", ProtocolVersion } };
    }
}
