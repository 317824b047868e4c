using System;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    // How a run goes over a reload.
    internal sealed partial class TestRun
    {
        public static TestRun GoOn(
            ToolContext context, TestFramework framework, Job job, JsonObject memo, Action<bool> ended)
        {
            var run = new TestRun(context, framework, job, ended);
            run.Restore(memo);
            return run;
        }

        public JsonObject Memo() => new JsonObject
        {
            { "stage", _stage.ToString() },
            { "refresh", _refresh?.Memo() },
            { "compile", _compile },
            { "code_fresh", _codeFresh },
            { "phase", _phase },
            { "run_guid", _runGuid },
            { "expression", _expression },
            { "run_reported", _runReported },
            { "saw_play_mode", _sawPlayMode },
            { "current_test", _currentTest },
            { "duration_ms", _durationMs },
            { "planned", _plan.ToRecord() },
            { "outcomes", _outcomes.ToRecord() },
            { "end_as", _endAs?.State },
            { "end_error", _endAs?.Error?.ToJson() },
        };

        private void Restore(JsonObject memo)
        {
            // A job that began and kept nothing was refreshing, or had not got that far.
            if (!Enum.TryParse(memo.Text("stage"), out Stage stage))
            {
                stage = Parameters.Is("refresh") ? Stage.Refreshing : Stage.Preparing;
            }
            _compile = memo.Object("compile");
            _codeFresh = memo.Flag("code_fresh");
            _phase = memo.Whole("phase");
            _runGuid = memo.Text("run_guid");
            _expression = memo.Text("expression");
            _runReported = memo.Is("run_reported");
            _sawPlayMode = memo.Is("saw_play_mode");
            _currentTest = memo.Text("current_test");
            _durationMs = memo.Number("duration_ms") ?? 0;
            _plan.Restore(memo.Object("planned"));
            _outcomes = TestOutcomes.FromRecord(memo.Object("outcomes"));
            _endAs = RestoreEnd(memo);
            if (stage == Stage.Refreshing)
            {
                _refresh = Refresh.GoOn(_context, memo.Object("refresh"));
            }
            // Nothing was started yet, and the list was lost with the old domain.
            Enter(stage is Stage.Listing or Stage.Listed ? Stage.Preparing : stage);
            if (stage >= Stage.Started)
            {
                ReportCount();
            }
            if (stage == Stage.Started)
            {
                TestFramework.Prepare(_expression);
            }
        }

        private JobEnd RestoreEnd(JsonObject memo)
        {
            var error = memo.Object("end_error");
            return memo.Text("end_as") switch
            {
                null => null,
                JobState.Failed => JobEnd.Failed(
                    new Refusal(error?.Text("code"), error?.Text("message"), error?.Object("details")),
                    _outcomes.Count > 0 ? Result() : null),
                var stopped => JobEnd.Stopped(stopped, Result()),
            };
        }
    }
}
