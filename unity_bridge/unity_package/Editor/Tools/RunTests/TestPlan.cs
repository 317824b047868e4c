using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>Which tests a run runs, phase by phase: edit mode, play mode, or one after the other.</summary>
    internal sealed class TestPlan
    {
        public const string All = "all";
        public const string Edit = "edit";
        public const string Play = "play";

        // A filter may have thousands of parts, and an agent reads the first ones.
        private const int MostUnmatched = 50;
        private const int MostWithNearest = 10;
        private const int LongestShown = 256;

        private readonly string[] _phases;
        private readonly TestFilter[] _filters;
        private readonly TestSelection[] _selections;   // not kept over a reload: the next domain lists again
        private readonly ITestAdaptor[] _roots;
        private readonly long[] _planned;               // -1 until it is listed
        private readonly Dictionary<TestPlace, bool> _fixtures;     // null for all; whether a test of it is selected
        // the caller wrote the filter, and no part of it may match nothing
        private bool _isWritten;

        private TestPlan(List<string> phases, List<TestFilter> filters, List<TestPlace> fixtures)
        {
            _fixtures = fixtures?.Distinct().ToDictionary(fixture => fixture, _ => false);
            _phases = phases.ToArray();
            _filters = filters.ToArray();
            _selections = new TestSelection[_phases.Length];
            _roots = new ITestAdaptor[_phases.Length];
            _planned = Array.ConvertAll(_phases, _ => -1L);
        }

        /// <summary>The plan for the arguments of a job; without a phase if <c>failed</c> finds nothing that
        /// failed.</summary>
        public static TestPlan FromParameters(JsonObject parameters)
        {
            var mode = parameters.Text("mode") ?? All;
            var text = parameters.Text("filter") ?? "";
            var failures = text == LastFailures.Filter ? LastFailures.Find() : null;
            var phases = new List<string>();
            var filters = new List<TestFilter>();
            // One for all phases: a part may find its tests in either.
            var common = new TestFilter(text);
            foreach (var phase in mode == All ? new[] { Edit, Play } : new[] { mode })
            {
                var filter = text == LastFailures.Filter ? LastFailures.FilterOf(failures, phase) : common;
                if (filter != null)
                {
                    phases.Add(phase);
                    filters.Add(filter);
                }
            }
            return new TestPlan(phases, filters, FixturesOf(parameters)) { _isWritten = text != LastFailures.Filter };
        }

        /// <summary>Whether a value of <c>fixtures</c> is one.</summary>
        public static bool AreFixtures(object value) => value == null
            || (value is List<object> fixtures
                && fixtures.TrueForAll(fixture =>
                    fixture is List<object> { Count: 3 } parts && parts.TrueForAll(part => part is string)));

        /// <summary>What parts of the filter were taken for, a sentence each.</summary>
        public List<string> Remarks { get; private set; } = new List<string>();

        public int PhaseCount => _phases.Length;

        public string ModeOf(int phase) => _phases[phase];

        public TestSelection SelectionOf(int phase) => _selections[phase];

        public bool HasTests(int phase) => _planned[phase] > 0;

        public long Total => _planned.Sum(planned => Math.Max(0, planned));

        /// <summary>Whether a test of this place is one of the run's. The framework knows no assemblies in the names
        /// that it is given, so it runs a test of the same name in another assembly too.</summary>
        public bool Includes(TestPlace place) => _fixtures == null || _fixtures.ContainsKey(place);

        /// <summary>The first phase from the given one on whose tests are not known; -1 if there is none.</summary>
        public int NextUnlisted(int from) => Array.FindIndex(_selections, from, selection => selection == null);

        /// <param name="root">What the framework listed for a phase.</param>
        public void Take(int phase, ITestAdaptor root)
        {
            _roots[phase] = root;
            _selections[phase] = _filters[phase].Select(
                root, _fixtures == null ? (Predicate<ITestAdaptor>)null : test => IsOfAFixture(_phases[phase], test));
            _planned[phase] = _selections[phase].Count;
        }

        /// <summary>Once all phases are listed, and before the first one runs: replaces the parts of the filter that
        /// are short names, and says why nothing may run if a part matches nothing.</summary>
        public Refusal Resolve()
        {
            var roots = _roots.ToArray();
            Array.Clear(_roots, 0, _roots.Length);
            var absent = _fixtures?.Where(fixture => !fixture.Value).Select(fixture => fixture.Key.ToString()).ToList()
                ?? new List<string>();
            if (absent.Count > 0)
            {
                return NoSuchFixtures(absent);
            }
            var unmatched = _isWritten
                ? _filters[0].Parts.Where(part => !_filters[0].HasUsed(part)).Distinct().ToList()
                : new List<string>();
            if (unmatched.Count == 0)
            {
                return null;
            }
            var names = new TestNames(roots);
            var meanings = unmatched.ToDictionary(part => part, names.Meanings);
            // What is called just so has selected nothing: all that is below it is explicit.
            var nothing = unmatched.Where(part => meanings[part].Count != 1 || meanings[part][0] == part).ToList();
            if (nothing.Count > 0)
            {
                return NoTestsMatched(nothing, meanings, names);
            }
            Remarks = unmatched.ConvertAll(
                part => "The filter '" + part + "' was taken for '" + meanings[part][0] + "'.");
            Use(_filters[0].Parts.SelectMany(
                part => meanings.TryGetValue(part, out var full) ? names.TermsOf(full[0]) : new[] { part }).ToList());
            for (var phase = 0; phase < _phases.Length; phase++)
            {
                Take(phase, roots[phase]);
            }
            Array.Clear(_roots, 0, _roots.Length);
            nothing = unmatched.Where(part => !names.TermsOf(meanings[part][0]).Any(_filters[0].HasUsed)).ToList();
            return nothing.Count == 0 ? null : NoTestsMatched(nothing, meanings, names);
        }

        public JsonObject ToRecord() => new JsonObject
        {
            { "counts", _planned },
            { "terms", Remarks.Count > 0 ? _filters[0].Parts : null },
            { "remarks", Remarks.Count > 0 ? Remarks : null },
        };

        public void Restore(JsonObject record)
        {
            var planned = record?.Array("counts");
            for (var i = 0; planned != null && i < _planned.Length && i < planned.Count; i++)
            {
                _planned[i] = planned[i] is long count ? count : -1;
            }
            if (record?.Array("terms") is { } terms)
            {
                Use(terms.OfType<string>().ToList());
                Remarks = record.Array("remarks")?.OfType<string>().ToList() ?? new List<string>();
            }
        }

        private void Use(List<string> terms)
        {
            var filter = new TestFilter(terms);
            for (var phase = 0; phase < _filters.Length; phase++)
            {
                _filters[phase] = filter;
            }
        }

        private bool IsOfAFixture(string mode, ITestAdaptor test)
        {
            var place = TestPlace.FromTest(mode, test);
            var isOne = _fixtures.ContainsKey(place);
            if (isOne)
            {
                _fixtures[place] = true;
            }
            return isOne;
        }

        private static List<TestPlace> FixturesOf(JsonObject parameters) => parameters.Array("fixtures")
            ?.ConvertAll(fixture => (List<object>)fixture)
            .ConvertAll(parts => new TestPlace((string)parts[0], (string)parts[1], (string)parts[2]));

        // The client that chose them had another list of tests, and would take the rest for all of it.
        private static Refusal NoSuchFixtures(List<string> absent) => Refusal
            .NotExecuted("no_tests_matched",
                "These fixtures have no test that would run: "
                + string.Join(", ", absent.Take(MostWithNearest).Select(Shown))
                + ". Nothing was run. List the tests again with list_tests.")
            .With("unmatched", absent.Take(MostUnmatched).Select(Shown));

        private static Refusal NoTestsMatched(
            List<string> parts, Dictionary<string, List<string>> meanings, TestNames names)
        {
            var nearest = new JsonObject();
            var said = new StringBuilder();
            foreach (var part in parts.Take(MostWithNearest))
            {
                var like = meanings[part].Count > 1
                    ? meanings[part].Take(TestNames.NearestShown).ToList()
                    : names.Nearest(part);
                nearest[Shown(part)] = like;
                said.Append("No test matches '").Append(Shown(part))
                    .Append(like.Count > 0 ? "'; the nearest are " : "'").Append(string.Join(", ", like)).Append(". ");
            }
            var refusal = Refusal.NotExecuted(
                "no_tests_matched", said + "Nothing was run. Correct the filter, or leave it out to run all tests.")
                .With("unmatched", parts.Take(MostUnmatched).Select(Shown));
            refusal.Details["nearest"] = nearest;
            return refusal;
        }

        private static string Shown(string part) => Cut.To(part, LongestShown);
    }
}
