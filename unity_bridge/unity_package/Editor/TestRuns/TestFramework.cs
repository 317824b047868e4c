using System;
using System.Collections.Generic;
using System.Reflection;
using UnityEditor.TestTools.TestRunner.Api;
using UnityEngine;

namespace UnityBridge.TestRuns
{
    /// <summary>
    /// Unity's test framework as this package uses it: version 1.1.33 and newer, what newer ones add found by reflection.
    /// Main thread.
    /// </summary>
    internal sealed class TestFramework
    {
        private const BindingFlags AnyStatic = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

        private readonly TestRunnerApi _api = CreateApi();
        private readonly MethodInfo _cancel = Find("CancelTestRun", typeof(string));
        private readonly MethodInfo _isRunActive = Find("IsRunActive");
        private readonly MethodInfo _isThisRunActive = Find("IsRunActive", typeof(string));

        /// <summary>Whether a run can be cancelled (1.3.2 and newer); else only leaving play mode ends one.</summary>
        public bool CanCancel
        {
            get { return _cancel != null; }
        }

        /// <summary>Whether <see cref="IsActive"/> means anything: up to 1.3.1 it knew command-line runs only, and those
        /// versions are told by having no cancel.</summary>
        public bool CanTellActive
        {
            get { return CanCancel && (_isRunActive != null || _isThisRunActive != null); }
        }

        /// <summary>The framework forgets its listeners at every reload.</summary>
        public void Register(ICallbacks callbacks)
        {
            _api.RegisterCallbacks(callbacks);
        }

        /// <summary>The answer comes later, on the main thread; or never.</summary>
        public void List(string phase, Action<ITestAdaptor> onListed)
        {
            _api.RetrieveTestList(ModeOf(phase), onListed);
        }

        /// <param name="names">Full names, or null for all tests.</param>
        /// <returns>The framework's id of the run.</returns>
        public string Execute(string phase, List<string> names)
        {
            var filter = new Filter { testMode = ModeOf(phase), testNames = names == null ? null : names.ToArray() };
            return _api.Execute(new ExecutionSettings(filter));
        }

        public void Cancel(string runGuid)
        {
            _cancel.Invoke(null, new object[] { runGuid });
        }

        /// <summary>Whether the given run is under way; where the framework does not tell runs apart, whether any is.</summary>
        public bool IsActive(string runGuid)
        {
            return _isRunActive != null
                ? (bool)_isRunActive.Invoke(null, null)
                : runGuid != null && (bool)_isThisRunActive.Invoke(null, new object[] { runGuid });
        }

        private static TestRunnerApi CreateApi()
        {
            var api = ScriptableObject.CreateInstance<TestRunnerApi>();
            // Unity clears away what no scene holds; this is nobody's to clear.
            api.hideFlags = HideFlags.HideAndDontSave;
            return api;
        }

        private static TestMode ModeOf(string phase)
        {
            return phase == TestJob.Play ? TestMode.PlayMode : TestMode.EditMode;
        }

        private static MethodInfo Find(string name, params Type[] parameters)
        {
            return typeof(TestRunnerApi).GetMethod(name, AnyStatic, null, parameters, null);
        }
    }
}
