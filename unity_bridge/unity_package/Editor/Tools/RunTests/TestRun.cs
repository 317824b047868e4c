using System;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>
    /// One job of <c>run_tests</c>: refresh, list, start, watch, finish; for mode "all" the last four twice. Main
    /// thread.
    /// </summary>
    /// <remarks>The test framework reports neither a cancelled nor a silently dropped run, in any version: so each step
    /// has its own way to notice that nothing will come any more.</remarks>
    internal sealed partial class TestRun : IJobRun, INeedsEveryUpdate
    {
        private const long ListTimeoutMs = 30000;
        private const long VanishedMs = 10000;
        private const long NeverStartedMs = 30000;
        private const long StopTimeoutMs = 30000;
        private const long EndTimeoutMs = 15000;

        // If the framework does not report whether a run is active.
        private const long CancelTakesMs = 2000;

        private readonly ToolContext _context;
        private readonly TestFramework _framework;
        private readonly Job _job;
        private readonly Action<bool> _ended;
        private readonly TestPlan _plan;
        private TestOutcomes _outcomes = new TestOutcomes();
        private Refresh _refresh;
        private JsonObject _compile;        // the result of the refresh
        private bool? _codeFresh;           // null: not known
        private Stage _stage;
        private int _phase;
        private string _runGuid;
        private string _expression;
        private bool _runReported;          // the framework has said anything at all about the current phase
        private bool _sawPlayMode;
        private string _currentTest;
        private double _durationMs;
        private JobEnd _endAs;              // the result once the editor is quiet; null: continue with the next phase
        private bool _isStillOutThere;

        // About the current stage, in this domain; a reload resets them.
        private long _stageSinceMs;
        private long _lastWordMs;
        private long? _stopAskedMs;
        private int _idleTicks;
        private object _listing;

        private TestRun(ToolContext context, TestFramework framework, Job job, Action<bool> ended)
        {
            _context = context;
            _framework = framework;
            _job = job;
            _ended = ended;
            _plan = TestPlan.FromParameters(job.Parameters);
        }

        private enum Stage
        {
            /// <summary>What is on disk is being compiled and loaded.</summary>
            Refreshing,

            /// <summary>Until the editor is idle.</summary>
            Preparing,

            /// <summary>The framework was asked for its tests.</summary>
            Listing,

            /// <summary>The tests are known; the next update starts them.</summary>
            Listed,

            /// <summary>The framework was asked to run them: never ask again, whatever reloads.</summary>
            Started,

            /// <summary>The framework has reported the end; the editor is leaving play mode.</summary>
            Settling,
        }

        /// <summary>What the framework says is about this run.</summary>
        public bool HasStarted => _stage == Stage.Started;

        // The framework runs its tests in updates.
        bool INeedsEveryUpdate.NeedsEveryUpdate => _stage >= Stage.Listing;

        private JsonObject Parameters => _job.Parameters;

        private bool IsPlayPhase => _plan.ModeOf(_phase) == TestPlan.Play;

        public static TestRun Begin(ToolContext context, TestFramework framework, Job job, Action<bool> ended)
        {
            var run = new TestRun(context, framework, job, ended);
            if (job.Parameters.Is("refresh"))
            {
                run._refresh = Refresh.Begin(context, job.Parameters);
                run.Enter(Stage.Refreshing);
            }
            else
            {
                run.Enter(Stage.Preparing);
            }
            return run;
        }

        public JobEnd Advance()
        {
            var end = _stage < Stage.Started && _job.StopWanted != null ? Stopped() : AdvanceStage();
            if (end != null)
            {
                _listing = null;
                _ended(_isStillOutThere);
                if (_outcomes.Count > 0)
                {
                    LastFailures.Keep(_plan, _outcomes, (IsOfFailures || IsOfAll) && _outcomes.Count >= _plan.Total);
                }
            }
            return end;
        }

        private JobEnd AdvanceStage() => _stage switch
        {
            Stage.Refreshing => AwaitRefresh(),
            Stage.Preparing => Prepare(),
            Stage.Listing => AwaitList(),
            Stage.Listed => Execute(),
            Stage.Started => Watch(),
            _ => EndPhase(),
        };

        private JobEnd AwaitRefresh()
        {
            if (!_refresh.Advance())
            {
                _context.Ledger.ReportStep(_job, _refresh.Step);
                return null;
            }
            var outcome = _refresh.Outcome;
            _compile = outcome.ToJson(false);
            _codeFresh = outcome.IsLoaded;
            _refresh = null;
            if (!outcome.IsOk)
            {
                return JobEnd.Failed(Refusal
                    .NotExecuted("compile_errors",
                        "Unity's scripts do not compile, so no test was run. Fix the errors and run the tests again.")
                    .With("errors", outcome.ErrorsToJson()));
            }
            if (!outcome.IsLoaded)
            {
                return JobEnd.Failed(StaleCode(outcome.PendingReason, outcome.WhyNotLoaded));
            }
            Enter(Stage.Preparing);
            return null;
        }

        private JobEnd Prepare()
        {
            if (EditorReadiness.IsBusy)
            {
                _context.Ledger.ReportStep(_job, JobStep.Waiting);
                return null;
            }
            if (_compile == null)
            {
                // Nothing was imported: what the editor knows of is false, and what it does not know of may be
                // anything.
                _codeFresh = EditorReadiness.Code.PendingReason != null || (_phase > 0 && _codeFresh == false)
                    ? false
                    : (bool?)null;
            }
            else if (EditorReadiness.Code.PendingReason is { } pendingReason)
            {
                // Somebody has changed the scripts since.
                return JobEnd.Failed(After(StaleCode(pendingReason, WhyPending.Explain(pendingReason))),
                    _phase == 0 ? null : Result());
            }
            var refusal = WhyNot();
            if (refusal != null)
            {
                return JobEnd.Failed(refusal, _phase == 0 ? null : Result());
            }
            if (_plan.PhaseCount == 0)
            {
                return JobEnd.Succeeded(Result());
            }
            ListNextPhase();
            return null;
        }

        private Refusal WhyNot()
        {
            var refusal = EditorReadiness.WhyNotInEditMode("run the tests");
            if (refusal == null && Parameters.Text("unsaved") == "save")
            {
                UnsavedWork.Save();
            }
            refusal ??= UnsavedWork.WhyNot("run_tests");
            return refusal == null ? null : After(refusal);
        }

        private Refusal After(Refusal refusal)
        {
            if (_phase > 0)
            {
                // Edit mode has run.
                refusal.Details["execution_guarantee"] = "completed_error";
            }
            return refusal;
        }

        private static Refusal StaleCode(string pendingReason, string why)
        {
            var refusal = Refusal.NotExecuted(
                "stale_code", "No test was run, because the editor does not run the code on disk. " + why
                + " To test what is loaded, pass refresh: false.");
            refusal.Details["pending_reason"] = pendingReason;
            return refusal;
        }

        // All phases are listed before the first one runs, so that the progress has the right total from the start.
        private void ListNextPhase()
        {
            var phase = _plan.NextUnlisted(_phase);
            if (phase < 0)
            {
                Enter(Stage.Listed);
                return;
            }
            _context.Ledger.ReportStep(_job, JobStep.Running);
            Enter(Stage.Listing);
            var listing = _listing = new object();
            _framework.List(_plan.ModeOf(phase), root => Guard.Run(() =>
            {
                // An answer to a question that was given up is no answer.
                if (_listing == listing)
                {
                    _plan.Take(phase, root);
                    ListNextPhase();
                }
            }));
        }

        private JobEnd AwaitList() => SinceStage() > ListTimeoutMs
            ? JobEnd.Failed(CouldNotRun("Unity's test framework did not list the project's tests."))
            : null;

        private JobEnd Execute()
        {
            var refusal = _phase == 0 ? _plan.Resolve() : null;
            if (refusal != null)
            {
                return JobEnd.Failed(refusal);
            }
            ReportCount();
            if (!_plan.HasTests(_phase))
            {
                // Of a run without tests some versions never report the end.
                Enter(Stage.Settling);
                return null;
            }
            _runGuid = null;
            _runReported = false;
            _sawPlayMode = false;
            Enter(Stage.Started);
            // Saved before the call: whatever happens in it, no domain will make it again.
            _context.Ledger.Keep(_job, Memo());
            _runGuid = _framework.Execute(_plan.ModeOf(_phase), _plan.SelectionOf(_phase), out _expression);
            _context.Ledger.Keep(_job, Memo());
            return null;
        }

        private JobEnd Watch()
        {
            _sawPlayMode |= EditorApplication.isPlaying && IsPlayPhase;
            if (_job.StopWanted != null)
            {
                return Stop();
            }
            return HasVanished()
                ? JobEnd.Failed(CouldNotRun(
                    "Unity's test framework dropped the run without a report; a dialog that was cancelled in the"
                    + " editor does that. Run the tests again."), Result())
                : null;
        }

        private bool HasVanished()
        {
            var active = _framework.IsActive(_runGuid);
            if (EditorReadiness.IsBusy || EditorReadiness.IsInPlayMode || active == true)
            {
                _lastWordMs = _context.Ticks.Ms;
                return false;
            }
            var silentMs = _context.Ticks.Ms - _lastWordMs;
            if (active != null)
            {
                return silentMs > VanishedMs;
            }
            // Nobody can be asked. Edit-mode tests may be silent for as long as a test takes.
            _isStillOutThere = silentMs > NeverStartedMs && !_runReported;
            return _isStillOutThere || (IsPlayPhase && _sawPlayMode && silentMs > VanishedMs);
        }

        private JobEnd Stop()
        {
            if (_stopAskedMs == null)
            {
                _stopAskedMs = _context.Ticks.Ms;
                if (_framework.CanCancel && _runGuid != null)
                {
                    _framework.Cancel(_runGuid);
                }
            }
            var askedForMs = _context.Ticks.Ms - _stopAskedMs.Value;
            if (IsPlayPhase && EditorApplication.isPlaying && (!_framework.CanCancel || askedForMs > 2000))
            {
                EditorApplication.isPlaying = false;
            }
            _idleTicks = LooksStopped(askedForMs) ? _idleTicks + 1 : 0;
            if (_idleTicks >= 2)
            {
                Conclude(Stopped());
            }
            else if (askedForMs > StopTimeoutMs && _framework.CanCancel)
            {
                _isStillOutThere = true;
                return JobEnd.Failed(CouldNotRun(
                    "The test run was asked to stop, but Unity's test framework did not stop it."), Result());
            }
            else if (_job.DeadlinePassed && !_framework.CanCancel && !IsPlayPhase)
            {
                _isStillOutThere = true;
                return JobEnd.Stopped(JobState.Timeout, Result());
            }
            return null;
        }

        private bool LooksStopped(long askedForMs)
        {
            if (EditorReadiness.IsInPlayMode)
            {
                return false;
            }
            // Edit-mode tests of an old framework cannot be stopped: the run ends as it ends.
            return _framework.CanCancel
                ? !(_framework.IsActive(_runGuid) ?? askedForMs < CancelTakesMs)
                : IsPlayPhase && (_sawPlayMode || askedForMs > 5000);
        }

        private JobEnd EndPhase()
        {
            var active = EditorReadiness.IsInPlayMode || (_runGuid != null && _framework.IsActive(_runGuid) == true);
            if (active && SinceStage() < EndTimeoutMs)
            {
                return null;
            }
            if (_endAs != null)
            {
                return _endAs;
            }
            if (_phase + 1 == _plan.PhaseCount)
            {
                return _outcomes.HasFailures ? JobEnd.Faulty(Result()) : JobEnd.Succeeded(Result());
            }
            if (_job.StopWanted != null)
            {
                return Stopped();
            }
            _phase++;
            _runGuid = null;
            Enter(Stage.Preparing);
            _context.Ledger.Keep(_job, Memo());
            return null;
        }

        private JobEnd Stopped() => JobEnd.Stopped(_job.StopWanted, _outcomes.Count > 0 ? Result() : null);

        private void Conclude(JobEnd endAs)
        {
            _endAs = endAs;
            Enter(Stage.Settling);
        }

        private JsonObject Result()
        {
            var result = _outcomes.ToResult(_plan.Total, _durationMs, Parameters.Is("include_passed"));
            result["code_fresh"] = _codeFresh;
            result.AddIfAny("compile", _compile);
            if (IsOfFailures && _plan.Total == 0 && _plan.Remarks.Count == 0)
            {
                _plan.Remarks.Add(LastFailures.Remark());
            }
            if (_plan.Remarks.Count > 0)
            {
                result["remarks"] = _plan.Remarks;
            }
            return result;
        }

        private bool IsOfAll => string.IsNullOrEmpty(Parameters.Text("filter")) && Parameters.Get("fixtures") == null;

        private bool IsOfFailures => Parameters.Text("filter") == LastFailures.Filter;

        private void ReportCount() => _context.Ledger.Report(
            _job, JobProgress.Counted(_outcomes.Count, Math.Max(_plan.Total, _outcomes.Count), _currentTest,
                _outcomes.Failed, _outcomes.NewestFailed));

        private void Enter(Stage stage)
        {
            _stage = stage;
            _stageSinceMs = _lastWordMs = _context.Ticks.Ms;
            _stopAskedMs = null;
            _idleTicks = 0;
        }

        private long SinceStage() => _context.Ticks.Ms - _stageSinceMs;

        private static Refusal CouldNotRun(string message) =>
            new Refusal(ErrorCode.UnityExecution, message, new JsonObject { { "reason", "run_aborted" } });
    }
}
