using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Jobs
{
    /// <summary>
    /// The jobs that this editor knows and how each stands: accepted, started, ended (SPEC §15.6). Any thread may ask
    /// and may accept; only the main thread starts and ends jobs, but for a cancel of one that has not started.
    /// </summary>
    /// <remarks>Each of the three is on disk before the next thing happens: a domain may be gone at any moment. A write
    /// is made outside of the lock; records carry a revision, so their order does not matter.</remarks>
    internal sealed class JobLedger
    {
        private const string FileName = "jobs.jsonl";
        private const string SessionKey = "UnityBridge.jobs";
        private const string WarnedKey = "UnityBridge.jobs_warned";
        private const long RepairEveryMs = 1000;
        private const long TroubleMs = 5000;
        private const int KeptEnded = 64;
        private const int MostUnended = 256;

        // The newest result is kept whatever its size.
        private const long KeptResultChars = 16 * 1024 * 1024;

        private readonly object _lock = new object();
        private readonly List<Job> _jobs = new List<Job>(); // guarded by _lock, oldest first
        private readonly JobFile _file;
        private readonly int _mainThreadId = Thread.CurrentThread.ManagedThreadId;
        private long _repairedAtMs;     // main thread only, as are the two below
        private bool _sessionHasJobs;
        private long? _brokenSinceMs;
        private readonly Func<long?> _stalledMs;
        private readonly IJobConsole _console;

        /// <param name="stalledMs">For how long the main thread stands still, null while it does not. Any
        /// thread.</param>
        public JobLedger(string projectPath, string editorId, IJobConsole console, Func<long?> stalledMs)
        {
            _file = new JobFile(Path.Combine(projectPath, "Library", "UnityBridge", FileName), editorId);
            _console = console;
            _stalledMs = stalledMs;
        }

        /// <summary><c>hello.jobs</c>: ids, and of the jobs that have not ended what they are (SPEC §15.9).</summary>
        public List<object> Listed()
        {
            var nowUtcMs = Clock.UtcMs;
            // An ended job of a server without proof is nobody's any more.
            return Read(() => _jobs.FindAll(job => !(job.IsDisowned && job.IsEnded))
                .ConvertAll(job => job.IsEnded ? (object)job.JobId : job.Listed(nowUtcMs)));
        }

        /// <summary><c>hello.job_keys</c>: who submitted a job with which key, for those that had one.</summary>
        public JsonObject Keys()
        {
            lock (_lock)
            {
                var keys = new JsonObject();
                foreach (var job in _jobs.FindAll(
                    job => !job.IsDisowned && job.Request.Client != null && job.Request.Key != null))
                {
                    keys[job.JobId] = new[] { job.Request.Client, job.Request.Key };
                }
                return keys;
            }
        }

        /// <summary>The jobs that have started and not ended, the oldest first.</summary>
        public List<Job> Running() => Read(() => _jobs.FindAll(job => job.State == JobState.Running));

        /// <summary>The oldest job that waits, or null.</summary>
        public Job Next() => Read(() => _jobs.Find(job => job.State == JobState.Queued));

        /// <summary>The jobs that have not ended, the oldest first.</summary>
        public List<Job> Unended() => Read(() => _jobs.FindAll(job => !job.IsEnded));

        /// <summary>The members of <c>job_status</c>, or null for an id that is not known.</summary>
        public JsonObject Status(string jobId)
        {
            var stalledMs = _stalledMs();
            lock (_lock)
            {
                var job = Find(jobId, null);
                job?.NoteAsked();
                var ahead = _jobs.Find(other => !other.IsEnded && !other.TakesNoTurn);
                return job?.ToStatus(Clock.UtcMs, stalledMs, ahead == job ? null : ahead);
            }
        }

        /// <summary>Whether a server has asked for the job since it ended.</summary>
        public bool IsEndReported(Job job) => Read(() => job.IsEndReported);

        /// <summary>Any thread. Whether a server without proof submitted a job, by its id or else by that request; null
        /// where none is known.</summary>
        public bool? IsUntrusted(string jobId, string requestId) =>
            Read(() => Find(jobId, requestId)?.Request.IsUntrusted);

        /// <summary>Any thread. What came of a job, for people; null while it has not ended.</summary>
        public string EndOf(string jobId) => Read(() => Find(jobId, null)?.EndInWords());

        /// <summary>Any thread. Takes a job in; false if there are too many. A submission that is repeated after a lost
        /// connection never makes a second job (SPEC §5.2).</summary>
        public bool Accept(Job job)
        {
            string record;
            lock (_lock)
            {
                if (Find(job.JobId, null) != null)
                {
                    return true;
                }
                if (_jobs.FindAll(known => !known.IsEnded).Count >= MostUnended)
                {
                    return false;
                }
                _jobs.Add(job);
                job.Report(JobProgress.At(JobStep.Waiting, Clock.UtcMs));
                ForgetOldest();
                record = JobFile.Record(job);
            }
            Write(record);
            return true;
        }

        /// <summary>Main thread. False if the job has been cancelled.</summary>
        /// <param name="refusesCancel">From now on a cancel is answered with <c>rejected</c>.</param>
        public bool Start(Job job, bool refusesCancel = false, bool takesNoTurn = false) =>
            Change(job, isWritten: true, () => job.Start(_console.NewestSeq, refusesCancel, takesNoTurn));

        /// <summary>Any thread. How far the job is; not worth a write.</summary>
        public void Report(Job job, JobProgress progress) => Change(job, isWritten: false, () => job.Report(progress));

        /// <summary>Main thread. Reports a step; one that is reported again goes on being what it is.</summary>
        public void ReportStep(Job job, string step)
        {
            if (job.Progress?.Step != step)
            {
                Report(job, JobProgress.At(step, Clock.UtcMs));
            }
        }

        /// <summary>Main thread. What of Unity's a job waits for.</summary>
        public void ReportWait(Job job, string what)
        {
            if (job.Progress?.WaitsFor != what)
            {
                Report(job, JobProgress.WaitingFor(what, job.Progress?.SinceUtcMs ?? Clock.UtcMs));
            }
        }

        /// <summary>Main thread. What the next domain must find.</summary>
        public void Keep(Job job, JsonObject memo) => Change(job, isWritten: true, () => job.Keep(memo));

        /// <summary>Main thread.</summary>
        public void PassDeadline(Job job) => Change(job, isWritten: false, job.PassDeadline);

        /// <summary>Gives a job its end; false when it had one.</summary>
        public bool End(Job job, JobEnd end) =>
            End(job, end, job.ConsoleSeq == null ? null : _console.Summary(job.ConsoleSeq.Value));

        /// <summary>Any thread. The status for <c>cancel_result</c>; null when no such job is known (SPEC
        /// §6).</summary>
        public string Cancel(string jobId, string requestId)
        {
            var job = Read(() => Find(jobId, requestId));
            return job == null ? null : Cancel(job);
        }

        /// <summary>Any thread. The jobs of servers without proof end, and no server hears of them any more (SPEC
        /// §17.4).</summary>
        public void Disown()
        {
            List<Job> theirs;
            lock (_lock)
            {
                _jobs.RemoveAll(job => job.Request.IsUntrusted && job.IsEnded);
                theirs = _jobs.FindAll(job => job.Request.IsUntrusted);
                theirs.ForEach(job => job.Disown());
            }
            theirs.ForEach(job => Cancel(job));
            _file.Rewrite(Records);
        }

        private string Cancel(Job job)
        {
            var answer = "rejected";
            Change(job, isWritten: true, () =>
            {
                if (job.RefusesCancel)
                {
                    return;
                }
                job.RequestCancel();
                answer = "cancel_requested";
                // One that has not started needs nobody's help to stop.
                if (job.State == JobState.Queued)
                {
                    job.End(JobEnd.Stopped(JobState.Cancelled), null);
                    answer = "cancelled";
                }
            });
            return answer;
        }

        /// <summary>Main thread, at load. Takes up what an earlier domain or an earlier editor left.</summary>
        public void Load()
        {
            var saved = _file.Read(out var sameEditor);
            var session = SessionState.GetString(SessionKey, "");
            saved.AddRange(JobFile.Parse(session.Split('\n')));
            List<Job> unended;
            lock (_lock)
            {
                saved.ForEach(TakeNewest);
                ForgetOldest();
                unended = _jobs.FindAll(job => !job.IsEnded);
            }
            _sessionHasJobs = session.Length > 0;
            if (sameEditor || session.Length > 0)
            {
                // What only the session had goes into the file, before anything is appended to it.
                if (session.Length > 0)
                {
                    _file.Rewrite(Records);
                }
                return;
            }
            _file.Rewrite(Records);
            // What that editor logged is gone with it.
            unended.ForEach(orphan => End(orphan, JobEnd.Failed(new Refusal(ErrorCode.UnityExecution,
                "The editor was closed or crashed before " + orphan.Request.ToolName + " had ended. Call it again.",
                new JsonObject
                {
                    { "reason", "editor_ended" },
                    { "execution_guarantee", orphan.State == JobState.Queued ? "not_executed" : "unknown" },
                })), null));
        }

        /// <summary>Main thread, before the domain goes. Only where the file cannot be written is there anything to
        /// do.</summary>
        public void Leave()
        {
            if (_file.IsBroken)
            {
                _file.Rewrite(Records);
            }
            KeepInSession();
        }

        /// <summary>Main thread, in every update: repairs the file that could not be written.</summary>
        public void Tick()
        {
            if (!_file.IsBroken && !_sessionHasJobs)
            {
                return;
            }
            var nowMs = Clock.UtcMs;
            if (nowMs - _repairedAtMs >= RepairEveryMs || nowMs < _repairedAtMs)
            {
                _repairedAtMs = nowMs;
                if (_file.IsBroken)
                {
                    _file.Rewrite(Records);
                }
                KeepInSession();
                WarnOfFile(nowMs);
            }
        }

        // Once in an editor, and not for the moment that a scanner holds the file.
        private void WarnOfFile(long nowMs)
        {
            _brokenSinceMs = _file.IsBroken ? _brokenSinceMs ?? nowMs : null;
            if (nowMs - _brokenSinceMs >= TroubleMs && SessionState.GetString(WarnedKey, "").Length == 0)
            {
                SessionState.SetString(WarnedKey, "yes");
                Debug.LogWarning("[Unity Bridge] Cannot write " + FileName
                    + " in Library/UnityBridge, so jobs would be forgotten if the editor closed now: "
                    + _file.Trouble + " Free the disk, the file or its permissions; it is tried again each second.");
            }
        }

        // What the file lacks must outlive a reload that nobody announces.
        private void KeepInSession()
        {
            _sessionHasJobs = _file.IsBroken;
            SessionState.SetString(SessionKey, _sessionHasJobs ? string.Join("\n", Records()) : "");
        }

        private bool End(Job job, JobEnd end, JsonObject console) => Change(job, isWritten: true, () =>
        {
            job.End(end, console);
            DropOldResults(job);
        });

        // An end is set once: a job that has ended stays as it is.
        private bool Change(Job job, bool isWritten, Action change)
        {
            string record;
            lock (_lock)
            {
                if (job.IsEnded)
                {
                    return false;
                }
                change();
                record = isWritten ? JobFile.Record(job) : null;
            }
            if (isWritten)
            {
                Write(record);
            }
            return true;
        }

        private void Write(string record)
        {
            if (!_file.IsLong && !_file.IsBroken)
            {
                _file.Append(record);
            }
            else
            {
                _file.Rewrite(Records);
            }
            if (_file.IsBroken && Thread.CurrentThread.ManagedThreadId == _mainThreadId)
            {
                KeepInSession();
            }
        }

        private List<string> Records() => Read(() => _jobs.ConvertAll(JobFile.Record));

        private T Read<T>(Func<T> read)
        {
            lock (_lock)
            {
                return read();
            }
        }

        private void TakeNewest(Job saved)
        {
            var known = _jobs.FindIndex(job => job.JobId == saved.JobId);
            if (known < 0)
            {
                _jobs.Add(saved);
            }
            else if (saved.Revision > _jobs[known].Revision)
            {
                _jobs[known] = saved;
            }
        }

        private Job Find(string jobId, string requestId) =>
            _jobs.Find(job => !job.IsDisowned
                && (jobId != null ? job.JobId == jobId : job.Request.RequestId == requestId));

        private void ForgetOldest()
        {
            var surplus = _jobs.FindAll(job => job.IsEnded).Count - KeptEnded;
            while (surplus-- > 0)
            {
                _jobs.RemoveAt(_jobs.FindIndex(job => job.IsEnded));
            }
        }

        private void DropOldResults(Job newest)
        {
            long chars = 0;
            for (var i = _jobs.Count - 1; i >= 0; i--)
            {
                chars += _jobs[i].Result?.Length ?? 0;
                if (chars > KeptResultChars && _jobs[i] != newest)
                {
                    _jobs[i].DropResult();
                }
            }
        }
    }
}
