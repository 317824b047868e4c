using System;
using System.Collections.Generic;
using System.Text;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.TestRuns
{
    internal static class JobState
    {
        public const string Queued = "queued";
        public const string Running = "running";
        public const string Succeeded = "succeeded";
        public const string Failed = "failed";
        public const string Timeout = "timeout";
        public const string Cancelled = "cancelled";

        public static bool IsEnd(string state)
        {
            return state != Queued && state != Running;
        }
    }

    /// <summary>Where a job stands inside its current phase.</summary>
    internal enum JobStep
    {
        /// <summary>Its turn has not come, or the editor is busy.</summary>
        Waiting,

        /// <summary>The framework was asked for its tests.</summary>
        Listing,

        /// <summary>The tests are known; the next update starts them.</summary>
        Listed,

        /// <summary>The framework was told to run them: from here on never again, whatever reloads.</summary>
        Started,

        /// <summary>The framework has reported the end; the editor is leaving play mode.</summary>
        Settling,
    }

    /// <summary>One test run of the server's: edit mode, play mode, or one after the other. Guarded by the ledger's lock.</summary>
    internal sealed class TestJob
    {
        public const string Edit = "edit";
        public const string Play = "play";

        public string JobId;
        public string RequestId;
        public string Mode;
        public string Filter;
        public long DeadlineUtcMs;
        public string State = JobState.Queued;
        public JobStep Step = JobStep.Waiting;
        public int Phase;
        public string RunGuid;
        public bool RunReported;            // the framework has said anything at all about the current phase
        public bool SawPlayMode;
        public bool CancelRequested;
        public bool DeadlinePassed;
        public string CurrentTest;
        public double DurationMs;
        public Refusal Error;

        /// <summary>What to end as when the editor has settled, null for: go on with the next phase.</summary>
        public string EndAs;

        /// <summary>How many tests each phase has; -1 until it is listed.</summary>
        public long[] Planned;

        /// <summary>By phase and the framework's unique name: a test that is reported twice counts once.</summary>
        public Dictionary<string, TestOutcome> Outcomes = new Dictionary<string, TestOutcome>();

        /// <summary>Set at the end; the outcomes are dropped then.</summary>
        public JsonObject Result;

        /// <summary>The names to run per phase, null for all; not saved, a new domain lists again.</summary>
        public List<string>[] Names;

        public static TestJob Create(string jobId, string requestId, string mode, string filter, long deadlineUtcMs)
        {
            var job = new TestJob
            {
                JobId = jobId, RequestId = requestId, Mode = mode, Filter = filter, DeadlineUtcMs = deadlineUtcMs,
            };
            job.Planned = job.Phases.Length == 2 ? new long[] { -1, -1 } : new long[] { -1 };
            job.Names = new List<string>[job.Phases.Length];
            return job;
        }

        public string[] Phases
        {
            get { return Mode == "all" ? new[] { Edit, Play } : new[] { Mode }; }
        }

        public bool IsPlayPhase
        {
            get { return Phases[Phase] == Play; }
        }

        public bool IsEnded
        {
            get { return JobState.IsEnd(State); }
        }

        public long Total
        {
            get
            {
                var total = 0L;
                foreach (var planned in Planned)
                {
                    total += Math.Max(0, planned);
                }
                return Math.Max(total, Outcomes.Count);
            }
        }

        public void Record(string uniqueName, TestOutcome outcome)
        {
            Outcomes[Phase + ":" + uniqueName] = outcome;
        }

        public bool HasFailures
        {
            get { return Count(TestStatus.Failed) > 0; }
        }

        /// <summary>The members of <c>job_status</c>.</summary>
        public JsonObject ToStatus()
        {
            var status = new JsonObject { { "job_id", JobId }, { "state", State }, { "progress", null } };
            if (State == JobState.Running)
            {
                status["progress"] = new JsonObject
                {
                    { "completed", Outcomes.Count }, { "total", Total }, { "current_test", CurrentTest },
                };
            }
            status["result"] = Result;
            if (Error != null && IsEnded)
            {
                status["error"] = Error.ToJson();
            }
            return status;
        }

        /// <summary>Sums up what has run; a test that neither passed nor failed counts as skipped.</summary>
        public JsonObject Summarise()
        {
            var inconclusive = Count(TestStatus.Inconclusive);
            var summary = new JsonObject
            {
                { "total", Total },
                { "passed", Count(TestStatus.Passed) },
                { "failed", Count(TestStatus.Failed) },
                { "skipped", Count(TestStatus.Skipped) + inconclusive },
                { "duration_ms", Math.Round(DurationMs, 3) },
            };
            if (inconclusive > 0)
            {
                summary["inconclusive"] = inconclusive;
            }
            var result = new JsonObject { { "summary", summary } };
            AddFailures(result);
            return result;
        }

        public JsonObject ToJson()
        {
            var outcomes = new JsonObject();
            foreach (KeyValuePair<string, TestOutcome> outcome in Outcomes)
            {
                outcomes[outcome.Key] = outcome.Value.ToJson();
            }
            return new JsonObject
            {
                { "job_id", JobId }, { "request_id", RequestId }, { "mode", Mode }, { "filter", Filter },
                { "deadline", DeadlineUtcMs }, { "state", State }, { "step", Step.ToString() }, { "phase", Phase },
                { "run_guid", RunGuid }, { "run_reported", RunReported }, { "saw_play_mode", SawPlayMode },
                { "cancel_requested", CancelRequested }, { "deadline_passed", DeadlinePassed },
                { "current_test", CurrentTest }, { "duration_ms", DurationMs },
                { "error", Error == null ? null : Error.ToJson() }, { "end_as", EndAs }, { "planned", Planned },
                { "outcomes", outcomes }, { "result", Result },
            };
        }

        public static TestJob FromJson(JsonObject json)
        {
            var job = Create(json.Text("job_id"), json.Text("request_id"), json.Text("mode"), json.Text("filter"),
                json.Integer("deadline") ?? 0);
            job.State = json.Text("state");
            job.Step = (JobStep)Enum.Parse(typeof(JobStep), json.Text("step"));
            job.Phase = (int)(json.Integer("phase") ?? 0);
            job.RunGuid = json.Text("run_guid");
            job.RunReported = json.Flag("run_reported") ?? false;
            job.SawPlayMode = json.Flag("saw_play_mode") ?? false;
            job.CancelRequested = json.Flag("cancel_requested") ?? false;
            job.DeadlinePassed = json.Flag("deadline_passed") ?? false;
            job.CurrentTest = json.Text("current_test");
            job.DurationMs = Convert.ToDouble(json.Get("duration_ms"));
            job.Error = Refusal.FromJson(json.Object("error"));
            job.EndAs = json.Text("end_as");
            job.Result = json.Object("result");
            var planned = json.Array("planned");
            for (var i = 0; i < job.Planned.Length; i++)
            {
                job.Planned[i] = (long)planned[i];
            }
            foreach (KeyValuePair<string, object> outcome in json.Object("outcomes"))
            {
                job.Outcomes[outcome.Key] = TestOutcome.FromJson((JsonObject)outcome.Value);
            }
            return job;
        }

        private int Count(TestStatus status)
        {
            var count = 0;
            foreach (var outcome in Outcomes.Values)
            {
                count += outcome.Status == status ? 1 : 0;
            }
            return count;
        }

        private void AddFailures(JsonObject result)
        {
            var failures = new List<RawJson>();
            var bytes = 0;
            var omitted = 0;
            foreach (var outcome in Outcomes.Values)
            {
                if (outcome.Status != TestStatus.Failed)
                {
                    continue;
                }
                var text = JsonWriter.Write(outcome.ToFailure());
                bytes += Encoding.UTF8.GetByteCount(text) + 1;
                if (bytes > Messages.MaxContentBytes)
                {
                    omitted++;
                    continue;
                }
                failures.Add(new RawJson(text));
            }
            result["failed_tests"] = failures;
            if (omitted > 0)
            {
                result["failed_tests_omitted"] = omitted;
            }
        }
    }
}
