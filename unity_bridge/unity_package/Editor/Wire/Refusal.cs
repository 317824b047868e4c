using UnityBridge.Json;

namespace UnityBridge.Wire
{
    /// <summary>Why something was refused or failed: a code of the contract, what happened and what to do next.</summary>
    internal sealed class Refusal
    {
        public readonly string Code;
        public readonly string Message;
        public readonly JsonObject Details;

        public Refusal(string code, string message, JsonObject details = null)
        {
            Code = code;
            Message = message;
            Details = details ?? new JsonObject();
        }

        public JsonObject ToJson()
        {
            return new JsonObject { { "code", Code }, { "message", Message }, { "details", Details } };
        }

        public static Refusal FromJson(JsonObject json)
        {
            return json == null ? null : new Refusal(json.Text("code"), json.Text("message"), json.Object("details"));
        }
    }

    /// <summary>The codes that this side sends.</summary>
    internal static class ErrorCode
    {
        public const string InvalidRequest = "ERR_INVALID_REQUEST";
        public const string InvalidParams = "ERR_INVALID_PARAMS";
        public const string UnknownCommand = "ERR_UNKNOWN_COMMAND";
        public const string EditorNotReady = "ERR_EDITOR_NOT_READY";
        public const string JobNotFound = "ERR_JOB_NOT_FOUND";
        public const string UnityExecution = "ERR_UNITY_EXECUTION";
        public const string InvalidResponse = "ERR_INVALID_RESPONSE";
        public const string QueueFull = "ERR_QUEUE_FULL";
        public const string ReconfigInProgress = "ERR_RECONFIG_IN_PROGRESS";
    }
}
