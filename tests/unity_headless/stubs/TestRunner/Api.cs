using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEditor.TestTools.TestRunner.Api
{
    [Flags]
    public enum TestMode { EditMode = 1, PlayMode = 2 }

    public enum TestStatus { Inconclusive, Skipped, Passed, Failed }

    public enum RunState { NotRunnable, Runnable, Explicit, Skipped, Ignored }

    public interface ITestAdaptor
    {
        string Id { get; }
        string Name { get; }
        string FullName { get; }
        int TestCaseCount { get; }
        bool HasChildren { get; }
        bool IsSuite { get; }
        IEnumerable<ITestAdaptor> Children { get; }
        ITestAdaptor Parent { get; }
        int TestCaseTimeout { get; }
#if !UTF_1_1
        object[] Arguments { get; }
#endif
        string[] Categories { get; }
        bool IsTestAssembly { get; }
        RunState RunState { get; }
        string Description { get; }
        string SkipReason { get; }
        string ParentId { get; }
        string ParentFullName { get; }
        string UniqueName { get; }
        string ParentUniqueName { get; }
        int ChildIndex { get; }
        TestMode TestMode { get; }
    }

    public interface ITestResultAdaptor
    {
        ITestAdaptor Test { get; }
        string Name { get; }
        string FullName { get; }
        string ResultState { get; }
        TestStatus TestStatus { get; }
        double Duration { get; }
        DateTime StartTime { get; }
        DateTime EndTime { get; }
        string Message { get; }
        string StackTrace { get; }
        int AssertCount { get; }
        int PassCount { get; }
        int FailCount { get; }
        int SkipCount { get; }
        int InconclusiveCount { get; }
        bool HasChildren { get; }
        IEnumerable<ITestResultAdaptor> Children { get; }
        string Output { get; }
    }

    public interface ICallbacks
    {
        void RunStarted(ITestAdaptor testsToRun);
        void RunFinished(ITestResultAdaptor result);
        void TestStarted(ITestAdaptor test);
        void TestFinished(ITestResultAdaptor result);
    }

    public interface IErrorCallbacks : ICallbacks
    {
        void OnError(string message);
    }

    public class Filter
    {
        public TestMode testMode;
        public string[] testNames;
        public string[] groupNames;
        public string[] categoryNames;
        public string[] assemblyNames;
        public BuildTarget? targetPlatform;
    }

    public class ExecutionSettings
    {
        public Filter[] filters;
        public bool runSynchronously;

        public ExecutionSettings(params Filter[] filtersToExecute)
        {
            filters = filtersToExecute;
        }
    }

    /// <summary>The framework's door. Which members there are depends on the version that the assembly is built as:
    /// UTF_1_1, UTF_1_3_1, UTF_1_3 (1.3.2 and newer), UTF_1_4, UTF_1_6 (guessed: no internals to look at) or
    /// UTF_2_0.</summary>
    public class TestRunnerApi : ScriptableObject
    {
        public string Execute(ExecutionSettings executionSettings)
        {
            Native.RequireMainThread("TestRunnerApi.Execute");
            return FakeRunner.Execute(executionSettings.filters[0]);
        }

        public void RegisterCallbacks<T>(T testCallbacks, int priority = 0) where T : ICallbacks
        {
            Native.RequireMainThread("TestRunnerApi.RegisterCallbacks");
            FakeRunner.Callbacks.Add(testCallbacks);
        }

        public void UnregisterCallbacks<T>(T testCallbacks) where T : ICallbacks
        {
            Native.RequireMainThread("TestRunnerApi.UnregisterCallbacks");
            FakeRunner.Callbacks.Remove(testCallbacks);
        }

        public void RetrieveTestList(TestMode testMode, Action<ITestAdaptor> callback)
        {
            Native.RequireMainThread("TestRunnerApi.RetrieveTestList");
            FakeRunner.List(testMode, callback);
        }

#if UTF_1_1 || UTF_1_3_1
        // Knows command-line runs only, so: never.
        internal static bool IsRunActive()
        {
            return false;
        }
#elif UTF_1_3
        internal static bool CancelTestRun(string guid)
        {
            return FakeRunner.Cancel(guid, false);
        }

        internal static bool IsRunActive()
        {
            return FakeRunner.IsActive(null);
        }
#elif UTF_1_4
        public static bool CancelTestRun(string guid)
        {
            return FakeRunner.Cancel(guid, true);
        }

        internal static bool IsRunActive()
        {
            return FakeRunner.IsActive(null);
        }
#elif UTF_1_6
        public static bool CancelTestRun(string guid)
        {
            return FakeRunner.Cancel(guid, true);
        }
#elif UTF_2_0
        public static bool CancelTestRun(string guid)
        {
            return FakeRunner.Cancel(guid, true);
        }

        public static void CancelAllTestRuns()
        {
            FakeRunner.Cancel(null, true);
        }

        public static bool IsAnyRunActive()
        {
            return FakeRunner.IsActive(null);
        }

        public static bool IsRunActive(string guid)
        {
            return FakeRunner.IsActive(guid);
        }
#endif
    }
}
