using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEngine;

namespace UnityEditor.TestTools.TestRunner.Api
{
    /// <summary>A test or a suite of the pretended project, built from the host's lines
    /// <c>mode|full name|kind|duration ms|categories|message|fixture|method|assembly</c>. The fixture is named where it
    /// has arguments, or where the name of the test has a dot; the method where its cases are below a suite of their
    /// own (NUnit's ParameterizedMethodSuite).</summary>
    internal sealed class FakeTest : ITestAdaptor
    {
        public string Kind = "suite";
        public bool IsExplicit;
        /// <summary>A suite that fails in its tear-down.</summary>
        public bool Breaks;
        /// <summary>Of the run that is under way: an explicit test that it does not name.</summary>
        public bool IsLeftOut;
        public int DurationMs;
        /// <summary>A test of the project's own scripts, which is carried out.</summary>
        public bool IsCall;
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
        public RunState RunState { get { return IsExplicit ? RunState.Explicit : RunState.Runnable; } }
        public bool IsTestAssembly { get { return Kind == "suite" && Name.EndsWith(".dll"); } }
        public int TestCaseTimeout { get { return 180000; } }
        public object[] Arguments { get { return null; } }
        public string Description { get { return null; } }
        public string SkipReason { get { return null; } }
        public string ParentId { get { return Parent == null ? null : Parent.Id; } }
        public string ParentFullName { get { return Parent == null ? null : Parent.FullName; } }
        public string ParentUniqueName { get { return Parent == null ? null : Parent.UniqueName; } }
        public int ChildIndex { get { return -1; } }
        /// <summary>As NUnitExtensions/TestExtensions.GetUniqueName, 1.1.31 to 2.0.1: the names above but the
        /// project's, then the assembly and the full name without the number of a generated case, which comes
        /// behind.</summary>
        public string UniqueName
        {
            get
            {
                var path = "";
                var dll = IsTestAssembly ? Name : "";
                for (var above = (FakeTest)Parent; above != null && above.Parent != null;
                    above = (FakeTest)above.Parent)
                {
                    path = above.Name + "/" + path;
                    dll = above.Name;
                }
                if (dll.Length == 0 || IsTestAssembly) return path + "[" + Name + "]" + "[suite]";
                var number = System.Text.RegularExpressions.Regex.Match(FullName, @" GeneratedTestCase(\d+)\)?$")
                    .Groups[1].Value;
                return path + "[" + dll.Replace(".dll", "") + "][" + (IsSuite ? FullName : FilterName) + "]" + number
                    + (IsSuite ? "[suite]" : "");
            }
        }
        public TestMode TestMode { get; set; }

        /// <summary>What the framework's filters compare: they know neither the number that the list of tests puts into
        /// the name of a generated case (TestAdaptor, TestExtensions.GetFullName), nor the path of an assembly
        /// (GetFullNameWithoutDllPath).</summary>
        public string FilterName { get; private set; }

        private static readonly Dictionary<TestMode, FakeTest> Trees = new Dictionary<TestMode, FakeTest>();
        private static int _version = -1;

        /// <summary>Project, assemblies, namespaces, fixtures, tests. The package's own tests are in an assembly of
        /// their own.</summary>
        public static FakeTest Tree(TestMode mode)
        {
            if (_version != Native.Editor.TestsVersion)
            {
                Trees.Clear();
                _version = Native.Editor.TestsVersion;
            }
            FakeTest tree;
            if (!Trees.TryGetValue(mode, out tree)) Trees[mode] = tree = Build(Native.Editor.Tests(), mode);
            return tree;
        }

        public IEnumerable<FakeTest> Leaves()
        {
            return IsSuite ? Below.SelectMany(child => child.Leaves()) : new[] { this };
        }

