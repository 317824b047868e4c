using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEditor;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Settings
{
    /// <summary>The last calls of this editor session for the settings page: when, whose, what, what came of it. Any
    /// thread. What clients and the project named is quoted.</summary>
    internal sealed class RecentCalls
    {
        public const int Kept = 50;

        private const string SessionKey = "UnityBridge.calls";

        private readonly object _lock = new object();
        private readonly List<JsonObject> _calls = new List<JsonObject>(); // guarded by _lock, oldest first

        /// <summary>What came of the job with an id; null while it has not ended.</summary>
        public Func<string, string> EndOf { get; set; }

        /// <summary>Notes a call, an <c>execute</c> or a <c>submit_job</c>; one that is submitted again stays
        /// one.</summary>
        public JsonObject Note(JsonObject message, bool isProven)
        {
            var named = message.Text("tool_name") == "run_command" ? message.Object("params")?.Text("name") : null;
            var call = new JsonObject
            {
                { "at", Clock.UtcMs }, { "client",
                    Quoted.Text(isProven ? message.Object("client")?.Text("name") ?? "unknown" : "untrusted") },
                { "call", Quoted.Text(message.Text("tool_name"))
                    + (string.IsNullOrEmpty(named) ? "" : " " + Quoted.Text(named)) },
                    { "job", message.Text("job_id") },
            };
            lock (_lock)
            {
                if (_calls.Find(known => known.Text("job") is { } job && job == call.Text("job")) is { } again)
                {
                    return again;
                }
                _calls.Add(call);
                _calls.RemoveRange(0, Math.Max(0, _calls.Count - Kept));
                return call;
            }
        }

        public void End(JsonObject call, string outcome)
        {
            lock (_lock)
            {
                call["outcome"] = Quoted.Text(outcome);
            }
        }

        /// <summary>Main thread, before a reload.</summary>
        public void Leave()
        {
            lock (_lock)
            {
                NoteEnds();
                SessionState.SetString(SessionKey, JsonWriter.Write(_calls));
            }
        }

        /// <summary>Main thread, once. A read that went with its domain has no outcome.</summary>
        public void Load()
        {
            JsonReader.TryRead(SessionState.GetString(SessionKey, "[]"), out var saved, out _);
            lock (_lock)
            {
                _calls.InsertRange(0, ((saved as List<object>) ?? new List<object>()).OfType<JsonObject>());
            }
        }

        /// <summary>One line each, the newest first.</summary>
        public string[] Newest()
        {
            lock (_lock)
            {
                NoteEnds();
                return _calls.AsEnumerable().Reverse().Select(Line).ToArray();
            }
        }

        private void NoteEnds()
        {
            foreach (var call in _calls.Where(call => call.Text("outcome") == null && call.Text("job") != null))
            {
                call["outcome"] = EndOf(call.Text("job")) is { } outcome ? Quoted.Text(outcome) : null;
            }
        }

        // The local time is found here, when a person looks: the first one in a domain is expensive.
        private static string Line(JsonObject call) =>
            DateTimeOffset.FromUnixTimeMilliseconds(call.Integer("at") ?? 0).ToLocalTime()
            .ToString("HH:mm:ss", CultureInfo.InvariantCulture) + "  " + call.Text("client") + "  " + call.Text("call")
            + "  " + (call.Text("outcome") ?? "...");
    }
}
