using System;
using System.Collections.Generic;
using UnityBridge.Connection;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Settings;
using UnityBridge.TestRuns;
using UnityBridge.Wire;

namespace UnityBridge
{
    /// <summary>
    /// The server's requests and who answers them. Runs on socket threads; all but the start of a test run is answered
    /// right here, so that a stuck main thread holds nothing up.
    /// </summary>
    internal sealed class RequestRouter
    {
        private delegate JsonObject Handler(string requestId, JsonObject message);

        private readonly ConsoleBuffer _console;
        private readonly JobLedger _ledger;
        private readonly TestRunQueue _testRuns;
        private readonly MainThread _mainThread;
        private readonly RecentRequests _recent;

        // A tool is added here: one line, one handler.
        private readonly Dictionary<string, Handler> _tools = new Dictionary<string, Handler>();

        public RequestRouter(
            ConsoleBuffer console, JobLedger ledger, TestRunQueue testRuns, MainThread mainThread, RecentRequests recent)
        {
            _console = console;
            _ledger = ledger;
            _testRuns = testRuns;
            _mainThread = mainThread;
            _recent = recent;
            _tools["read_console"] = (requestId, message) =>
                ReadConsole.Answer(_console, requestId, message.Object("params") ?? new JsonObject());
        }

        public void Handle(ServerSession session, JsonObject message)
        {
            var type = message.Text("type");
            var requestId = message.Text("request_id");
            if (string.IsNullOrEmpty(requestId))
            {
                session.Send(Error(null, ErrorCode.InvalidRequest, "The message needs a request_id."));
                return;
            }
            if (type == "submit_job")
            {
                _recent.Note("submit_job " + message.Text("tool_name"));
                SubmitJob(session, requestId, message);
                return;
            }
            session.Send(Answer(type, requestId, message));
        }

        private JsonObject Answer(string type, string requestId, JsonObject message)
        {
            switch (type)
            {
                case "execute":
                    _recent.Note("execute " + message.Text("tool_name"));
                    return Execute(requestId, message);
                case "get_job_status":
                    return GetJobStatus(requestId, message.Text("job_id"));
                case "cancel":
                    _recent.Note("cancel " + (message.Text("target_job_id") ?? message.Text("target_request_id")));
                    return Cancel(requestId, message.Text("target_job_id"), message.Text("target_request_id"));
                default:
                    return Error(requestId, ErrorCode.UnknownCommand, "This plugin does not know the message type '" + type + "'.");
            }
        }

        private JsonObject Execute(string requestId, JsonObject message)
        {
            Handler tool;
            var name = message.Text("tool_name") ?? "";
            if (!_tools.TryGetValue(name, out tool))
            {
                return Error(requestId, ErrorCode.UnknownCommand, "This plugin has no tool '" + name + "' to execute.");
            }
            try
            {
                return tool(requestId, message);
            }
            catch (Exception bug)
            {
                return Messages.ResultError(requestId, new Refusal(ErrorCode.UnityExecution, name + " failed: " + bug.Message));
            }
        }

        private void SubmitJob(ServerSession session, string requestId, JsonObject message)
        {
            var parameters = message.Object("params") ?? new JsonObject();
            var mode = parameters.Get("mode") ?? "all";
            var filter = parameters.Get("filter") ?? "";
            if (message.Text("tool_name") != "run_tests")
            {
                session.Send(Error(requestId, ErrorCode.UnknownCommand, "This plugin has no job tool '" + message.Text("tool_name") + "'."));
            }
            else if (!(mode.Equals("all") || mode.Equals(TestJob.Edit) || mode.Equals(TestJob.Play)))
            {
                session.Send(Error(requestId, ErrorCode.InvalidParams, "mode is all, edit or play."));
            }
            else if (!(filter is string))
            {
                session.Send(Error(requestId, ErrorCode.InvalidParams, "filter is a text."));
            }
            else
            {
                var job = NewJob(requestId, message, (string)mode, (string)filter);
                _ledger.Announce(job);
                _mainThread.Post(() => session.Send(_testRuns.Submit(job)));
            }
        }

        private static TestJob NewJob(string requestId, JsonObject message, string mode, string filter)
        {
            // The server's id is adopted; a server that sends none gets one (SPEC §5).
            var jobId = message.Text("job_id") ?? "job-" + Guid.NewGuid().ToString("N");
            var timeoutMs = message.Integer("timeout_ms") ?? 300000;
            return TestJob.Create(jobId, requestId, mode, filter, TestRunQueue.NowUtcMs() + timeoutMs);
        }

        private JsonObject GetJobStatus(string requestId, string jobId)
        {
            var status = jobId == null ? null : _ledger.Status(jobId);
            return status == null ? JobNotFound(requestId, jobId) : Messages.JobStatus(requestId, status);
        }

        private JsonObject Cancel(string requestId, string targetJobId, string targetRequestId)
        {
            if (targetJobId == null && targetRequestId == null)
            {
                return Error(requestId, ErrorCode.InvalidRequest, "A cancel names a target_job_id or a target_request_id.");
            }
            var status = _ledger.Cancel(targetJobId, targetRequestId);
            if (status != null)
            {
                _mainThread.Wake();
                return Messages.CancelResult(requestId, status);
            }
            // Requests that are no jobs are answered as they come: there is nothing left to cancel.
            return targetJobId == null ? Messages.CancelResult(requestId, "rejected") : JobNotFound(requestId, targetJobId);
        }

        private static JsonObject JobNotFound(string requestId, string jobId)
        {
            return Error(requestId, ErrorCode.JobNotFound, "This editor knows no job '" + jobId + "'. Start the tests again.");
        }

        private static JsonObject Error(string requestId, string code, string message)
        {
            return Messages.Error(requestId, new Refusal(code, message));
        }
    }
}
