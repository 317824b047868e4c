using System;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Jobs
{
    /// <summary>What a <c>submit_job</c> asks for. Immutable.</summary>
    internal sealed class JobRequest
    {
        private const int MaxIdChars = 200;
        private const int MaxNameChars = 128;
        private const int MaxClientNameChars = 64;
        private const long DefaultTimeoutMs = 300000;

        // Longer than any tool's limit, and far from where a sum of times overflows.
        private const long MaxTimeoutMs = 7L * 24 * 60 * 60 * 1000;

        private readonly JsonObject _json;

        private JobRequest(JsonObject json)
        {
            _json = json;
            JobId = json.Text("job_id");
        }

        public string JobId { get; }

        public string RequestId => _json.Text("request_id");

        public string ToolName => _json.Text("tool_name");

        public JsonObject Parameters => _json.Object("params");

        /// <summary>The caller's id, null where it gave none (SPEC §15.7).</summary>
        public string Client => _json.Text("client");

        /// <summary>The caller's name for people, possibly empty.</summary>
        public string ClientName => _json.Text("client_name");

        /// <summary>The caller's <c>client_request_id</c>, null where it gave none.</summary>
        public string Key => _json.Text("client_request_id");

        /// <summary>It came from a server without proof (SPEC §17.2).</summary>
        public bool IsUntrusted => _json.Is("untrusted");

        /// <summary>Reads a message; or answers null, and why it is refused.</summary>
        public static JobRequest Read(
            string requestId, JsonObject message, bool isUntrusted, out long timeoutMs, out Refusal refusal)
        {
            // The server's id is adopted; a server that sends none gets one (SPEC §5).
            var jobId = message.Get("job_id") == null ? "job-" + Guid.NewGuid().ToString("N") : message.Text("job_id");
            var timeout = message.Get("timeout_ms") == null ? DefaultTimeoutMs : message.Integer("timeout_ms");
            timeoutMs = Math.Min(timeout ?? 0, MaxTimeoutMs);
            // An empty key counts as none (SPEC §15.7).
            var hasKey = message.Get("client_request_id") is not (null or "");
            refusal = !IsName(jobId, MaxIdChars)
                ? Invalid("job_id is 1 to " + MaxIdChars + " printable ASCII characters.")
                : timeoutMs < 1 ? Invalid("timeout_ms is a whole number of at least 1.")
                : message.Get("params") is not (null or JsonObject) ? Invalid("params is an object.")
                : !IsClientOrAbsent(message) || (hasKey && !IsName(message.Text("client_request_id"), MaxNameChars))
                    ? Invalid("client has an id, and that and client_request_id are 1 to " + MaxNameChars
                        + " printable ASCII characters.")
                : null;
            var client = message.Object("client");
            return refusal != null ? null : new JobRequest(new JsonObject
            {
                { "job_id", jobId }, { "request_id", requestId }, { "tool_name", message.Text("tool_name") },
                { "params", message.Object("params") ?? new JsonObject() },
                { "client", client?.Text("id") }, { "client_name", Shortened(client?.Text("name")) },
                { "client_request_id", hasKey ? message.Text("client_request_id") : null },
                { "untrusted", isUntrusted },
            });
        }

        public JsonObject ToJson() => _json;

        public static JobRequest FromJson(JsonObject json) => new JobRequest(json);

        private static bool IsClientOrAbsent(JsonObject message) =>
            message.Get("client") == null || IsName(message.Object("client")?.Text("id"), MaxNameChars);

        private static string Shortened(string name) =>
            name == null ? "" : name.Length <= MaxClientNameChars ? name : name.Substring(0, MaxClientNameChars);

        private static bool IsName(string text, int maxChars)
        {
            return !string.IsNullOrEmpty(text) && text.Length <= maxChars && text.All(c => c is >= ' ' and <= '~');
        }

        private static Refusal Invalid(string message) => new Refusal(ErrorCode.InvalidParams, message);
    }
}
