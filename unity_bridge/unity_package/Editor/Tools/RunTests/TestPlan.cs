using System;
using System.Collections.Generic;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>Which tests a run runs, phase by phase: edit mode, play mode, or one after the other.</summary>
    internal sealed class TestPlan
    {
        public const string All = "all";
        public const string Edit = "edit";
        public const string Play = "play";

        private readonly string[] _phases;
        private readonly TestFilter[] _filters;
        private readonly TestSelection[] _selections;   // not kept over a reload: the next domain lists again
        private readonly long[] _planned;               // -1 until it is listed

        private TestPlan(List<string> phases, List<TestFilter> filters)
        {
            _phases = phases.ToArray();
            _filters = filters.ToArray();
            _selections = new TestSelection[_phases.Length];
            _planned = Array.ConvertAll(_phases, _ => -1L);
        }

        /// <summary>The plan for the arguments of a job; without a phase if <c>failed</c> finds nothing that failed.</summary>
        public static TestPlan Of(JsonObject parameters)
        {
            var mode = parameters.Text("mode") ?? All;
            var text = parameters.Text("filter") ?? "";
            var failures = text == LastFailures.Filter ? LastFailures.Find() : null;
            var phases = new List<string>();
            var filters = new List<TestFilter>();
            foreach (var phase in mode == All ? new[] { Edit, Play } : new[] { mode })
            {
                var filter = text == LastFailures.Filter ? LastFailures.FilterOf(failures, phase) : new TestFilter(text);
                if (filter != null)
                {
                    phases.Add(phase);
                    filters.Add(filter);
                }
            }
            return new TestPlan(phases, filters);
        }

        public int PhaseCount => _phases.Length;

        public string ModeOf(int phase) => _phases[phase];

        public TestFilter FilterOf(int phase) => _filters[phase];

        public TestSelection SelectionOf(int phase) => _selections[phase];

        public bool HasTests(int phase) => _planned[phase] > 0;

        public long Total
        {
            get
            {
                var total = 0L;
                foreach (var planned in _planned)
                {
                    total += Math.Max(0, planned);
                }
                return total;
            }
        }

        /// <summary>The first phase from the given one on whose tests are not known; -1 if there is none.</summary>
        public int NextUnlisted(int from) => Array.FindIndex(_selections, from, selection => selection == null);

        public void Take(int phase, TestSelection selection)
        {
            _selections[phase] = selection;
            _planned[phase] = selection.Count;
        }

        public long[] ToRecord() => _planned;

        public void Restore(List<object> planned)
        {
            for (var i = 0; planned != null && i < _planned.Length && i < planned.Count; i++)
            {
                _planned[i] = planned[i] is long count ? count : -1;
            }
        }
    }
}
