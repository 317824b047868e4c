using System;
using System.Diagnostics;
using UnityEditor;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.TestRuns
{
    /// <summary>
    /// Carries out the jobs of the ledger, one at a time, one step per editor update: list, start, watch, settle; for mode
    /// "all" twice. Main thread only.
    /// </summary>
    /// <remarks>The test framework reports neither a cancelled nor a silently dropped run, in any version, and forgets its
    /// listeners at every reload: so each step has its own way to notice that nothing will come any more.</remarks>
    internal sealed class TestRunQueue : IErrorCallbacks
    {
        private const long ListTimeoutMs = 30000;
        private const long VanishedMs = 10000;
        private const long NeverStartedMs = 30000;
        private const long StopTimeoutMs = 30000;
        private const long SettleTimeoutMs = 15000;

        // The server's own deadline comes first; this one is for a server that is gone.
        private const long DeadlineGraceMs = 3000;

        private readonly JobLedger _ledger;
        private readonly EditorReadiness _readiness;
        private readonly TestFramework _framework = new TestFramework();
        private readonly Stopwatch _clock = Stopwatch.StartNew();

        // About the current step of the current job, in this domain; a reload starts them anew.
        private long _stepSinceMs;
        private long _lastWordMs;
        private long? _stopAskedMs;
        private int _idleTicks;
        private object _listing;

        // A run that timed out and could not be stopped (test framework before 1.3.2) is still out there.
        private bool _runIsAtLarge;

        public TestRunQueue(JobLedger ledger, EditorReadiness readiness)
        {
            _ledger = ledger;
            _readiness = readiness;
        }

        /// <summary>At load.</summary>
        public void Start()
        {
            _framework.Register(this);
            var job = _ledger.Current();
            if (job != null && (job.Step == JobStep.Listing || job.Step == JobStep.Listed))
            {
                // Nothing was started yet, and the list was lost with the old domain.
                _ledger.Change(job, open => open.Step = JobStep.Waiting);
            }
        }

        /// <summary>The answer to <c>submit_job</c>: accepted, and then it is saved already; or why not.</summary>
        public JsonObject Submit(TestJob job)
        {
            try
            {
                return Take(job);
            }
            finally
            {
                _ledger.Settle(job);
            }
        }

        private JsonObject Take(TestJob job)
        {
            // A submission that is repeated after a lost connection never starts a second run (SPEC §5.2).
            if (!_ledger.Knows(job.JobId))
            {
                // Behind another run the editor's present state says nothing; the job is judged when its turn comes.
                var refusal = job.CancelRequested || _ledger.HasUnended() ? null : _readiness.WhyTestsCannotRun();
                if (refusal != null)
                {
                    return Messages.Error(job.RequestId, refusal);
                }
                _ledger.Add(job);
                if (job.CancelRequested)
                {
                    _ledger.End(job, JobState.Cancelled, null);
                }
                _ledger.Save();
            }
            return Messages.SubmitJobResult(job.RequestId, job.JobId);
        }

        /// <summary>In every update. True while there is something to do.</summary>
        public bool Tick()
        {
            var job = _ledger.Current();
            if (job != null)
            {
                try
                {
                    Advance(job);
                }
                catch (Exception failure)
                {
                    End(job, JobState.Failed, CouldNotRun("Unity could not run the tests: " + failure.GetBaseException().Message));
                }
            }
            _ledger.SaveIfChanged();
            return job != null;
        }

        private void Advance(TestJob job)
        {
            if (!job.DeadlinePassed && NowUtcMs() > job.DeadlineUtcMs + DeadlineGraceMs)
            {
                _ledger.Change(job, open => open.DeadlinePassed = true);
            }
            if (job.Step < JobStep.Started && (job.CancelRequested || job.DeadlinePassed))
            {
                End(job, EndOfStopped(job), null);
                return;
            }
            switch (job.Step)
            {
                case JobStep.Waiting: Begin(job); break;
                case JobStep.Listing: AwaitList(job); break;
                case JobStep.Listed: Execute(job); break;
                case JobStep.Started: Watch(job); break;
                default: Settle(job); break;
            }
        }

        private void Begin(TestJob job)
        {
            if (EditorReadiness.IsBusy || _runIsAtLarge || (_framework.CanTellActive && _framework.IsActive(null)))
            {
                return;
            }
            var refusal = _readiness.WhyTestsCannotRun();
            if (refusal != null)
            {
                refusal.Details["execution_guarantee"] = job.Phase == 0 ? "not_executed" : "completed_error";
                End(job, JobState.Failed, new Refusal(ErrorCode.UnityExecution, refusal.Message, refusal.Details));
                return;
            }
            _ledger.Change(job, open => open.State = JobState.Running);
            ListNextPhase(job);
        }

        // All phases are listed before the first one runs, so that the progress has the right total from the start.
        private void ListNextPhase(TestJob job)
        {
            var filter = new TestFilter(job.Filter);
            for (var phase = job.Phase; phase < job.Phases.Length; phase++)
            {
                if (job.Planned[phase] < 0 || (job.Names[phase] == null && !filter.IsEmpty))
                {
                    List(job, phase, filter);
                    return;
                }
            }
            GoTo(job, JobStep.Listed);
        }

        private void List(TestJob job, int phase, TestFilter filter)
        {
            GoTo(job, JobStep.Listing);
            var listing = _listing = new object();
            _framework.List(job.Phases[phase], root => Guard.Run(() =>
            {
                // An answer to a question that was given up is no answer.
                if (_listing != listing)
                {
                    return;
                }
                var names = filter.Select(root);
                _ledger.Change(job, open =>
                {
                    open.Planned[phase] = names.Count;
                    open.Names[phase] = filter.IsEmpty ? null : names;
                });
                ListNextPhase(job);
            }));
        }

        private void AwaitList(TestJob job)
        {
            if (SinceStep() > ListTimeoutMs)
            {
                End(job, JobState.Failed, CouldNotRun("Unity's test framework did not list the project's tests."));
            }
        }

        private void Execute(TestJob job)
        {
            if (job.Planned[job.Phase] == 0)
            {
                // Of a run without tests some versions never report the end.
                GoTo(job, JobStep.Settling);
                return;
            }
            // Saved before the call: whatever happens in it, no domain will make it again.
            _ledger.ChangeAndSave(job, open =>
            {
                open.Step = JobStep.Started;
                open.RunGuid = null;
                open.RunReported = false;
                open.SawPlayMode = false;
            });
            EnterStep();
            var guid = _framework.Execute(job.Phases[job.Phase], job.Names[job.Phase]);
            _ledger.ChangeAndSave(job, open => open.RunGuid = guid);
        }

        private void Watch(TestJob job)
        {
            if (EditorApplication.isPlaying && job.IsPlayPhase && !job.SawPlayMode)
            {
                _ledger.Change(job, open => open.SawPlayMode = true);
            }
            if (job.CancelRequested || job.DeadlinePassed)
            {
                Stop(job);
            }
            else if (HasVanished(job))
            {
                End(job, JobState.Failed, CouldNotRun("Unity's test framework dropped the run without a report; a dialog that was "
                    + "cancelled in the editor does that. Run the tests again."));
            }
        }

        private bool HasVanished(TestJob job)
        {
            if (EditorReadiness.IsBusy || EditorReadiness.IsInPlayMode || (_framework.CanTellActive && _framework.IsActive(job.RunGuid)))
            {
                _lastWordMs = _clock.ElapsedMilliseconds;
                return false;
            }
            var silentMs = _clock.ElapsedMilliseconds - _lastWordMs;
            if (_framework.CanTellActive || job.IsPlayPhase)
            {
                return silentMs > VanishedMs;
            }
            // An old framework running edit-mode tests may be silent for as long as a test takes.
            return !job.RunReported && silentMs > NeverStartedMs;
        }

        private void Stop(TestJob job)
        {
            if (_stopAskedMs == null)
            {
                _stopAskedMs = _clock.ElapsedMilliseconds;
                if (_framework.CanCancel && job.RunGuid != null)
                {
                    _framework.Cancel(job.RunGuid);
                }
            }
            var askedFor = _clock.ElapsedMilliseconds - _stopAskedMs.Value;
            if (job.IsPlayPhase && EditorApplication.isPlaying && (!_framework.CanCancel || askedFor > 2000))
            {
                EditorApplication.isPlaying = false;
            }
            _idleTicks = LooksStopped(job, askedFor) ? _idleTicks + 1 : 0;
            if (_idleTicks >= 2)
            {
                Conclude(job, EndOfStopped(job), null);
            }
            else if (askedFor > StopTimeoutMs && _framework.CanTellActive)
            {
                End(job, JobState.Failed, CouldNotRun("The test run was asked to stop, but Unity's test framework did not stop it."));
            }
            else if (job.DeadlinePassed && !_framework.CanCancel && !job.IsPlayPhase)
            {
                _runIsAtLarge = true;
                End(job, JobState.Timeout, null);
            }
        }

        private bool LooksStopped(TestJob job, long askedForMs)
        {
            if (EditorReadiness.IsInPlayMode)
            {
                return false;
            }
            if (_framework.CanTellActive)
            {
                return !_framework.IsActive(job.RunGuid);
            }
            // Edit-mode tests of an old framework cannot be stopped: the run ends as it ends.
            return job.IsPlayPhase && (job.SawPlayMode || askedForMs > 5000);
        }

        private void Settle(TestJob job)
        {
            var active = EditorReadiness.IsInPlayMode || (_framework.CanTellActive && job.RunGuid != null && _framework.IsActive(job.RunGuid));
            if (active && SinceStep() < SettleTimeoutMs)
            {
                return;
            }
            if (job.EndAs != null)
            {
                End(job, job.EndAs, job.Error);
            }
            else if (job.Phase + 1 == job.Phases.Length)
            {
                End(job, job.HasFailures ? JobState.Failed : JobState.Succeeded, null);
            }
            else if (job.CancelRequested || job.DeadlinePassed)
            {
                End(job, EndOfStopped(job), null);
            }
            else
            {
                _ledger.Change(job, open =>
                {
                    open.Phase++;
                    open.RunGuid = null;
                });
                GoTo(job, JobStep.Waiting);
                _ledger.Save();
            }
        }

        // The framework's voice. Runs that a person started are heard too: they are nobody's job.

        void ICallbacks.RunStarted(ITestAdaptor testsToRun)
        {
            Hear(job => _ledger.Change(job, open => open.RunReported = true));
        }

        void ICallbacks.TestStarted(ITestAdaptor test)
        {
            if (!test.IsSuite)
            {
                var name = test.FullName;
                Hear(job => _ledger.Change(job, open => open.CurrentTest = name));
            }
        }

        void ICallbacks.TestFinished(ITestResultAdaptor result)
        {
            if (!result.Test.IsSuite)
            {
                Hear(job => Record(job, result));
            }
        }

        void ICallbacks.RunFinished(ITestResultAdaptor result)
        {
            _runIsAtLarge = false;
            Hear(job =>
            {
                // A test that ended while the domain was reloading was heard by nobody; here it is again.
                RecordAll(job, result);
                var durationMs = result.Duration * 1000;
                _ledger.Change(job, open => open.DurationMs += durationMs);
                var cutShort = job.CancelRequested && job.Outcomes.Count < job.Total;
                Conclude(job, cutShort ? JobState.Cancelled : null, null);
            });
        }

        void IErrorCallbacks.OnError(string message)
        {
            _runIsAtLarge = false;
            Hear(job =>
            {
                var stopped = job.CancelRequested || job.DeadlinePassed;
                Conclude(job, stopped ? EndOfStopped(job) : JobState.Failed,
                    stopped ? null : CouldNotRun("Unity's test framework could not carry out the run: " + message));
            });
        }

        private void Hear(Action<TestJob> take)
        {
            _lastWordMs = _clock.ElapsedMilliseconds;
            var job = _ledger.Current();
            if (job != null && job.Step == JobStep.Started)
            {
                Guard.Run(() => take(job));
            }
        }

        private void Record(TestJob job, ITestResultAdaptor result)
        {
            var name = result.Test.UniqueName;
            var outcome = TestOutcome.Of(result);
            _ledger.Change(job, open => open.Record(name, outcome));
        }

        // Answers whether anything failed.
        private bool RecordAll(TestJob job, ITestResultAdaptor result)
        {
            var failedBelow = false;
            foreach (var child in result.Children ?? new ITestResultAdaptor[0])
            {
                failedBelow |= RecordAll(job, child);
            }
            var failed = result.TestStatus == TestStatus.Failed;
            // A fixture that failed by itself, in its tear-down, is a failure that no test of it shows.
            if (!result.Test.IsSuite || (failed && !failedBelow))
            {
                Record(job, result);
            }
            return failed || failedBelow;
        }

        private void Conclude(TestJob job, string endAs, Refusal error)
        {
            _ledger.Change(job, open =>
            {
                open.EndAs = endAs;
                open.Error = error;
            });
            GoTo(job, JobStep.Settling);
        }

        private void End(TestJob job, string state, Refusal error)
        {
            _listing = null;
            _ledger.End(job, state, error);
            EnterStep();
        }

        private void GoTo(TestJob job, JobStep step)
        {
            _ledger.Change(job, open => open.Step = step);
            EnterStep();
        }

        private void EnterStep()
        {
            _stepSinceMs = _lastWordMs = _clock.ElapsedMilliseconds;
            _stopAskedMs = null;
            _idleTicks = 0;
        }

        private long SinceStep()
        {
            return _clock.ElapsedMilliseconds - _stepSinceMs;
        }

        private static string EndOfStopped(TestJob job)
        {
            return job.CancelRequested ? JobState.Cancelled : JobState.Timeout;
        }

        private static Refusal CouldNotRun(string message)
        {
            return new Refusal(ErrorCode.UnityExecution, message, new JsonObject { { "reason", "run_aborted" } });
        }

        public static long NowUtcMs()
        {
            return (long)(DateTime.UtcNow - new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc)).TotalMilliseconds;
        }
    }
}
