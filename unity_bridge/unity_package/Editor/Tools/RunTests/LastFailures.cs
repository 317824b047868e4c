using System;
using System.Collections.Generic;
using System.Globalization;
using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>The tests whose newest result in this editor is a failure, for <c>filter: "failed"</c>. Main
    /// thread.</summary>
    internal static class LastFailures
    {
        /// <summary>The argument that asks for them.</summary>
        public const string Filter = "failed";

        private const string SessionKey = "UnityBridge.last_failures";
        private const int MostKept = 2000;
        private const int HashDigits = 8;

        /// <summary>Null where no run is known.</summary>
        public static JsonObject Find() => SavedState.Read(SessionKey);

        /// <summary>The filter for one phase of it; null where nothing failed there.</summary>
        public static TestFilter FilterOf(JsonObject failures, string phase)
        {
            var names = failures?.Array(phase);
            return names == null || names.Count == 0 ? null : new TestFilter(names.ConvertAll(name => (string)name));
        }

        /// <summary>For a run that had nothing to run.</summary>
        public static string Remark()
        {
            var known = Find();
            return "No test failed last time: the newest run ended at " + known?.Text("at") + ", and "
                + (known?.Text("tested") ?? "").Length / HashDigits + " tests have a result.";
        }

        /// <param name="isOfAll">Each failure that is known was to run: one that did not is no longer in the
        /// code.</param>
        public static void Keep(TestPlan plan, TestOutcomes outcomes, bool isOfAll)
        {
            var known = Find() ?? new JsonObject();
            var tested = new HashSet<string>();
            var before = known.Text("tested") ?? "";
            for (var place = 0; place < before.Length; place += HashDigits)
            {
                tested.Add(before.Substring(place, HashDigits));
            }
            for (var phase = 0; phase < plan.PhaseCount; phase++)
            {
                var mode = plan.ModeOf(phase);
                var ran = new HashSet<string>(outcomes.NamesIn(phase));
                var failed = outcomes.FailedIn(phase);
                foreach (var name in isOfAll ? new List<object>() : known.Items(mode))
                {
                    if (!ran.Contains((string)name))
                    {
                        failed.Add((string)name);
                    }
                }
                known[mode] = failed.GetRange(0, Math.Min(failed.Count, MostKept));
                foreach (var name in ran)
                {
                    tested.Add(HashOf(mode + name));
                }
            }
            known["at"] = DateTime.UtcNow.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
            known["tested"] = string.Concat(tested);
            SavedState.Write(SessionKey, known);
        }

        // FNV-1a: the hash of .NET differs from one domain to the next.
        private static string HashOf(string text)
        {
            var hash = 2166136261u;
            foreach (var c in text)
            {
                hash = unchecked((hash ^ c) * 16777619u);
            }
            return hash.ToString("X8", CultureInfo.InvariantCulture);
        }
    }
}
