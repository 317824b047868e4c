using System.Collections.Generic;
using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Wire
{
    /// <summary>The messages this side sends, protocol version 1 (SPEC §7).</summary>
    internal static class Messages
    {
        public const long ProtocolVersion = 1;

        /// <summary>The most UTF-8 bytes one message may have, in both directions.</summary>
        public const int MaxBytes = 1024 * 1024;

        /// <summary>What an answer's own content may take, so that the envelope always fits around it.</summary>
        public const int MaxContentBytes = 900 * 1000;

        /// <param name="tools">The names of all tools that this plugin carries out.</param>
        /// <param name="jobKeys">By job id: the client and its key (SPEC §15.7).</param>
        public static JsonObject Hello(EditorStateTracker state, EditorIdentity editor, IEnumerable<string> tools, IEnumerable<object> jobs, JsonObject jobKeys)
        {
            var message = Envelope("hello");
            message["plugin_version"] = PackageVersion.Current;
            message["state"] = state.State;
            message["editor_instance_id"] = editor.InstanceId;
            message["unity_version"] = editor.UnityVersion;
            message["project_name"] = editor.ProjectName;
            message["project_path"] = editor.ProjectPath;
            message["tools"] = tools;
            message["joins"] = Commands.JoinedCommands.Names;
            message["process_id"] = editor.ProcessId;
            message["jobs"] = jobs;
            message["job_keys"] = jobKeys;
            message["playing"] = state.IsPlaying;
            message["paused"] = state.IsPaused;
            AddCode(message, state.PendingReason);
            return message;
        }

        /// <param name="proof">Null but for once in a session (SPEC §17.1).</param>
        public static JsonObject EditorStatus(EditorStateTracker editor, long seq, string proof)
        {
            var message = Envelope("editor_status");
            message["state"] = editor.State;
            message["seq"] = seq;
            if (proof != null)
            {
                message["proof"] = proof;
            }
            return WithHealth(message, editor);
        }

        public static JsonObject Pong(EditorStateTracker editor, long seq)
        {
            var message = Envelope("pong");
            message["editor_state"] = editor.State;
            message["seq"] = seq;
            return WithHealth(message, editor);
        }

        public static JsonObject Result(string requestId, object content)
        {
            var message = Reply("result", requestId);
            message["status"] = "ok";
            message["result"] = content;
            return message;
        }

        /// <summary>The tool ran and failed; a tool that did not run is an <see cref="Error"/>.</summary>
        public static JsonObject ResultError(string requestId, Refusal failure)
        {
            var message = Reply("result", requestId);
            message["status"] = "error";
            message["error"] = failure.ToJson();
            return message;
        }

        public static JsonObject SubmitJobResult(string requestId, string jobId)
        {
            var message = Reply("submit_job_result", requestId);
            message["status"] = "accepted";
            message["job_id"] = jobId;
            return message;
        }

        /// <param name="status">The job's own members: job_id, state, progress, result, error.</param>
        public static JsonObject JobStatus(string requestId, JsonObject status)
        {
            var message = Reply("job_status", requestId);
            foreach (var member in status)
            {
                message[member.Key] = member.Value;
            }
            return message;
        }

        public static JsonObject CancelResult(string requestId, string status)
        {
            var message = Reply("cancel_result", requestId);
            message["status"] = status;
            return message;
        }

        public static JsonObject Error(string requestId, Refusal refusal)
        {
            var message = Reply("error", requestId);
            message["error"] = refusal.ToJson();
            return message;
        }

        private static JsonObject WithHealth(JsonObject message, EditorStateTracker editor)
        {
            message["playing"] = editor.IsPlaying;
            message["paused"] = editor.IsPaused;
            if (editor.Game is { } game)
            {
                message["game_time_s"] = game.TimeS;
                message["frame"] = game.Frame;
            }
            if (editor.StalledMs is { } stalledMs)
            {
                message["main_thread_stalled_ms"] = stalledMs;
            }
            message["compile_errors"] = editor.CompileErrors;
            AddCode(message, editor.PendingReason);
            return message;
        }

        private static void AddCode(JsonObject message, string pendingReason)
        {
            message["code"] = pendingReason == null ? "loaded" : "pending";
            if (pendingReason != null)
            {
                message["pending_reason"] = pendingReason;
            }
        }

        private static JsonObject Reply(string type, string requestId)
        {
            var message = Envelope(type);
            if (requestId != null)
            {
                message["request_id"] = requestId;
            }
            return message;
        }

        private static JsonObject Envelope(string type) => new JsonObject { { "type", type }, { "protocol_version", ProtocolVersion } };
    }

    /// <summary>Who this editor is; constant for the life of its process, the project's name aside.</summary>
    internal sealed class EditorIdentity
    {
        public EditorIdentity(string instanceId, string unityVersion, string projectName, string projectPath)
        {
            InstanceId = instanceId;
            UnityVersion = unityVersion;
            ProjectName = projectName;
            ProjectPath = projectPath;
        }

        /// <summary>The same for the whole life of one editor process, over domain reloads.</summary>
        public string InstanceId { get; }

        public string UnityVersion { get; }

        public string ProjectName { get; }

        public string ProjectPath { get; }

        /// <summary>By it a server on the same machine sees that this editor is gone (SPEC §5.6).</summary>
        public int ProcessId { get; } = CurrentProcessId();

        private static int CurrentProcessId()
        {
            using var process = System.Diagnostics.Process.GetCurrentProcess();
            return process.Id;
        }
    }
}
