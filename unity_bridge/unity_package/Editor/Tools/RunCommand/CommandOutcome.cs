using System.Linq;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The end of a command that has returned. Unity's commands report a failure in what they return, and do
    /// not throw.</summary>
    internal static class CommandOutcome
    {
        /// <param name="context">The command's context of com.unity.pipeline, or null.</param>
        public static JobEnd ToJobEnd(string name, object returned, object context)
        {
            if (SuccessOf(returned) is { } success)
            {
                return returned.Equals(success) ? Succeeded(PipelineContext.Written(context))
                    : Failed(name + " ended with the exit code " + Quoted.Text(returned.ToString()) + ".", "exit_code",
                        PipelineContext.Written(context),
                        returned.ToString());
            }
            if (SaysItFailed(returned))
            {
                var error = Members.Get(returned, "Error") as string;
                return Failed(name + " failed" + (string.IsNullOrEmpty(error) ? "." : ": " + Quoted.Text(error)),
                    "response", returned);
            }
            return Succeeded(returned ?? PipelineContext.Written(context));
        }

        // By its name: the numbers are the package's own. Null for anything but an exit code; a project's enum of that
        // name may mean something else.
        private static object SuccessOf(object returned) =>
            returned?.GetType() is { IsEnum: true, Name: "ExitCode" } type
            ? Members.Get(type, "Success") : null;

        // CommandExecutionResponse up to 0.9, and what is derived from it.
        private static bool SaysItFailed(object returned) =>
            Members.Bases(returned?.GetType()).Any(type => type.Name == "CommandExecutionResponse")
            && Members.Get(returned, "Success") is false;

        private static JobEnd Failed(string message, string reason, object result, string exitCode = null)
        {
            var details = new JsonObject { { "reason", reason }, { "execution_guarantee", "completed_error" } };
            details.AddIfAny("exit_code", exitCode);
            details["result"] = ResultJson.ToJson(result, out var isCut);
            if (isCut)
            {
                details["truncated"] = true;
            }
            return JobEnd.Failed(new Refusal(ErrorCode.UnityExecution, message, details));
        }

        private static JobEnd Succeeded(object value)
        {
            var result = new JsonObject { { "value", ResultJson.ToJson(value, out var isCut) } };
            if (isCut)
            {
                result["truncated"] = true;
            }
            return JobEnd.Succeeded(result);
        }
    }
}
