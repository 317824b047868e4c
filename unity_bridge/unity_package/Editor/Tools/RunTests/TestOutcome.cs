using System;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>How one test ended. Immutable.</summary>
    internal sealed class TestOutcome
    {
        // A thousand failures must fit into one answer.
        private const int MaxChars = 4000;

        private TestOutcome(TestStatus status, string name, double durationMs, string message, string stackTrace)
        {
            Status = status;
            Name = name;
            DurationMs = durationMs;
            Message = message;
            StackTrace = stackTrace;
        }

        public TestStatus Status { get; }

        public string Name { get; }

        private double DurationMs { get; }

        private string Message { get; }

        private string StackTrace { get; }

        public static TestOutcome Of(ITestResultAdaptor result)
        {
            var failed = result.TestStatus == TestStatus.Failed;
            // The name of a result lacks the number that tells generated cases of the same arguments apart; the name of its test has it.
            return new TestOutcome(result.TestStatus, result.Test.FullName, Math.Round(result.Duration * 1000, 3),
                failed ? Cut(result.Message) : null, failed ? Cut(result.StackTrace) : null);
        }

        /// <summary>An entry of <c>failed_tests</c>.</summary>
        public JsonObject ToFailure() => new JsonObject { { "name", Name }, { "message", Message }, { "stack_trace", StackTrace } };

        /// <summary>An entry of <c>passed_tests</c>.</summary>
        public JsonObject ToPass() => new JsonObject { { "name", Name }, { "duration_ms", DurationMs } };

        public JsonObject ToRecord()
        {
            var record = new JsonObject { { "s", (int)Status }, { "n", Name }, { "d", DurationMs } };
            if (Status == TestStatus.Failed)
            {
                record["m"] = Message;
                record["t"] = StackTrace;
            }
            return record;
        }

        public static TestOutcome FromRecord(JsonObject record) => new TestOutcome((TestStatus)(int)(record.Integer("s") ?? 0),
            record.Text("n"), record.Number("d") ?? 0, record.Text("m"), record.Text("t"));

        private static string Cut(string text) => text == null || text.Length <= MaxChars ? text : text.Substring(0, MaxChars) + "...";
    }
}
