using System.Collections.Generic;
using UnityEditor;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>The tests that failed in the last run this editor made, for <c>filter: "failed"</c>. Main thread.</summary>
    internal static class LastFailures
    {
        /// <summary>The argument that asks for them.</summary>
        public const string Filter = "failed";

        private const string SessionKey = "UnityBridge.last_failures";

        /// <summary>Null where no run is known.</summary>
        public static JsonObject Find() =>
            JsonReader.TryRead(SessionState.GetString(SessionKey, ""), out var saved, out _) ? saved as JsonObject : null;

        /// <summary>The filter for one phase of it; null where nothing failed there.</summary>
        public static TestFilter FilterOf(JsonObject failures, string phase)
        {
            var names = failures?.Array(phase);
            return names == null || names.Count == 0 ? null : new TestFilter(names.ConvertAll(name => (string)name));
        }

        public static void Keep(TestPlan plan, TestOutcomes outcomes)
        {
            var failures = new JsonObject();
            for (var phase = 0; phase < plan.PhaseCount; phase++)
            {
                failures[plan.ModeOf(phase)] = outcomes.FailedIn(phase);
            }
            SessionState.SetString(SessionKey, JsonWriter.Write(failures));
        }
    }
}
