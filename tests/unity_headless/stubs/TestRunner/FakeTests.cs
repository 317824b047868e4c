using System;
using System.Collections.Generic;
using System.Globalization;

namespace UnityEditor.TestTools.TestRunner.Api
{
    /// <summary>A test or a suite of the pretended project, built from the host's lines
    /// <c>mode|full name|kind|duration ms|categories|message</c>.</summary>
    internal sealed class FakeTest : ITestAdaptor
    {
        public string Kind = "suite";
        public int DurationMs;
        public string Text = "";
        public readonly List<FakeTest> Below = new List<FakeTest>();

        public string Id { get { return UniqueName; } }
        public string Name { get; set; }
        public string FullName { get; set; }
        public int TestCaseCount { get { return IsSuite ? Below.Count : 1; } }
        public bool HasChildren { get { return Below.Count > 0; } }
        public bool IsSuite { get { return Kind == "suite"; } }
        public IEnumerable<ITestAdaptor> Children { get { return Below.ToArray(); } }
        public ITestAdaptor Parent { get; set; }
        public string[] Categories { get; set; }
        public RunState RunState { get { return Kind == "explicit" ? RunState.Explicit : RunState.Runnable; } }
        public string UniqueName { get { return "[Headless]" + (IsSuite ? "[suite]" : "") + FullName; } }
        public TestMode TestMode { get; set; }

        /// <summary>Project, then fixtures, then tests.</summary>
        public static FakeTest Tree(string[] lines, TestMode mode)
        {
            var root = new FakeTest { Name = "Headless", FullName = "Headless", Categories = new string[0], TestMode = mode };
            var fixtures = new Dictionary<string, FakeTest>();
            foreach (var line in lines)
            {
                var parts = line.Split('|');
                if ((parts[0] == "play") != (mode == TestMode.PlayMode)) continue;
                var dot = parts[1].Split('(')[0].LastIndexOf('.');
                var fixtureName = parts[1].Substring(0, dot);
                FakeTest fixture;
                if (!fixtures.TryGetValue(fixtureName, out fixture))
                {
                    fixture = new FakeTest { Name = fixtureName, FullName = fixtureName, Categories = new string[0], Parent = root, TestMode = mode };
                    fixtures[fixtureName] = fixture;
                    root.Below.Add(fixture);
                }
                fixture.Below.Add(new FakeTest
                {
                    Name = parts[1].Substring(dot + 1), FullName = parts[1], Parent = fixture, TestMode = mode, Kind = parts[2],
                    DurationMs = parts.Length > 3 && parts[3].Length > 0 ? int.Parse(parts[3], CultureInfo.InvariantCulture) : 0,
                    Categories = parts.Length > 4 && parts[4].Length > 0 ? parts[4].Split(',') : new string[0],
                    Text = parts.Length > 5 ? parts[5] : "",
                });
            }
            return root;
        }

        /// <summary>What a run with these names runs: an exact match of a test or of a suite above it.</summary>
        public List<FakeTest> Selected(string[] names)
        {
            var leaves = new List<FakeTest>();
            foreach (var fixture in Below)
            {
                foreach (var test in fixture.Below)
                {
                    var named = names != null && (Array.IndexOf(names, test.FullName) >= 0 || Array.IndexOf(names, fixture.FullName) >= 0);
                    if (named || (names == null && test.Kind != "explicit")) leaves.Add(test);
                }
            }
            return leaves;
        }
    }

    internal sealed class FakeResult : ITestResultAdaptor
    {
        private readonly List<FakeResult> _children = new List<FakeResult>();

        public FakeResult(FakeTest test)
        {
            Test = test;
            Duration = test.DurationMs / 1000.0;
            TestStatus = StatusOf(test.Kind);
            if (TestStatus == TestStatus.Failed)
            {
                Message = test.Text.Length > 0 ? test.Text : "  Expected: 1\n  But was:  2";
                StackTrace = "at " + test.FullName + " () [0x00001] in Assets/Tests.cs:12";
            }
        }

        public ITestAdaptor Test { get; private set; }
        public string Name { get { return Test.Name; } }
        public string FullName { get { return Test.FullName; } }
        public string ResultState { get { return TestStatus.ToString(); } }
        public TestStatus TestStatus { get; set; }
        public double Duration { get; set; }
        public string Message { get; set; }
        public string StackTrace { get; set; }
        public int PassCount { get { return Count(TestStatus.Passed); } }
        public int FailCount { get { return Count(TestStatus.Failed); } }
        public int SkipCount { get { return Count(TestStatus.Skipped); } }
        public int InconclusiveCount { get { return Count(TestStatus.Inconclusive); } }
        public bool HasChildren { get { return _children.Count > 0; } }
        public IEnumerable<ITestResultAdaptor> Children { get { return _children.ToArray(); } }

        public static FakeResult Tree(FakeTest root, HashSet<string> finished)
        {
            var result = new FakeResult(root) { TestStatus = TestStatus.Passed };
            foreach (var fixture in root.Below)
            {
                var below = new FakeResult(fixture) { TestStatus = TestStatus.Passed };
                foreach (var test in fixture.Below)
                {
                    if (finished.Contains(test.FullName)) below.Add(new FakeResult(test));
                    if (finished.Contains(test.FullName) && test.Kind == "teardownfail")
                    {
                        below.TestStatus = TestStatus.Failed;
                        below.Message = "TearDown : fixture broke";
                    }
                }
                if (below.HasChildren) result.Add(below);
            }
            return result;
        }

        private void Add(FakeResult child)
        {
            _children.Add(child);
            Duration += child.Duration;
            if (child.TestStatus == TestStatus.Failed)
            {
                TestStatus = TestStatus.Failed;
                Message = "One or more child tests had errors";
            }
        }

        private int Count(TestStatus status)
        {
            var count = !Test.IsSuite && TestStatus == status ? 1 : 0;
            foreach (var child in _children) count += child.Count(status);
            return count;
        }

        private static TestStatus StatusOf(string kind)
        {
            return kind == "fail" ? TestStatus.Failed
                : kind == "skip" ? TestStatus.Skipped
                : kind == "inconclusive" ? TestStatus.Inconclusive
                : TestStatus.Passed;
        }
    }
}
