using System;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>How one test ended. Immutable.</summary>
    internal sealed class TestOutcome
    {
        // A thousand failures must fit into one answer.
        private const int MaxChars = 4000;

        private TestOutcome(TestStatus status, string name, TestPlace place, double durationMs, string message,
            string stackTrace)
        {
            Status = status;
            Name = name;
            Place = place;
            DurationMs = durationMs;
            Message = message;
            StackTrace = stackTrace;
        }

        public TestStatus Status { get; }

        public string Name { get; }

        public TestPlace Place { get; }

        private double DurationMs { get; }

        private string Message { get; }

        private string StackTrace { get; }

        public static TestOutcome FromResult(string mode, ITestResultAdaptor result)
        {
            var failed = result.TestStatus == TestStatus.Failed;
            var passed = result.TestStatus == TestStatus.Passed;
            // The name of a result lacks the number that distinguishes generated cases with the same arguments; the
            // name of its test has it.
            return new TestOutcome(result.TestStatus, result.Test.FullName, TestPlace.FromTest(mode, result.Test),
                Math.Round(result.Duration * 1000, 3),
                passed ? null : Cut.To(result.Message, MaxChars), failed ? Cut.To(result.StackTrace, MaxChars) : null);
        }

        /// <summary>An entry of <c>failed_tests</c>, <c>skipped_tests</c> or <c>passed_tests</c>.</summary>
        public JsonObject ToRow()
        {
            var row = new JsonObject { { "name", Name } };
            if (Status != TestStatus.Passed)
            {
                row["message"] = Message;
            }
            if (Status == TestStatus.Failed)
            {
                row["stack_trace"] = StackTrace;
            }
            Place.AddTo(row);
            row["duration_ms"] = DurationMs;
            return row;
        }

        public JsonObject ToRecord()
        {
            var record = new JsonObject { { "s", (int)Status }, { "n", Name }, { "o", Place.Mode },
                { "a", Place.Assembly }, { "f", Place.Fixture }, { "d", DurationMs } };
            record.AddIfAny("m", Message);
            record.AddIfAny("t", StackTrace);
            return record;
        }

        public static TestOutcome FromRecord(JsonObject record) =>
            new TestOutcome((TestStatus)record.Whole("s"), record.Text("n"),
            new TestPlace(record.Text("o"), record.Text("a"), record.Text("f")), record.Number("d")
            ?? 0, record.Text("m"), record.Text("t"));

    }
}
