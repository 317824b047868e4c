using System;
using System.Collections;
using System.Reflection;
using UnityEditor.TestTools.TestRunner.Api;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Unity's test framework as this package uses it: version 1.1.31 and newer, what newer ones add found by
    /// reflection. Main thread.
    /// </summary>
    internal sealed class TestFramework
    {
        // Beyond so many names the framework's comparisons take seconds.
        private const int ManyNames = 200;

        private readonly TestRunnerApi _api = CreateApi();
        private readonly MethodInfo _cancel = Find("CancelTestRun", typeof(string));
        private readonly MethodInfo _isAnyRunActive;
        private readonly MethodInfo _isThisRunActive = Find("IsRunActive", typeof(string));
        // The framework's own list of runs, the same from 1.1 to 2.0.
        private readonly Type _runs =
            typeof(TestRunnerApi).Assembly.GetType("UnityEditor.TestTools.TestRunner.TestRun.TestJobDataHolder");

        public TestFramework()
        {
            // 2.0, then 1.3.2 and newer. Up to 1.3.1 IsRunActive knew command-line runs only; those versions have no
            // cancel.
            _isAnyRunActive = Find("IsAnyRunActive") ?? (CanCancel ? Find("IsRunActive") : null);
        }

        /// <summary>Whether a run can be cancelled (1.3.2 and newer); else only leaving play mode ends one.</summary>
        public bool CanCancel => _cancel != null;

        /// <summary>The framework forgets its listeners at every reload.</summary>
        public void Register(ICallbacks callbacks) => _api.RegisterCallbacks(callbacks);

        /// <summary>Before the domain goes: what is never destroyed stays in the editor's memory, one at each
        /// reload.</summary>
        /// <param name="callbacks">What was registered, or null.</param>
        public void Leave(ICallbacks callbacks)
        {
            if (callbacks != null)
            {
                _api.UnregisterCallbacks(callbacks);
            }
            UnityEngine.Object.DestroyImmediate(_api);
        }

        /// <summary>The answer comes later, on the main thread; or never.</summary>
        public void List(string phase, Action<ITestAdaptor> onListed) => _api.RetrieveTestList(ModeOf(phase), onListed);

        /// <summary>Starts a run.</summary>
        /// <param name="expression">Where many names were made one expression, what <see cref="Prepare"/> wants to
        /// know; else null.</param>
        /// <returns>The framework's id of the run.</returns>
        public string Execute(string phase, TestSelection selection, out string expression)
        {
            var filter = new Filter { testMode = ModeOf(phase) };
            expression = null;
            if (!selection.IsWhole)
            {
                var names = selection.Names();
                expression = names.Count > ManyNames ? NameExpression.FromNames(names) : null;
                if (expression != null && NameExpression.IsCheap(expression))
                {
                    filter.groupNames = new[] { expression };
                }
                else
                {
                    expression = null;
                    filter.testNames = names.ToArray();
                }
            }
            return _api.Execute(new ExecutionSettings(filter));
        }

        /// <summary>In a new domain, before the framework compares anything with the expression of a run that goes
        /// on.</summary>
        public static void Prepare(string expression)
        {
            if (expression != null)
            {
                NameExpression.IsCheap(expression);
            }
        }

        public void Cancel(string runGuid) => _cancel.Invoke(null, new object[] { runGuid });

        /// <summary>Whether a run is under way, also one that the user started; null if this version does not report
        /// it.</summary>
        /// <remarks>Up to 1.3.1 a play-mode run counts as over once the scripts were reloaded for it.</remarks>
        public bool? IsAnyActive() =>
            _isAnyRunActive != null ? (bool)_isAnyRunActive.Invoke(null, null) : IsListed(null);

        /// <summary>Whether the given run is under way; if runs cannot be distinguished, whether any is.</summary>
        public bool? IsActive(string runGuid)
        {
            if (_isThisRunActive != null)
            {
                return runGuid != null && (bool)_isThisRunActive.Invoke(null, new object[] { runGuid });
            }
            return _isAnyRunActive != null ? IsAnyActive() : IsListed(runGuid);
        }

        private bool? IsListed(string runGuid)
        {
            if (Members.Get(Members.Get(_runs, "instance"), "TestRuns") is not IEnumerable runs)
            {
                return null;
            }
            foreach (var run in runs)
            {
                var isRunning = Members.Get(run, "isRunning") as bool?;
                if (isRunning == null)
                {
                    return null;
                }
                if (isRunning.Value && (runGuid == null || Members.Get(run, "guid") as string == runGuid))
                {
                    return true;
                }
            }
            return false;
        }

        private static TestRunnerApi CreateApi()
        {
            var api = ScriptableObject.CreateInstance<TestRunnerApi>();
            // Unity clears away what no scene holds; this is nobody's to clear.
            api.hideFlags = HideFlags.HideAndDontSave;
            return api;
        }

        private static TestMode ModeOf(string phase) => phase == TestPlan.Play ? TestMode.PlayMode : TestMode.EditMode;

        private static MethodInfo Find(string name, params Type[] parameters) =>
            Members.Method(typeof(TestRunnerApi), name, parameters);
    }
}
