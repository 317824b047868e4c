using System;
using System.Collections.Concurrent;
using UnityBridge.Connection;
using UnityBridge.EditorLife;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Settings;
using UnityBridge.Tools;
using UnityBridge.Trust;
using UnityBridge.Wire;

namespace UnityBridge.Startup
{
    /// <summary>
    /// The server's requests and who answers them. Runs on socket threads and waits for nobody: a job is accepted and
    /// written down right here, so that a stuck main thread holds nothing up.
    /// </summary>
    internal sealed class RequestRouter
    {
        private readonly ToolList _tools;
        private readonly JobLedger _ledger;
        private readonly MainThread _mainThread;
        private readonly RecentCalls _recent;
        private readonly RunningGame _game;
        private readonly ConcurrentDictionary<string, ToolCall> _reads = new ConcurrentDictionary<string, ToolCall>();

        public RequestRouter(ToolList tools, JobLedger ledger, MainThread mainThread, RecentCalls recent,
            RunningGame game)
        {
            _tools = tools;
            _ledger = ledger;
            _mainThread = mainThread;
            _recent = recent;
            _game = game;
        }

        public void Handle(ServerSession session, JsonObject message)
        {
            var type = message.Text("type");
            var requestId = message.Text("request_id");
            if (session.Trust.IsProven && type is "execute" or "submit_job" or "cancel")
            {
                _game.NoteRequest();
            }
            if (type is not ("execute" or "submit_job" or "get_job_status" or "cancel"))
            {
                session.Send(Error(requestId, ErrorCode.UnknownCommand,
                    "This plugin does not know the message type '" + Quoted.Text(type) + "'."));
            }
            else if (string.IsNullOrEmpty(requestId))
            {
                session.Send(Error(null, ErrorCode.InvalidRequest, "The message needs a request_id."));
            }
            else if (type == "execute")
            {
                Execute(session, requestId, message);
            }
            else
            {
                session.Send(Answer(session, type, requestId, message));
            }
        }

        /// <summary>Any thread, now and then: refuses reads that a stalled editor does not begin.</summary>
        public void Watch()
        {
            foreach (var read in _reads)
            {
                read.Value.Watch();
            }
        }

        private JsonObject Answer(ServerSession session, string type, string requestId, JsonObject message)
        {
            switch (type)
            {
                case "submit_job":
                    var call = _recent.Note(message, session.Trust.IsProven);
                    var answer = SubmitJob(session, requestId, message);
                    if (answer.Object("error") is { } error)
                    {
                        _recent.End(call, error.Text("code") + ": " + error.Text("message"));
                    }
                    return answer;
                case "cancel":
                    return Cancel(session, requestId, message.Text("target_job_id"), message.Text("target_request_id"));
                default:
                    return GetJobStatus(session, requestId, message.Text("job_id"));
            }
        }

        private void Execute(ServerSession session, string requestId, JsonObject message)
        {
            var name = message.Text("tool_name");
            var noted = _recent.Note(message, session.Trust.IsProven);
            var tool = _tools.FindRead(name);
            var refusal = tool == null
                ? new Refusal(ErrorCode.UnknownCommand,
                    "This plugin has no tool '" + Quoted.Text(name) + "' to execute.")
                : Untrusted(session, name, message.Object("params"));
            if (refusal != null)
            {
                _recent.End(noted, refusal.ToString());
                session.Send(Messages.Error(requestId, refusal));
                return;
            }
            var call = new ToolCall(session, requestId, message, outcome =>
            {
                _reads.TryRemove(requestId, out _);
                _recent.End(noted, outcome);
            });
            _reads[requestId] = call;
            try
            {
                tool.Execute(call);
            }
            catch (Exception bug)
            {
                call.Fail(bug);
            }
        }

        // The job is on disk before the answer is sent. Whether the editor can do it is checked when its turn comes.
        private JsonObject SubmitJob(ServerSession session, string requestId, JsonObject message)
        {
            var kind = _tools.FindJob(message.Text("tool_name"));
            if (kind == null)
            {
                return Error(requestId, ErrorCode.UnknownCommand,
                    "This plugin has no job tool '" + Quoted.Text(message.Text("tool_name")) + "'.");
            }
            if (Untrusted(session, kind.ToolName, message.Object("params")) is { } untrusted)
            {
                return Messages.Error(requestId, untrusted);
            }
            var request = JobRequest.Read(
                requestId, message, !session.Trust.IsProven, out var timeoutMs, out var refusal);
            if (request == null)
            {
                return Messages.Error(requestId, refusal);
            }
            var fault = kind.FaultIn(request.Parameters);
            if (fault != null)
            {
                return Error(requestId, ErrorCode.InvalidParams, fault);
            }
            if (!_ledger.Accept(new Job(request, Clock.UtcMs + timeoutMs)))
            {
                return Error(requestId, ErrorCode.QueueFull,
                    "Too many jobs wait in this editor. Wait for some to end.");
            }
            _mainThread.Wake();
            return Messages.SubmitJobResult(requestId, request.JobId);
        }

        // Null if the server may ask for it. The refusal does not reveal the user's folders.
        private static Refusal Untrusted(ServerSession session, string tool, JsonObject parameters) =>
            session.Trust.IsProven || BeforeProof.WhatIsClosed(tool, parameters) is not { } closed
            ? null
            : Untrusted(closed);

        private static Refusal Untrusted(string closed) =>
            Refusal.NotExecuted("untrusted", "The server has not proved that it runs as this editor's user, so "
            + closed + " is closed to it. In Unity, Project Settings > Unity Bridge says why and what to do.");

        // The jobs of other servers are in our hello, and what came of them is nobody's who has proved nothing.
        private Refusal UntrustedForJob(ServerSession session, string jobId, string submittedBy) =>
            session.Trust.IsProven || _ledger.IsUntrusted(jobId, submittedBy) is not false
            ? null
            : Untrusted("this job");

        private JsonObject GetJobStatus(ServerSession session, string requestId, string jobId)
        {
            if (UntrustedForJob(session, jobId, null) is { } untrusted)
            {
                return Messages.Error(requestId, untrusted);
            }
            var status = jobId == null ? null : _ledger.Status(jobId);
            return status == null ? JobNotFound(requestId, jobId) : Messages.JobStatus(requestId, status);
        }

        private JsonObject Cancel(ServerSession session, string requestId, string targetJobId, string targetRequestId)
        {
            if (targetJobId == null && targetRequestId == null)
            {
                return Error(requestId, ErrorCode.InvalidRequest,
                    "A cancel names a target_job_id or a target_request_id.");
            }
            if (UntrustedForJob(session, targetJobId, targetRequestId) is { } untrusted)
            {
                return Messages.Error(requestId, untrusted);
            }
            var status = _ledger.Cancel(targetJobId, targetRequestId);
            if (status != null)
            {
                _mainThread.Wake();
                return Messages.CancelResult(requestId, status);
            }
            if (targetJobId == null && _reads.TryRemove(targetRequestId, out var read))
            {
                read.Drop();
                return Messages.CancelResult(requestId, "cancel_requested");
            }
            // What is neither a job nor a read under way was answered: there is nothing left to cancel.
            return targetJobId == null
                ? Messages.CancelResult(requestId, "rejected")
                : JobNotFound(requestId, targetJobId);
        }

        private static JsonObject JobNotFound(string requestId, string jobId) =>
            Error(requestId, ErrorCode.JobNotFound,
                "This editor knows no job '" + Quoted.Text(jobId) + "'. Call the tool again.");

        private static JsonObject Error(string requestId, string code, string message) =>
            Messages.Error(requestId, new Refusal(code, message));
    }
}
