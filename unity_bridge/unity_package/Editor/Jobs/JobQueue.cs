using System;
using System.Collections.Generic;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Jobs
{
    /// <summary>
    /// Carries out the jobs of the ledger on the main thread: one at a time, in order of submission, one step per
    /// editor update. Next to a job that runs, one more may run if it only reads, and any that take no turn (SPEC
    /// §15.6). It knows no tool.
    /// </summary>
    internal sealed class JobQueue
    {
        // The server's own deadline comes first; this one is for a server that is gone.
        private const long DeadlineGraceMs = 3000;

        private readonly JobLedger _ledger;
        private readonly Func<string, IJobKind> _findKind;
        private readonly Func<string> _whatUnityDoes;
        // what this domain carries out
        private readonly Dictionary<Job, IJobRun> _runs = new Dictionary<Job, IJobRun>();

        /// <param name="whatUnityDoes">What a job waits for that may not begin, if no other job is in front of
        /// it.</param>
        public JobQueue(JobLedger ledger, Func<string, IJobKind> findKind, Func<string> whatUnityDoes)
        {
            _whatUnityDoes = whatUnityDoes;
            _ledger = ledger;
            _findKind = findKind;
        }

        /// <summary>Main thread. The job whose step this is, null outside of any.</summary>
        public static Job Current { get; private set; }

        /// <summary>At load. A job that an earlier domain began is continued before Unity reports anything about
        /// it.</summary>
        public void GoOn() => _ledger.Running().ForEach(job => Carry(job, () => TakeUp(job)));

        /// <summary>In every update. How soon the next one is needed.</summary>
        public Pace Tick()
        {
            var unended = _ledger.Unended();
            foreach (var job in unended.FindAll(job => job.State == JobState.Queued && TakesNoTurn(job)))
            {
                Carry(job, () => BeginOrWait(job));
            }
            var others = unended.FindAll(job => !TakesNoTurn(job));
            var next = others.Find(job => job.State == JobState.Queued);
            if (next != null && MayCompete(next, others.FindAll(job => job.State == JobState.Running)))
            {
                Carry(next, () => BeginOrWait(next));
            }
            foreach (var job in _ledger.Running())
            {
                Carry(job, () => Advance(job));
            }
            return unended.Count == 0 ? Pace.Idle : PaceOf(_ledger.Running(), _ledger.Next() ?? next);
        }

        private Pace PaceOf(List<Job> running, Job next)
        {
            foreach (var job in running)
            {
                if (_runs.TryGetValue(job, out var run) && run is INeedsEveryUpdate { NeedsEveryUpdate: true })
                {
                    return Pace.EveryUpdate;
                }
            }
            // One that ended in this update may have made room.
            return running.Count > 0 ? Pace.Working : next != null ? Pace.Waiting : Pace.Idle;
        }

        /// <summary>Before a reload: what the runs know goes into the ledger.</summary>
        public void Leave()
        {
            foreach (var run in new Dictionary<Job, IJobRun>(_runs))
            {
                _ledger.Keep(run.Key, run.Value.Memo());
            }
        }

        private bool MayCompete(Job next, List<Job> running) => running.Count == 0
            || (running.Count == 1 && _findKind(next.Request.ToolName) is IMayRunDuring kind
                && kind.MayRunDuring(next, running[0].Request.ToolName));

        private bool TakesNoTurn(Job job) =>
            _findKind(job.Request.ToolName) is IMayTakeNoTurn kind && kind.TakesNoTurn(job);

        // Does one step of a job; an end or an exception ends it.
        private void Carry(Job job, Func<JobEnd> step)
        {
            if (!job.DeadlinePassed && Clock.UtcMs > job.DeadlineUtcMs + DeadlineGraceMs)
            {
                _ledger.PassDeadline(job);
            }
            JobEnd end;
            Current = job;
            try
            {
                end = step();
            }
            catch (Exception failure)
            {
                var began = job.State == JobState.Running;
                end = JobEnd.Failed(new Refusal(ErrorCode.UnityExecution,
                    job.Request.ToolName + " failed in Unity: " + failure.GetBaseException().Message,
                    new JsonObject { { "reason", "exception" },
                        { "execution_guarantee", began ? "unknown" : "not_executed" } }));
            }
            finally
            {
                Current = null;
            }
            if (end != null)
            {
                _runs.Remove(job);
                _ledger.End(job, end);
            }
        }

        private JobEnd Advance(Job job) => _runs.ContainsKey(job) ? _runs[job].Advance() : TakeUp(job);

        // An earlier domain began it.
        private JobEnd TakeUp(Job job)
        {
            var kind = KindOf(job, out var unknown);
            if (kind != null)
            {
                _runs[job] = kind.GoOn(job, job.Memo);
            }
            return unknown;
        }

        private JobEnd BeginOrWait(Job job)
        {
            var kind = KindOf(job, out var unknown);
            if (kind == null)
            {
                return unknown;
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
            if (turn == Turn.Later)
            {
                _ledger.ReportWait(job, _whatUnityDoes());
            }
            // A cancel may have come in between: then the job has ended, and is nobody's any more.
            if (turn != Turn.Later && _ledger.Start(job, turn == Turn.NowToItsEnd, TakesNoTurn(job)))
            {
                _runs[job] = kind.Begin(job);
            }
            return null;
        }

        // Null, and how the job ends, where there is none.
        private IJobKind KindOf(Job job, out JobEnd unknown)
        {
            var kind = _findKind(job.Request.ToolName);
            var guarantee = job.State == JobState.Running ? "unknown" : "not_executed";
            unknown = kind != null ? null : JobEnd.Failed(new Refusal(ErrorCode.UnknownCommand,
                "This version of the plugin has no job tool '" + job.Request.ToolName + "'.",
                new JsonObject { { "execution_guarantee", guarantee } }));
            return kind;
        }
    }
}
