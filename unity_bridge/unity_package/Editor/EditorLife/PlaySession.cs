using UnityEditor;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>Which client has the editor in play mode, over the reloads of that change (SPEC §15.8). Main
    /// thread.</summary>
    internal static class PlaySession
    {
        private const string Key = "UnityBridge.play_session";

        /// <summary>A client enters play mode.</summary>
        public static void Begin(JobRequest request) => SavedState.Write(Key, new JsonObject
        {
            { "id", request.Client }, { "client", request.ClientName }, { "since", Clock.UtcMs },
        });

        /// <summary>The editor is back in edit mode, by a client or a person.</summary>
        public static void End() => SessionState.EraseString(Key);

        /// <summary>Why the job whose step this is has to wait for another client's play session; null if a person or
        /// the client itself plays.</summary>
        public static Refusal WhyNot(string what)
        {
            var session = SavedState.Read(Key);
            if (session == null || JobQueue.Current == null
                || session.Text("id") == JobQueue.Current.Request.Client)
            {
                return null;
            }
            var since = System.Math.Max(0, Clock.UtcMs - (session.Integer("since") ?? 0));
            var name = session.Text("client") is { Length: > 0 } client
                ? "Another client (" + client + ")"
                : "Another client";
            var refusal = Refusal.NotExecuted(
                "playing", name + " has the editor in play mode. Wait until it has left play mode, then " + what
                + " again.");
            refusal.Details["held_by"] =
                new JsonObject { { "client", session.Text("client") }, { "tool", "play_mode" }, { "since_ms", since } };
            return refusal;
        }
    }
}
