using System;
using System.Collections.Generic;
using System.IO;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.TestRuns
{
    /// <summary>
    /// The jobs this editor knows. Any thread may ask; they survive a domain reload in SessionState, and the editor's end
    /// in a file below Library.
    /// </summary>
    internal sealed class JobLedger
    {
        private const string SessionKey = "UnityBridge.jobs";
        private const int KeptJobs = 32;

        private readonly object _lock = new object();
        private readonly List<TestJob> _jobs = new List<TestJob>(); // guarded by _lock, oldest first
        private readonly List<TestJob> _announced = new List<TestJob>(); // guarded by _lock
        private readonly string _file;
        private volatile bool _changed;

        public JobLedger(string projectPath)
        {
            _file = Path.Combine(Path.Combine(Path.Combine(projectPath, "Library"), "UnityBridge"), "jobs.json");
        }

        public string[] Ids()
        {
            lock (_lock)
            {
                return _jobs.ConvertAll(job => job.JobId).ToArray();
            }
        }

        public bool Knows(string jobId)
        {
            lock (_lock)
            {
                return Find(jobId) != null;
            }
        }

        public bool HasUnended()
        {
            lock (_lock)
            {
                return _jobs.Exists(job => !job.IsEnded);
            }
        }

        /// <summary>The job that runs, else the oldest that waits, else null: one at a time, in order.</summary>
        public TestJob Current()
        {
            lock (_lock)
            {
                return _jobs.Find(job => job.State == JobState.Running) ?? _jobs.Find(job => !job.IsEnded);
            }
        }

        /// <summary>Any thread. A submission is on its way to the main thread: it can be cancelled before it gets there.</summary>
        public void Announce(TestJob job)
        {
            lock (_lock)
            {
                _announced.Add(job);
            }
        }

        /// <summary>Main thread. What was announced has been added, or will not be.</summary>
        public void Settle(TestJob job)
        {
            lock (_lock)
            {
                _announced.Remove(job);
            }
        }

        public void Add(TestJob job)
        {
            lock (_lock)
            {
                _jobs.Add(job);
                var oldest = _jobs.FindIndex(known => known.IsEnded);
                if (_jobs.Count > KeptJobs && oldest >= 0)
                {
                    _jobs.RemoveAt(oldest);
                }
            }
            _changed = true;
        }

        /// <summary>Changes a job under the lock; a job that has ended stays as it is.</summary>
        public bool Change(TestJob job, Action<TestJob> change)
        {
            lock (_lock)
            {
                if (job.IsEnded)
                {
                    return false;
                }
                change(job);
                return true;
            }
        }

        /// <summary>As <see cref="Change"/>, for what a new domain must not find undone.</summary>
        public void ChangeAndSave(TestJob job, Action<TestJob> change)
        {
            if (Change(job, change))
            {
                Save();
            }
        }

        /// <summary>Any thread. Gives a job its end state; false when it had one.</summary>
        public bool End(TestJob job, string state, Refusal error)
        {
            var ended = Change(job, open =>
            {
                var ran = open.State == JobState.Running;
                open.Result = ran && error == null || open.Outcomes.Count > 0 ? open.Summarise() : null;
                open.State = state;
                open.Error = error;
                open.CurrentTest = null;
                open.Outcomes.Clear();
            });
            _changed |= ended;
            return ended;
        }

        /// <summary>The members of <c>job_status</c>, or null for an id that is not known.</summary>
        public JsonObject Status(string jobId)
        {
            lock (_lock)
            {
                var job = Find(jobId);
                return job == null ? null : job.ToStatus();
            }
        }

        /// <summary>Any thread. The status for <c>cancel_result</c>; null when no such job is known (SPEC §6).</summary>
        public string Cancel(string jobId, string requestId)
        {
            lock (_lock)
            {
                var job = jobId != null ? Find(jobId) : _jobs.Find(known => known.RequestId == requestId);
                if (job == null)
                {
                    return CancelAnnounced(jobId, requestId);
                }
                if (job.IsEnded)
                {
                    return "rejected";
                }
                job.CancelRequested = true;
                _changed = true;
                // One that has not been started needs nobody's help to stop.
                if (job.State == JobState.Queued)
                {
                    End(job, JobState.Cancelled, null);
                    return "cancelled";
                }
                return "cancel_requested";
            }
        }

        /// <summary>Main thread. Takes up what an earlier domain or an earlier editor left.</summary>
        public void Restore()
        {
            var session = SessionState.GetString(SessionKey, "");
            var sameEditor = session.Length > 0;
            object saved;
            string why;
            if (!JsonReader.TryRead(sameEditor ? session : ReadFile(), out saved, out why) || !(saved is List<object>))
            {
                return;
            }
            foreach (var json in (List<object>)saved)
            {
                _jobs.Add(TestJob.FromJson((JsonObject)json));
            }
            if (!sameEditor)
            {
                EndOrphans();
            }
        }

        /// <summary>Main thread.</summary>
        public void SaveIfChanged()
        {
            if (_changed)
            {
                Save();
            }
        }

        /// <summary>Main thread.</summary>
        public void Save()
        {
            string text;
            lock (_lock)
            {
                _changed = false;
                text = JsonWriter.Write(_jobs.ConvertAll(job => job.ToJson()));
            }
            SessionState.SetString(SessionKey, text);
            WriteFile(text);
        }

        private void EndOrphans()
        {
            foreach (var job in _jobs.FindAll(known => !known.IsEnded))
            {
                End(job, JobState.Failed, new Refusal(ErrorCode.UnityExecution,
                    "The editor was closed or crashed before this test run ended. Run the tests again.",
                    new JsonObject { { "reason", "editor_ended" }, { "execution_guarantee", "unknown" } }));
            }
        }

        // A main thread that is stuck for longer than the server waits must not start the run once it is free again.
        private string CancelAnnounced(string jobId, string requestId)
        {
            var meant = _announced.FindAll(job => jobId != null ? job.JobId == jobId : job.RequestId == requestId);
            meant.ForEach(job => job.CancelRequested = true);
            return meant.Count > 0 ? "cancelled" : null;
        }

        private TestJob Find(string jobId)
        {
            return _jobs.Find(job => job.JobId == jobId);
        }

        private string ReadFile()
        {
            try
            {
                return File.Exists(_file) ? File.ReadAllText(_file) : "";
            }
            catch (IOException)
            {
                return "";
            }
            catch (UnauthorizedAccessException)
            {
                return "";
            }
        }

        // Never a half-written file; and one that cannot be written costs only the memory of an editor restart.
        private void WriteFile(string text)
        {
            try
            {
                Directory.CreateDirectory(Path.GetDirectoryName(_file));
                File.WriteAllText(_file + ".new", text);
                if (File.Exists(_file))
                {
                    File.Replace(_file + ".new", _file, null);
                }
                else
                {
                    File.Move(_file + ".new", _file);
                }
            }
            catch (IOException)
            {
            }
            catch (UnauthorizedAccessException)
            {
            }
        }
    }
}