        private static FakeTest Build(string[] lines, TestMode mode)
        {
            var root = Suite("Headless", "Headless", null, mode);
            root.FilterName = "";
            var suites = new Dictionary<string, FakeTest>();
            foreach (var line in lines)
            {
                var parts = line.Split('|');
                if ((parts[0] == "play") != (mode == TestMode.PlayMode)) continue;
                var dll = parts.Length > 8
                    ? parts[8] + ".dll"
                    : parts[1].StartsWith("UnityBridge.Tests.")
                    ? "UnityBridge.Editor.Tests.dll"
                    : "Game.Tests.dll";
                var above = Find(suites, dll, dll, root, mode, "/project/Library/ScriptAssemblies/" + dll);
                var fixture = parts[1].Split('(')[0];
                fixture = parts.Length > 6 && parts[6].Length > 0
                    ? parts[6]
                    : fixture.Substring(0, fixture.LastIndexOf('.'));
                for (var dot = fixture.IndexOf('.'); dot >= 0 && dot < (fixture + "(").IndexOf('(');
                    dot = fixture.IndexOf('.', dot + 1))
                {
                    above = Find(suites, dll, fixture.Substring(0, dot), above, mode, fixture.Substring(0, dot));
                }
                if (parts[2] == "namespacefail")
                {
                    // The suite of a namespace with a [SetUpFixture] is called as that is.
                    above.FullName = above.FilterName = above.FullName + ".Setup";
                    above.Breaks = true;
                }
                above = Find(suites, dll, fixture, above, mode, fixture);
                above.IsExplicit |= parts[2] == "explicitfixture";
                above.Breaks |= parts[2] == "teardownfail";
                if (parts.Length > 7 && parts[7].Length > 0)
                {
                    above = Find(suites, dll, fixture + "." + parts[7], above, mode, fixture + "." + parts[7]);
                }
                above.Below.Add(new FakeTest
                {
                    Name = parts[1].Substring(fixture.Length + 1), FullName = parts[1], Parent = above, TestMode =
                        mode, Kind = parts[2],
                    IsExplicit = parts[2] == "explicit",
                    FilterName = System.Text.RegularExpressions.Regex.Replace(
                        parts[1], @" GeneratedTestCase\d+(?=\)?$)", ""),
                    // As NUnitExtensions/TestExtensions.GetAllCategoriesFromTest, 1.4.6 to 1.8.0.
                    DurationMs = parts.Length > 3 && parts[3].Length > 0
                    ? int.Parse(parts[3], CultureInfo.InvariantCulture)
                    : 0,
                    Categories = parts.Length > 4 && parts[4].Length > 0
                    ? parts[4].Split(',')
                    : new[] { "Uncategorized" },
                    Text = parts.Length > 5 ? parts[5] : "",
                    IsCall = parts[2] == "call",
                });
            }
            return root;
        }

        private static FakeTest Find(
            Dictionary<string, FakeTest> suites, string dll, string name, FakeTest above, TestMode mode,
            string fullName)
        {
            FakeTest suite;
            if (!suites.TryGetValue(dll + "|" + name, out suite))
            {
                suites[dll + "|" + name] = suite = Suite(name, fullName, above, mode);
                above.Below.Add(suite);
            }
            return suite;
        }

        private static FakeTest Suite(string name, string fullName, FakeTest above, TestMode mode)
        {
            return new FakeTest { Name = name, FullName = fullName, FilterName = name, Categories = new string[0],
                Parent = above, TestMode = mode };
        }
    }

    internal sealed class FakeResult : ITestResultAdaptor
    {
        private readonly List<FakeResult> _children = new List<FakeResult>();

        public FakeResult(FakeTest test)
        {
            Test = test;
            Duration = test.IsLeftOut ? 0 : test.DurationMs / 1000.0;
            TestStatus = test.IsLeftOut ? TestStatus.Skipped : StatusOf(test.Kind);
            ResultState = test.IsLeftOut
                ? "Skipped:Explicit"
                : TestStatus == TestStatus.Skipped
                ? "Skipped:Ignored"
                : TestStatus.ToString();
            if (TestStatus == TestStatus.Failed)
            {
                Message = test.Text.Length > 0 ? test.Text : "  Expected: 1\n  But was:  2";
                StackTrace = "at " + test.FullName + " () [0x00001] in Assets/Tests.cs:12";
            }
        }

        public ITestAdaptor Test { get; private set; }
        public string Name { get { return Test.Name; } }
        /// <summary>Without the number that the list of tests has (Api/TestResultAdaptor.cs, 1.4.6 to 1.7.0).</summary>
        public string FullName { get { return Test.IsSuite ? Test.FullName : ((FakeTest)Test).FilterName; } }
        public string ResultState { get; private set; }
        public TestStatus TestStatus { get; set; }
        public double Duration { get; set; }
        public string Message { get; set; }
        public string StackTrace { get; set; }
        public int PassCount { get { return Count(TestStatus.Passed); } }
        public int FailCount { get { return Count(TestStatus.Failed); } }
        public int SkipCount { get { return Count(TestStatus.Skipped); } }
        public int InconclusiveCount { get { return Count(TestStatus.Inconclusive); } }
        public int AssertCount { get { return 0; } }
        public DateTime StartTime { get; set; }
        public DateTime EndTime { get; set; }
        public string Output { get { return ""; } }
        public bool HasChildren { get { return _children.Count > 0; } }
        public IEnumerable<ITestResultAdaptor> Children { get { return _children.ToArray(); } }

        public static FakeResult Tree(FakeTest suite, HashSet<string> finished)
        {
            var result = new FakeResult(suite) { TestStatus = TestStatus.Passed, ResultState = "Passed" };
            foreach (var child in suite.Below)
            {
                if (child.IsSuite)
                {
                    var below = Tree(child, finished);
                    if (below.HasChildren) result.Add(below);
                }
                else if (finished.Contains(child.FullName))
                {
                    result.Add(new FakeResult(child));
                }
            }
            if (suite.Breaks && result.HasChildren)
            {
                result.Message = (result.TestStatus == TestStatus.Failed ? result.Message + "\n" : "")
                    + "TearDown : fixture broke";
                result.TestStatus = TestStatus.Failed;
                result.ResultState = "Failed:Error(TearDown)";
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
                ResultState = "Failed(Child)";
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
