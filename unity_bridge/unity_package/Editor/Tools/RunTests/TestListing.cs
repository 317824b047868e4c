using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>One page of the tests of the loaded code (SPEC §24.1). Main thread.</summary>
    /// <remarks>The framework answers in a later update, and builds the tree of tests over several. If that throws, it
    /// never answers (TestListJob, 1.1.31 to 1.4.6). It keeps the tree until the next reload (TestListCache), so a
    /// later page costs little.</remarks>
    internal sealed class TestListing : IJobRun, INeedsEveryUpdate
    {
        private const long TimeoutMs = 30000;
        private const int MostTests = 2000;
        private const int MostBytes = 300 * 1000;
        private const int EnvelopeBytes = 1000;
        private const int DigestShown = 16;

        private readonly ToolContext _context;
        private readonly TestFramework _framework;
        private readonly JsonObject _parameters;
        private readonly TestPlan _plan;
        private long? _startedMs;
        private JobEnd _end;

        private TestListing(ToolContext context, TestFramework framework, JsonObject parameters)
        {
            _context = context;
            _framework = framework;
            _parameters = parameters;
            _plan = TestPlan.FromParameters(parameters);
        }

        bool INeedsEveryUpdate.NeedsEveryUpdate => true;

        public static TestListing Begin(ToolContext context, TestFramework framework, JsonObject parameters)
        {
            var refusal = RunTests.NoRunYet(parameters);
            return refusal == null
                ? new TestListing(context, framework, parameters)
                : throw new CommandRefused(refusal);
        }

        public JobEnd Advance()
        {
            if (_startedMs == null)
            {
                _startedMs = _context.Ticks.Ms;
                ListNextPhase();
            }
            return _end ?? (_context.Ticks.Ms - _startedMs < TimeoutMs ? null : JobEnd.Failed(
                Refusal.NotExecuted("run_aborted",
                    "Unity's test framework did not list the project's tests. Look for its exceptions in the "
                    + "console.")));
        }

        public JsonObject Memo() => _parameters;

        private void ListNextPhase()
        {
            var phase = _plan.NextUnlisted(0);
            if (phase < 0)
            {
                var refusal = _plan.Resolve();
                _end = refusal == null ? Page() : JobEnd.Failed(refusal);
                return;
            }
            _framework.List(_plan.ModeOf(phase), root => Guard.Run(() =>
            {
                _plan.Take(phase, root);
                ListNextPhase();
            }));
        }

        private JobEnd Page()
        {
            var rows = new List<Row>();
            for (var phase = 0; phase < _plan.PhaseCount; phase++)
            {
                rows.AddRange(_plan.SelectionOf(phase)
                    .Tests.Select(entry => new Row(_plan.ModeOf(phase), entry.Test, entry.Categories)));
            }
            rows = Row.Distinct(rows);
            var digest = DigestOf(rows);
            if (!TryFindPlace(_parameters.Text("cursor"), digest, rows.Count, out var place))
            {
                return JobEnd.Failed(Refuse.Argument(
                    "cursor belongs to another list: the tests, mode or filter have changed. List them again without "
                    + "it.").Refusal);
            }
            var shown = new List<RawJson>();
            var mostBytes = Math.Min(_parameters.Integer("max_bytes") ?? MostBytes, MostBytes) - EnvelopeBytes;
            for (var bytes = 0; place < rows.Count && shown.Count < MostTests; place++)
            {
                var text = JsonWriter.Write(rows[place].ToJson());
                bytes += Unseen.BytesOf(text) + 1;
                if (bytes > mostBytes && shown.Count > 0)
                {
                    break;
                }
                shown.Add(new RawJson(text));
            }
            var value = new JsonObject { { "tests", shown }, { "total", rows.Count }, { "list_digest", digest } };
            if (place < rows.Count)
            {
                value["next_cursor"] = digest.Substring(0, DigestShown) + "." + place;
            }
            return JobEnd.Value(value);
        }

        private static bool TryFindPlace(string cursor, string digest, int count, out int place)
        {
            place = 0;
            if (string.IsNullOrEmpty(cursor))
            {
                return true;
            }
            var parts = cursor.Split('.');
            return parts.Length == 2 && parts[0] == digest.Substring(0, DigestShown)
                && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out place) && place <= count;
        }

        private static string DigestOf(List<Row> rows)
        {
            using var lines = new MemoryStream();
            foreach (var row in rows)
            {
                lines.Write(row.Line, 0, row.Line.Length);
                lines.WriteByte((byte)'\n');
            }
            var digest = Cryptography.Sha256(lines.ToArray());
            return Cryptography.Hex(digest, digest.Length);
        }

        /// <summary>One test of the list. Rows are sorted by the bytes of their lines, which is the order of code
        /// points.</summary>
        private sealed class Row
        {
            // What the framework gives a test without any (TestExtensions.GetAllCategoriesFromTest).
            private const string NoCategory = "Uncategorized";

            private readonly string _name;
            private readonly TestPlace _place;
            private readonly List<string> _categories;

            public Row(string mode, ITestAdaptor test, List<string> categories)
            {
                _name = test.FullName;
                _place = TestPlace.FromTest(mode, test);
                _categories = categories.Distinct().Where(category => category != NoCategory).ToList();
                Line = Encoding.UTF8.GetBytes(string.Join("\t", _place.Mode, _place.Assembly, _place.Fixture, _name));
            }

            public byte[] Line { get; }

            public List<object> ToJson() =>
                new List<object> { _name, _place.Mode, _place.Fixture, _place.Assembly, _categories };

            /// <summary>Sorted, each once: two fixtures of the same name are one to the framework's unique names
            /// too.</summary>
            public static List<Row> Distinct(List<Row> rows)
            {
                rows.Sort((one, other) => Compare(one.Line, other.Line));
                return rows.Where((row, i) => i == 0 || Compare(rows[i - 1].Line, row.Line) != 0).ToList();
            }

            private static int Compare(byte[] one, byte[] other)
            {
                for (var i = 0; i < one.Length && i < other.Length; i++)
                {
                    if (one[i] != other[i])
                    {
                        return one[i] - other[i];
                    }
                }
                return one.Length - other.Length;
            }
        }
    }
}
