using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;

namespace UnityBridge.TestRuns
{
    /// <summary>How one test ended.</summary>
    internal sealed class TestOutcome
    {
        // A thousand failures must fit into one answer.
        private const int MaxChars = 4000;

        public readonly TestStatus Status;
        public readonly string Name;
        public readonly string Message;
        public readonly string StackTrace;

        private TestOutcome(TestStatus status, string name, string message, string stackTrace)
        {
            Status = status;
            Name = name;
            Message = message;
            StackTrace = stackTrace;
        }

        public static TestOutcome Of(ITestResultAdaptor result)
        {
            var failed = result.TestStatus == TestStatus.Failed;
            return new TestOutcome(result.TestStatus, failed ? result.FullName : null,
                failed ? Cut(result.Message) : null, failed ? Cut(result.StackTrace) : null);
        }

        /// <summary>An entry of <c>failed_tests</c>.</summary>
        public JsonObject ToFailure()
        {
            return new JsonObject { { "name", Name }, { "message", Message }, { "stack_trace", StackTrace } };
        }

        public JsonObject ToJson()
        {
            var json = new JsonObject { { "status", (int)Status } };
            if (Status == TestStatus.Failed)
            {
                json["failure"] = ToFailure();
            }
            return json;
        }

        public static TestOutcome FromJson(JsonObject json)
        {
            var failure = json.Object("failure") ?? new JsonObject();
            return new TestOutcome((TestStatus)(int)(json.Integer("status") ?? 0),
                failure.Text("name"), failure.Text("message"), failure.Text("stack_trace"));
        }

        private static string Cut(string text)
        {
            return text == null || text.Length <= MaxChars ? text : text.Substring(0, MaxChars) + "...";
        }
    }
}
