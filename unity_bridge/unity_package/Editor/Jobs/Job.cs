using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Jobs
{
    /// <summary>
    /// One call of a tool that is carried out as a job: accepted, started, ended (SPEC §15.6). What it was asked for
    /// never changes; how it stands is changed by the ledger alone, under its lock.
    /// </summary>
    internal sealed class Job
    {
        private const int MostReadChars = 256 * 1024;
        private const int MostPaths = 3;

        public Job(JobRequest request, long deadlineUtcMs)
        {
            Request = request;
            DeadlineUtcMs = deadlineUtcMs;
            AcceptedUtcMs = Clock.UtcMs;
        }

        public JobRequest Request { get; }

        public string JobId => Request.JobId;

        public JsonObject Parameters => Request.Parameters;

        public long DeadlineUtcMs { get; }

        public long AcceptedUtcMs { get; private set; }

        public string State { get; private set; } = JobState.Queued;

        public bool IsEnded => JobState.IsEnd(State);

        public bool CancelRequested { get; private set; }

        public bool DeadlinePassed { get; private set; }

        /// <summary>It runs, and nothing can stop it.</summary>
        public bool RefusesCancel { get; private set; }

        /// <summary>How to end when the job has been stopped; null while nobody wants it to stop.</summary>
        public string StopWanted => CancelRequested ? JobState.Cancelled : DeadlinePassed ? JobState.Timeout : null;

        public JobProgress Progress { get; private set; }

        /// <summary>What the run wants to find again in the next domain; null before it has said anything.</summary>
        public JsonObject Memo { get; private set; }

        /// <summary>The newest console entry when the job started; null before.</summary>
        public long? ConsoleSeq { get; private set; }

        /// <summary>Rises with every record that is written of this job: of two, the higher one is the truth.</summary>
        public long Revision { get; private set; }

        /// <summary>JSON text of the result; null for none.</summary>
        public string Result { get; private set; }

        private JsonObject Error { get; set; }

        private JsonObject Console { get; set; }

        private bool ResultDropped { get; set; }

        /// <summary>No server hears of it any more.</summary>
        public bool IsDisowned { get; private set; }

        /// <summary>Of this domain alone.</summary>
        public bool IsEndReported { get; private set; }

        /// <summary>It runs next to others, and none waits for it. Of this domain alone.</summary>
        public bool TakesNoTurn { get; private set; }

        public void Start(long consoleSeq, bool refusesCancel, bool takesNoTurn)
        {
            TakesNoTurn = takesNoTurn;
            State = JobState.Running;
            ConsoleSeq = consoleSeq;
            RefusesCancel = refusesCancel;
        }

        public void RequestCancel() => CancelRequested = true;

        public void Disown() => IsDisowned = true;

        public void PassDeadline() => DeadlinePassed = true;

        public void Report(JobProgress progress) => Progress = progress;

        public void Keep(JsonObject memo) => Memo = memo;

        public void End(JobEnd end, JsonObject console)
        {
            State = end.State;
            // It becomes a member of job_status.
            Result = end.Result == null ? null : JsonWriter.WriteForMessage(end.Result, levelsAround: 1);
            Error = end.Error?.ToJson();
            Console = console;
            Progress = null;
            Memo = null;
        }

        /// <summary>A server asks how the job is.</summary>
        public void NoteAsked() => IsEndReported = IsEnded;

        public void DropResult()
        {
            ResultDropped = Result != null;
            Result = null;
        }

        /// <summary>For people: what came of it, with the first paths that a command has changed. Null before its
        /// end.</summary>
        public string EndInWords()
        {
            if (!IsEnded || Error != null)
            {
                return IsEnded ? State + ": " + Error.Text("message") : null;
            }
            JsonReader.TryRead(Result?.Length <= MostReadChars ? Result : "{}", out var read, out _);
            var value = (read as JsonObject)?.Object("value");
            var paths = new[] { "changed", "written" }.SelectMany(list => value?.Items(list) ?? new List<object>())
                .Select(entry => entry as string ?? (entry as JsonObject)?.Text("path")).Where(path => path != null)
                .Distinct().ToList();
            return State + (paths.Count == 0
                ? ""
                : ", changed " + string.Join(", ", paths.Take(MostPaths)) + (paths.Count > MostPaths ? ", ..." : ""));
        }

        /// <summary>Which job it is, for another one that waits for it or is refused because of it. A disowned one has
        /// no id (SPEC §17.4).</summary>
        public JsonObject Named()
        {
            var named = new JsonObject();
            if (!IsDisowned)
            {
                named["job_id"] = JobId;
            }
            named["tool"] = Request.ToolName;
            named.AddIfAny("name", Request.ToolName == "run_command" ? Request.Parameters.Text("name") : null);
            return named;
        }

        /// <summary>Its entry in <c>hello.jobs</c> while it has not ended (SPEC §15.9).</summary>
        public JsonObject Listed(long nowUtcMs)
        {
            var listed = Named();
            listed["state"] = State;
            listed.AddIfAny("step", Progress?.Step);
            listed["age_ms"] = Math.Max(0, nowUtcMs - AcceptedUtcMs);
            listed.AddIfAny("client", IsDisowned ? "untrusted" : Request.Client);
            return listed;
        }

        /// <summary>Who is in the way of another client (SPEC §15.8).</summary>
        public JsonObject HeldBy(long nowUtcMs)
        {
            var held = Named();
            held.Remove("job_id");
            held["client"] = Request.ClientName;
            held["since_ms"] = Math.Max(0, nowUtcMs - AcceptedUtcMs);
            return held;
        }

        // For whom a waiting job waits is known when it is asked for.
        private JsonObject WaitsFor(Job ahead) => ahead != null ? ahead.Named()
            : Progress?.WaitsFor != null ? new JsonObject { { "reason", Progress.WaitsFor } } : null;

        /// <summary>The members of <c>job_status</c> (SPEC §15.3).</summary>
        /// <param name="ahead">The job that comes first, while this one waits; null for none.</param>
        public JsonObject ToStatus(long nowUtcMs, long? stalledMs, Job ahead = null)
        {
            var progress = Progress?.ToJson(nowUtcMs, stalledMs);
            if (progress != null && State == JobState.Queued)
            {
                progress.AddIfAny("waits_for", WaitsFor(ahead));
            }
            var status = new JsonObject
            {
                { "job_id", JobId },
                { "tool_name", Request.ToolName },
                { "state", State },
                { "progress", progress },
                { "result", Result == null ? null : new RawJson(Result) },
            };
            status.AddIfAny("error", Error);
            status.AddIfAny("console", Console);
            status.AddIfAny("client", Request.Client);
            status.AddIfAny("client_request_id", Request.Key);
            if (!IsEnded)
            {
                status["remaining_ms"] = Math.Max(0, DeadlineUtcMs - nowUtcMs);
            }
            if (ResultDropped)
            {
                status["result_dropped"] = true;
            }
            return status;
        }

        /// <summary>A new record of the job without its result, which may be large and is written next to it
        /// unchanged.</summary>
        public JsonObject NextRecord()
        {
            Revision++;
            return new JsonObject
            {
                { "revision", Revision }, { "request", Request.ToJson() }, { "deadline", DeadlineUtcMs },
                { "state", State },
                { "cancel_requested", CancelRequested }, { "deadline_passed", DeadlinePassed },
                { "refuses_cancel", RefusesCancel }, { "memo", Memo },
                { "step", Progress?.Step }, { "since", Progress?.SinceUtcMs }, { "accepted", AcceptedUtcMs },
                { "console_seq", ConsoleSeq },
                { "error", Error }, { "console", Console }, { "result_dropped", ResultDropped },
                { "disowned", IsDisowned },
            };
        }

        public static Job FromRecord(JsonObject record, string result)
        {
            var step = record.Text("step");
            return new Job(JobRequest.FromJson(record.Object("request")), record.Integer("deadline") ?? 0)
            {
                Revision = record.Integer("revision") ?? 0,
                AcceptedUtcMs = record.Integer("accepted") ?? 0,
                State = record.Text("state"),
                CancelRequested = record.Is("cancel_requested"),
                DeadlinePassed = record.Is("deadline_passed"),
                RefusesCancel = record.Is("refuses_cancel"),
                Memo = record.Object("memo"),
                Progress = step == null ? null : JobProgress.At(step, record.Integer("since") ?? 0),
                ConsoleSeq = record.Integer("console_seq"),
                Error = record.Object("error"),
                Console = record.Object("console"),
                ResultDropped = record.Is("result_dropped"),
                IsDisowned = record.Is("disowned"),
                Result = result,
            };
        }
    }
}
