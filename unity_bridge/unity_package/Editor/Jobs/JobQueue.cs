using System;
using System.Collections.Generic;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Jobs
{
    /// <summary>
    /// Carries out the jobs of the ledger on the main thread: one at a time, in order of submission, one step per editor
    /// update. It knows no tool.
    /// </summary>
    internal sealed class JobQueue
    {
        // The server's own deadline comes first; this one is for a server that is gone.
        private const long DeadlineGraceMs = 3000;

        private readonly JobLedger _ledger;
        private readonly Func<string, IJobKind> _findKind;
        private Job _job;       // what _run carries out
        private IJobRun _run;

        public JobQueue(JobLedger ledger, Func<string, IJobKind> findKind)
        {
            _ledger = ledger;
            _findKind = findKind;
        }

        /// <summary>At load. A job that an earlier domain began is taken up before Unity tells anything about it.</summary>
        public void GoOn()
        {
            var job = _ledger.Current();
            if (job?.State == JobState.Running)
            {
                TakeUp(job);
            }
        }

        /// <summary>In every update. True while there is something to do.</summary>
        public bool Tick()
        {
            var job = _ledger.Current();
            if (job != null)
            {
                var end = AdvanceOrFail(job);
                if (end != null)
                {
                    Forget();
                    _ledger.End(job, end);
                }
            }
            return job != null;
        }

        /// <summary>Before a reload: what the run knows goes into the ledger.</summary>
        public void Leave()
        {
            if (_run != null)
            {
                _ledger.Keep(_job, _run.Memo());
            }
        }

        private JobEnd AdvanceOrFail(Job job)
        {
            try
            {
                return Advance(job);
            }
            catch (Exception failure)
            {
                var began = job.State == JobState.Running;
                return JobEnd.Failed(new Refusal(ErrorCode.UnityExecution,
                    job.Request.ToolName + " failed in Unity: " + failure.GetBaseException().Message,
                    new JsonObject { { "reason", "exception" }, { "execution_guarantee", began ? "unknown" : "not_executed" } }));
            }
        }

        private JobEnd Advance(Job job)
        {
            if (!job.DeadlinePassed && Clock.UtcMs > job.DeadlineUtcMs + DeadlineGraceMs)
            {
                _ledger.PassDeadline(job);
            }
            if (_job != job)
            {
                var end = TakeUp(job);
                if (end != null || _job != job)
                {
                    return end;
                }
            }
            return _run.Advance();
        }

        // Leaves _run as it was if the job may not begin yet.
        private JobEnd TakeUp(Job job)
        {
            var kind = _findKind(job.Request.ToolName);
            if (kind == null)
            {
                return JobEnd.Failed(new Refusal(ErrorCode.UnknownCommand, "This version of the plugin has no job tool '"
                    + job.Request.ToolName + "'.", new JsonObject { { "execution_guarantee", job.State == JobState.Running ? "unknown" : "not_executed" } }));
            }
            if (job.State == JobState.Running)
            {
                Hold(job, kind.GoOn(job, job.Memo));
                return null;
            }
            if (job.StopWanted != null)
            {
                return JobEnd.Stopped(job.StopWanted);
            }
            var turn = kind.MayBegin(job);
            if (turn.Refusal != null)
            {
                return JobEnd.Failed(turn.Refusal);
            }
            // A cancel may have come in between: then the job has ended, and is nobody's any more.
            if (turn == Turn.Now && _ledger.Start(job))
            {
                Hold(job, kind.Begin(job));
            }
            return null;
        }

        private void Hold(Job job, IJobRun run)
        {
            _job = job;
            _run = run;
        }

        private void Forget()
        {
            _job = null;
            _run = null;
        }
    }
}
