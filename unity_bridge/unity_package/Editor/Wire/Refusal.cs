using System.Collections.Generic;
using UnityBridge.Json;

namespace UnityBridge.Wire
{
    /// <summary>Why something was refused or failed: a code of the contract, what happened and what to do
    /// next.</summary>
    internal sealed class Refusal
    {
        public Refusal(string code, string message, JsonObject details = null)
        {
            Code = code;
            Message = message;
            Details = details ?? new JsonObject();
        }

        public string Code { get; }

        public string Message { get; }

        public JsonObject Details { get; }

        /// <summary>The editor refuses and has done nothing; <paramref name="reason"/> is one of SPEC §15.8.</summary>
        public static Refusal NotExecuted(string reason, string message) => New(reason, message, "not_executed");

        /// <summary>It was carried out, and did not come to what it was for.</summary>
        public static Refusal Completed(string reason, string message) => New(reason, message, "completed_error");

        /// <summary>Adds a list of what it is about.</summary>
        public Refusal With(string member, IEnumerable<object> values)
        {
            Details[member] = Cut.List(values);
            return this;
        }

        private static Refusal New(string reason, string message, string guarantee) =>
            new Refusal(ErrorCode.UnityExecution, message,
            new JsonObject { { "reason", reason }, { "execution_guarantee", guarantee } });

        public override string ToString() => Code + ": " + Message;

        public JsonObject ToJson() =>
            new JsonObject { { "code", Code }, { "message", Message }, { "details", Details } };
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
