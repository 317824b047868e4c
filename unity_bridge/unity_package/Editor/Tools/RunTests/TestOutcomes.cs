using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>What has come of a run so far, over all its phases.</summary>
    internal sealed class TestOutcomes
    {
        // By phase and the framework's unique name: a test that is reported twice counts once.
        private readonly Dictionary<string, TestOutcome> _outcomes =
            new Dictionary<string, TestOutcome>();

        public int Count => _outcomes.Count;

        public bool HasFailures => Failed > 0;

        /// <summary>Kept up to date, because it is reported after every test.</summary>
        public int Failed { get; private set; }

        /// <summary>The full name of the test that failed last, or null.</summary>
        public string NewestFailed { get; private set; }

        public void Record(int phase, string uniqueName, TestOutcome outcome) => Set(phase + ":" + uniqueName, outcome);

        /// <summary>The full names of the tests of a phase that failed.</summary>
        public List<string> FailedIn(int phase) => NamesIn(phase, outcome => outcome.Status == TestStatus.Failed);

        /// <summary>The full names of the tests of a phase that have a result.</summary>
        public List<string> NamesIn(int phase) => NamesIn(phase, _ => true);

        private List<string> NamesIn(int phase, Predicate<TestOutcome> isMeant) => _outcomes
            .Where(pair => isMeant(pair.Value) && pair.Key.Begins(phase + ":"))
            .Select(pair => pair.Value.Name).ToList();

        /// <summary>The result of a run (SPEC §8); a test that neither passed nor failed counts as skipped.</summary>
        public JsonObject ToResult(long total, double durationMs, bool includePassed)
        {
            var inconclusive = CountOf(TestStatus.Inconclusive);
            var summary = new JsonObject
            {
                { "total", Math.Max(total, Count) },
                { "passed", CountOf(TestStatus.Passed) },
                { "failed", CountOf(TestStatus.Failed) },
                { "skipped", CountOf(TestStatus.Skipped) + inconclusive },
                { "duration_ms", Math.Round(durationMs, 3) },
            };
            if (inconclusive > 0)
            {
                summary["inconclusive"] = inconclusive;
            }
            var result = new JsonObject { { "summary", summary } };
            var omitted = new JsonObject();
            var bytes = 0;
            AddList(result, omitted, "failed_tests", status => status == TestStatus.Failed, ref bytes);
            if (includePassed)
            {
                AddList(result, omitted, "skipped_tests",
                    status => status is TestStatus.Skipped or TestStatus.Inconclusive, ref bytes);
                AddList(result, omitted, "passed_tests", status => status == TestStatus.Passed, ref bytes);
            }
            if (omitted.Count > 0)
            {
                result["omitted"] = omitted;
            }
            return result;
        }

        public JsonObject ToRecord()
        {
            var record = new JsonObject();
            foreach (var outcome in _outcomes)
            {
                record[outcome.Key] = outcome.Value.ToRecord();
            }
            return record;
        }

        public static TestOutcomes FromRecord(JsonObject record)
        {
            var outcomes = new TestOutcomes();
            foreach (var outcome in record ?? new JsonObject())
            {
                outcomes.Set(outcome.Key, TestOutcome.FromRecord((JsonObject)outcome.Value));
            }
            return outcomes;
        }

        private void Set(string key, TestOutcome outcome)
        {
            if (_outcomes.TryGetValue(key, out var before) && before.Status == TestStatus.Failed)
            {
                Failed--;
            }
            _outcomes[key] = outcome;
            if (outcome.Status == TestStatus.Failed)
            {
                Failed++;
                NewestFailed = outcome.Name;
            }
        }

        // What does not fit into one message is counted.
        private void AddList(JsonObject result, JsonObject omitted, string member, Func<TestStatus, bool> isIn,
            ref int bytes)
        {
            var listed = new List<RawJson>();
            foreach (var outcome in _outcomes.Values.Where(outcome => isIn(outcome.Status)))
            {
                var text = JsonWriter.Write(outcome.ToRow());
                bytes += Encoding.UTF8.GetByteCount(text) + 1;
                if (bytes > Messages.MaxContentBytes)
                {
                    omitted[member] = (omitted.Integer(member) ?? 0) + 1;
                }
                else
                {
                    listed.Add(new RawJson(text));
                }
            }
            result[member] = listed;
        }

        private int CountOf(TestStatus status) => _outcomes.Values.Count(outcome => outcome.Status == status);
    }
}
