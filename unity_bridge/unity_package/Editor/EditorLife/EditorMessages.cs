using System.Collections.Generic;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>The messages that say what this editor is and does (SPEC §7).</summary>
    internal static class EditorMessages
    {
        /// <param name="tools">The names of all tools that this plugin carries out.</param>
        /// <param name="joins">The commands whose equal calls may be taken for one (SPEC §15.7).</param>
        /// <param name="jobKeys">By job id: the client and its key (SPEC §15.7).</param>
        public static JsonObject Hello(
            EditorStateTracker state, EditorIdentity editor,
            IEnumerable<string> tools, IEnumerable<string> joins, IEnumerable<object> jobs,
            JsonObject jobKeys)
        {
            var message = new JsonObject(Messages.Envelope("hello"))
            {
                { "plugin_version", PackageVersion.Current }, { "state", state.State },
                { "editor_instance_id", editor.InstanceId }, { "unity_version", editor.UnityVersion },
                { "project_name", editor.ProjectName }, { "project_path", editor.ProjectPath },
                { "tools", tools }, { "joins", joins }, { "process_id", editor.ProcessId },
                { "jobs", jobs }, { "job_keys", jobKeys },
                { "playing", state.IsPlaying }, { "paused", state.IsPaused },
            };
            AddCode(message, state.PendingReason);
            return message;
        }

        /// <param name="proof">Null but for once in a session (SPEC §17.1).</param>
        /// <param name="isProven">Whether the server is this user's: files of the project are named to no
        /// other.</param>
        /// <param name="untrustedJobs">How many jobs of servers without proof have not ended (SPEC §15.9).</param>
        public static JsonObject EditorStatus(
            EditorStateTracker editor, long seq, string proof, bool isProven, int untrustedJobs)
        {
            var message = Health("editor_status", "state", editor, seq, isProven, untrustedJobs);
            message.AddIfAny("proof", proof);
            return message;
        }

        public static JsonObject Pong(EditorStateTracker editor, long seq, bool isProven, int untrustedJobs) =>
            Health("pong", "editor_state", editor, seq, isProven, untrustedJobs);

        private static JsonObject Health(string type, string stateMember, EditorStateTracker editor, long seq,
            bool isProven, int untrustedJobs)
        {
            var message = new JsonObject(Messages.Envelope(type))
            {
                { stateMember, editor.State }, { "seq", seq }, { "untrusted_jobs", untrustedJobs },
                { "playing", editor.IsPlaying }, { "paused", editor.IsPaused },
            };
            if (editor.Game is { } game)
            {
                message["game_time_s"] = game.TimeS;
                message["frame"] = game.Frame;
            }
            message.AddIfAny("main_thread_stalled_ms", editor.StalledMs);
            message["compile_errors"] = editor.CompileErrors;
            if (isProven && editor.KeptCopies.Count > 0)
            {
                message["kept_copies"] = editor.KeptCopies;
            }
            AddCode(message, editor.PendingReason);
            return message;
        }

        private static void AddCode(JsonObject message, string pendingReason)
        {
            message["code"] = pendingReason == null ? "loaded" : "pending";
            message.AddIfAny("pending_reason", pendingReason);
        }
    }
}
