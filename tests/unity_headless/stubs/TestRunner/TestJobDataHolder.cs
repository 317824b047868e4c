#if !UTF_1_6
using System.Collections.Generic;

namespace UnityEditor.TestTools.TestRunner.TestRun
{
    /// <summary>The framework's own list of runs: a ScriptableSingleton, so its base has the static member, and it
    /// outlives the domain. (TestRun/TestJobDataHolder.cs, 1.1.31 to 2.0.1)</summary>
    internal class TestJobDataHolder : ScriptableSingleton<TestJobDataHolder>
    {
#if UTF_2_0
        private List<TestJobData> TestRuns = new List<TestJobData>();
#else
        public List<TestJobData> TestRuns = new List<TestJobData>();
#endif

        public void Replace(TestJobData run)
        {
            TestRuns.Clear();
            if (run != null) TestRuns.Add(run);
        }
    }

    internal class ScriptableSingleton<T> where T : new()
    {
        private static readonly T Instance = new T();

        public static T instance { get { return Instance; } }
    }

    internal class TestJobData
    {
        public string guid;
        public bool isRunning;
    }
}
#endif
