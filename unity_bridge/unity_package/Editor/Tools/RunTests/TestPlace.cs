using System;
using UnityEditor.TestTools.TestRunner.Api;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>Which tests a test belongs together with: the mode, the assembly and the fixture. Machines that share
    /// the tests of a project never split these (SPEC §24). Immutable.</summary>
    /// <remarks>Both are read from names, which the list of tests and the results have alike. A test of a play-mode run
    /// comes without types, and without what is above it (TestAdaptor of RemoteTestData, 1.1.31 to 2.0.1).</remarks>
    internal readonly struct TestPlace : IEquatable<TestPlace>
    {
        public TestPlace(string mode, string assembly, string fixture)
        {
            Mode = mode ?? "";
            Assembly = assembly ?? "";
            Fixture = fixture ?? "";
        }

        public string Mode { get; }

        /// <summary>Its name without <c>.dll</c>; empty if the framework does not say.</summary>
        public string Assembly { get; }

        /// <summary>The full name, with the arguments of a fixture that has some.</summary>
        public string Fixture { get; }

        /// <summary>Of a suite that failed by itself, the suite is the fixture.</summary>
        public static TestPlace FromTest(string mode, ITestAdaptor test) =>
            new TestPlace(mode, AssemblyOf(test), test.IsSuite ? test.FullName : FixtureOf(test));

        public void AddTo(JsonObject row)
        {
            row["mode"] = Mode;
            row["assembly"] = Assembly;
            row["fixture"] = Fixture;
        }

        public override string ToString() => Fixture + " (" + Mode + ", " + Assembly + ")";

        public bool Equals(TestPlace other) =>
            Mode == other.Mode && Assembly == other.Assembly && Fixture == other.Fixture;

        public override bool Equals(object other) => other is TestPlace place && Equals(place);

        public override int GetHashCode() => (Mode + "\t" + Assembly + "\t" + Fixture).GetHashCode();

        // A unique name is the names above, with slashes, and [assembly][full name] (TestExtensions.GetUniqueName,
        // 1.1.31 to 2.0.1). The full name there lacks the number of a generated case.
        private static string AssemblyOf(ITestAdaptor test)
        {
            var unique = test.UniqueName ?? "";
            var end = unique.LastIndexOf(
                "][" + TestFilter.WithoutCaseNumber(test.FullName) + "]", StringComparison.Ordinal);
            var begin = end < 0 ? -1 : unique.LastIndexOf('[', end);
            if (begin >= 0)
            {
                return unique.Substring(begin + 1, end - begin - 1);
            }
            // Where no type is known, the first name above is the assembly's file.
            var file = unique.Substring(0, Math.Max(0, unique.IndexOf('/')));
            return file.EndsWith(".dll", StringComparison.OrdinalIgnoreCase)
                ? file.Substring(0, file.Length - 4)
                : file;
        }

        private static string FixtureOf(ITestAdaptor test)
        {
            var name = TestFilter.WithoutCaseNumber(test.FullName);
            var parent = test.ParentFullName ?? "";
            // A name that the project has set may have dots of its own. Cases of one method are below a suite for the
            // method.
            return parent.Length == 0
                ? BeforeLastDot(name)
                : name.Begins(parent + ".")
                ? parent
                : BeforeLastDot(parent);
        }

        private static string BeforeLastDot(string name) => name.Substring(0, Math.Max(0, NameParts.LastDot(name)));
    }
}
