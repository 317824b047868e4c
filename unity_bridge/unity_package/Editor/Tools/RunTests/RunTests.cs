using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>run_tests</c> (SPEC §8, §16.1), and the ear for what the test framework says. Main
    /// thread.</summary>
    /// <remarks>The framework notifies all listeners of every run, also of those that a person starts. While one of
    /// those is under way, ours has to wait: the framework would run both, and end both with one word.</remarks>
    internal sealed class RunTests : IJobKind, ILeaving, IErrorCallbacks
    {
        // After so much silence a run that nobody can be asked about is over: a person has cancelled it.
        private const long ForeignSilenceMs = 30000;

        // After the end that it reports a run still restores scenes and releases the lock of the reload, some updates
        // long.
        private const long CleaningMs = 1000;

        private readonly ToolContext _context;
        private readonly TestFramework _framework = new TestFramework();
        private TestRun _run;
        private bool _foreignRun;
        private long _foreignWordMs;
        private long? _endedMs;

        public RunTests(ToolContext context)
        {
            _context = context;
            context.AreTestsRunning = () => IsAnyRunActive;
            context.ListTests = parameters => TestListing.Begin(context, _framework, parameters);
            _framework.Register(this);
        }

        public string ToolName => "run_tests";

        /// <summary>Whether a test run is under way, also one that the user started.</summary>
        public bool IsAnyRunActive
        {
            get
            {
                if (_foreignRun && !EditorReadiness.IsInPlayMode
                    && (_framework.IsAnyActive() == false || _context.Ticks.Ms - _foreignWordMs > ForeignSilenceMs))
                {
                    _foreignRun = false;
                }
                return _foreignRun || (_framework.IsAnyActive() ?? IsJustOver);
            }
        }

        // Where nobody can be asked.
        private bool IsJustOver => _endedMs != null && _context.Ticks.Ms - _endedMs < CleaningMs;

        public string FaultIn(JsonObject parameters)
        {
            if (parameters.Get("mode") is not (null or TestPlan.All or TestPlan.Edit or TestPlan.Play))
            {
                return "mode is all, edit or play.";
            }
            if (parameters.Get("filter") is not (null or string))
            {
                return "filter is a text.";
            }
            if (!TestPlan.AreFixtures(parameters.Get("fixtures")))
            {
                return "fixtures is a list of [mode, assembly, fixture].";
            }
            return parameters.Get("unsaved") is not (null or "refuse" or "save")
                ? "unsaved is refuse or save."
                : Flags.FaultIn(parameters, "refresh", "include_passed") ?? ChangedScenes.FaultIn(parameters);
        }

        public Turn MayBegin(Job job)
        {
            // A run of a person's in play mode is waited for; play mode without one is refused.
            if (IsAnyRunActive || EditorReadiness.IsBusy)
            {
                return Turn.Later;
            }
            var refreshes = job.Parameters.Is("refresh");
            var saves = job.Parameters.Text("unsaved") == "save";
            var discarded = new List<string>();
            var refusal = EditorReadiness.WhyNotInEditMode("run the tests")
                ?? (refreshes ? ChangedScenes.WhyNot(
                    _context.SceneFiles, "run_tests", job.Parameters, out discarded) : null)
                ?? (job.Request.IsUntrusted
                    ? ChangedScenes.WhyNotAsked(_context.SceneFiles, "A person has to save or load them in Unity.")
                    : null)
                ?? (refreshes || !EditorUtility.scriptCompilationFailed ? null : ScriptsDoNotCompile())
                ?? (saves ? null : UnsavedWork.WhyNot("run_tests", discarded))
                ?? (job.Parameters.Text("mode") == TestPlan.Edit ? null : Reactions.WhyNot(Effect.Play))
                ?? NoRunYet(job.Parameters);
            return refusal == null ? Turn.Now : Turn.Never(refusal);
        }

        public IJobRun Begin(Job job) => _run = TestRun.Begin(_context, _framework, job, Ended);

        public IJobRun GoOn(Job job, JsonObject memo) =>
            _run = TestRun.GoOn(_context, _framework, job, memo ?? new JsonObject(), Ended);

        public void Leave() => _framework.Leave(this);

        void ICallbacks.RunStarted(ITestAdaptor testsToRun)
        {
            if (_run == null || !_run.HasStarted)
            {
                _foreignRun = true;
                _foreignWordMs = _context.Ticks.Ms;
            }
            Notify(run => run.RunStarted());
        }

        void ICallbacks.TestStarted(ITestAdaptor test)
        {
            if (!test.IsSuite)
            {
                Notify(run => run.TestStarted(test.FullName));
            }
        }

        void ICallbacks.TestFinished(ITestResultAdaptor result)
        {
            if (!result.Test.IsSuite)
            {
                Notify(run => run.TestFinished(result));
            }
        }

        void ICallbacks.RunFinished(ITestResultAdaptor result)
        {
            _foreignRun = false;
            _endedMs = _context.Ticks.Ms;
            Notify(run => run.RunFinished(result));
        }

        void IErrorCallbacks.OnError(string message)
        {
            _foreignRun = false;
            _endedMs = _context.Ticks.Ms;
            Notify(run => run.RunFailed(message));
        }

        private void Notify(System.Action<TestRun> what)
        {
            _foreignWordMs = _context.Ticks.Ms;
            var run = _run;
            if (run != null && run.HasStarted)
            {
                Guard.Run(() => what(run));
            }
        }

        /// <param name="isStillOutThere">The framework has started tests, could not be stopped, and continues.</param>
        private void Ended(bool isStillOutThere)
        {
            _run = null;
            _foreignRun |= isStillOutThere;
            _foreignWordMs = _context.Ticks.Ms;
        }

        private Refusal ScriptsDoNotCompile() => Refusal
            .NotExecuted("compile_errors",
                "Unity's scripts do not compile, so the tests cannot run. Fix the compile errors and run the tests "
                + "again.")
            .With("errors", _context.Compiler.Errors().Take(50).Select(error => error.ToJson()));

        /// <summary>Why the filter <c>failed</c> cannot be used yet; null if it can, or if it is another one.</summary>
        public static Refusal NoRunYet(JsonObject parameters)
        {
            if (parameters.Text("filter") != LastFailures.Filter || LastFailures.Find() != null)
            {
                return null;
            }
            return new Refusal(ErrorCode.InvalidParams,
                "This editor has not run tests yet, so filter \"failed\" selects nothing. Run the tests without it.",
                new JsonObject { { "execution_guarantee", "not_executed" } });
        }
    }
}
