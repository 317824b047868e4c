using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using UnityEngine;

namespace UnityEditor.TestTools.TestRunner.Api
{
    /// <summary>
    /// How a run behaves. It is a subscriber of EditorApplication.update from Execute on, its state lives on the native
    /// side, and it resumes by itself after a domain reload (TestRun/TestJobRunner.cs); its listeners do not
    /// (Api/CallbacksHolder.cs). What it keeps silent about is the point of it.
    /// Edit-mode tests run under a lock of the reload: it is taken after RunStarted (EditModeRunner.Run) and released
    /// before RunFinished (RunFinishedInvocationEvent). A last task releases it once more, whether it is held or not,
    /// and so also the lock of another script (UnlockReloadAssembliesTask; 1.3.9, 1.4.6 and 1.7.0 alike, 1.1.33 has the
    /// pair in EditModeRunner alone). Quirks (switched by the host): drop, on-error, no-list, no-events-after-reload,
    /// prebuild MS (one update that blocks), entering N (updates between it and isPlaying), tests-end (whatever their
    /// duration).
    /// </summary>
    internal static class FakeRunner
    {
        public static readonly List<ICallbacks> Callbacks = new List<ICallbacks>();

        // Tests without a duration that one update runs.
        private const int TestsPerUpdate = 200;

        private static readonly List<Action> Listings = new List<Action>();
        private static DateTime _testStarted;
        private static List<FakeTest> _selected;
        private static bool _subscribed;

        public static string Execute(Filter filter)
        {
            var guid = Guid.NewGuid().ToString();
            Native.Editor.Say("execute " + filter.testMode + " " + Describe(filter));
            if (filter.testNames != null && filter.testNames.Length == 1)
            {
                Native.Editor.Say("handed-over " + filter.testNames[0]);
            }
            if (Native.Editor.DirtyScenes().Length > 0 || Native.Editor.DirtyPrefab != null)
            {
                Native.Editor.Say("VIOLATION a modal save dialog was raised");
            }
            if (IsActive(null)) Native.Editor.Say("VIOLATION a second run was started while one is active");
            if (Native.Editor.Quirk("drop")) return guid;
            _selected = null;
            Put("current", null);
            Put("guid", guid);
            Put("mode", filter.testMode.ToString());
            Put("names", filter.testNames == null ? null : string.Join("\n", filter.testNames));
            Put("groups", filter.groupNames == null ? null : string.Join("\n", filter.groupNames));
            Put("index", "0");
            Put("finished", "");
            Put("cancelled", null);
            PutStage("starting");
            Subscribe();
            return guid;
        }

        public static void List(TestMode mode, Action<ITestAdaptor> callback)
        {
            if (Native.Editor.Quirk("no-list")) return;
            Listings.Add(() => callback(FakeTest.Tree(mode)));
            Subscribe();
        }

        public static bool IsActive(string guid)
        {
            Native.RequireMainThread("TestRunnerApi.IsRunActive");
            return Get("stage") != null && (guid == null || guid == Get("guid"));
        }

        // Neither TestFinished nor RunFinished nor OnError follows, in any version.
        public static bool Cancel(string guid, bool leavesPlayMode)
        {
            Native.RequireMainThread("TestRunnerApi.CancelTestRun");
            if (!IsActive(guid) || Get("cancelled") != null || Get("stage") == "leaving" || Get("stage") == "cleaning")
            {
                return false;
            }
            Native.Editor.Say("cancel " + Get("mode"));
            Put("cancelled", leavesPlayMode ? "leave" : "stay");
            return true;
        }

        /// <summary>At each load (TestJobDataHolder.ResumeRunningJobs).</summary>
        public static void ResumeRunningJobs()
        {
            if (Get("stage") == null) return;
#if UTF_1_1 || UTF_1_3_1
            // LegacyPlayModeRunTask waits for a static flag, which the reload has reset: the job is over, the player
            // goes on.
            if (Get("mode") == TestMode.PlayMode.ToString()) Put("over", "yes");
#endif
            PutStage(Get("stage"));
            Subscribe();
        }

        private static void Subscribe()
        {
            if (_subscribed) return;
            _subscribed = true;
            EditorApplication.update += Update;
        }

        private static void Update()
        {
            foreach (var listing in Listings.ToArray())
            {
                Listings.Remove(listing);
                listing();
            }
            if (Get("stage") != null) Advance();
        }

        private static void Advance()
        {
            var play = Get("mode") == TestMode.PlayMode.ToString();
            if (Get("cancelled") != null)
            {
                if (play && Get("cancelled") == "leave") EditorApplication.isPlaying = false;
                PutStage(play && Get("cancelled") == "leave" && EditorApplication.isPlaying ? "leaving" : null);
                return;
            }
            switch (Get("stage"))
            {
                case "starting":
                    Prebuild();
                    if (Native.Editor.Quirk("on-error"))
                    {
                        Error("Prebuild setup failed");
                        break;
                    }
                    Put("updates", Native.Editor.QuirkValue("entering").ToString());
                    PutStage("prepared");
                    break;
                case "prepared":
                    var left = int.Parse(Get("updates"));
                    Put("updates", (left - 1).ToString());
                    if (left > 0) break;
                    if (play) EditorApplication.isPlaying = true;
                    PutStage("entering");
                    break;
                case "entering":
                    if (play && !EditorApplication.isPlaying) break;
                    PutStage("running");
                    Notify(callbacks => callbacks.RunStarted(Root()));
                    if (!play) EditorApplication.LockReloadAssemblies();
                    break;
                case "running":
                    if (play && !EditorApplication.isPlaying) PlayerWasStopped();
                    else for (var i = 0; i < TestsPerUpdate && Get("stage") == "running" && Run(play); i++);
                    break;
                case "leaving":
                    // Up to 1.3.1 the reload for play mode has ended the job, and what is left is the player.
                    if (!EditorApplication.isPlaying) PutStage(Get("over") != null ? null : "cleaning");
                    break;
                case "cleaning":
                    PutStage(null);
                    break;
            }
        }

        // Loading the tests and the setup methods, all in one update (PlaymodeLauncher.UpdateCallback,
        // PrebuildSetupTask).
        private static void Prebuild()
        {
            var ms = Native.Editor.QuirkValue("prebuild");
            if (ms == 0) return;
            Native.Editor.Say("prebuild");
            Native.Editor.Hold(ms);
        }

        private static void PlayerWasStopped()
        {
#if UTF_1_1 || UTF_1_3_1 || UTF_1_3
            // Nobody says anything (PlaymodeLauncher.BackgroundWatcher).
            PutStage(null);
#else
            Error("Playmode tests were aborted because the player was stopped.");
#endif
        }

        // Answers whether a test ended that took no time.
        private static bool Run(bool play)
        {
            var tests = _selected = _selected ?? Select(Root());
            var index = int.Parse(Get("index"));
            if (index >= tests.Count)
            {
                _selected = null;
                if (!play) EditorApplication.UnlockReloadAssemblies();
                PutStage(play ? "leaving" : "cleaning");
                Notify(callbacks => callbacks.RunFinished(
                    FakeResult.Tree(Root(), new HashSet<string>(Get("finished").Split('\n')))));
                if (play) EditorApplication.isPlaying = false;
                return false;
            }
            var test = tests[index];
            if (Get("current") != test.FullName)
            {
                Put("current", test.FullName);
                _testStarted = DateTime.UtcNow;
                Notify(callbacks => callbacks.TestStarted(test));
                if (tests.Count < 1000 && !test.IsLeftOut) Native.Editor.Say("test " + test.FullName);
            }
            if (test.IsLeftOut) return End(test, index, tests.Count);
            if (test.IsCall && !CalledTest.Advance(test)) return false;
            if (test.Kind == "block") Native.Editor.Hold(test.DurationMs);
            if (test.Kind != "block" && !Native.Editor.Quirk("tests-end")
                && (DateTime.UtcNow - _testStarted).TotalMilliseconds < test.DurationMs)
            {
                return false;
            }
            return End(test, index, tests.Count) && test.DurationMs == 0;
        }

        private static bool End(FakeTest test, int index, int count)
        {
            Put("current", null);
            Put("index", (index + 1).ToString());
            if (count < 1000) Put("finished", Get("finished") + "\n" + test.FullName);
            Notify(callbacks => callbacks.TestFinished(new FakeResult(test)));
            return true;
        }

        // At the cost that it has in the framework: each name is a filter of its own, each filter is asked about each
        // test and what is above it, and an expression is a new Regex each time (RuntimeTestRunnerFilter, NUnit's
        // TestFilter.Pass and ValueMatchFilter). An explicit test, and each test of an explicit suite, runs only where
        // a name is that of the explicit one or of something in it; else it is reported as skipped (UnityWorkItem,
        // CompositeWorkItem.PerformWork, NUnit's TestFilter.IsExplicitMatch; 1.4.6 and 1.7.0 were run).
        private static List<FakeTest> Select(FakeTest root)
        {
            var names = Get("names") == null ? null : Get("names").Split('\n');
            var groups = Get("groups") == null ? null : Get("groups").Split('\n');
            Func<FakeTest, bool> matches = node => (names != null || groups != null)
                && (names == null || names.Contains(node.FilterName))
                && (groups == null || groups.Any(group => new Regex(group).IsMatch(node.FilterName)));
            var selected = names == null && groups == null
                ? root.Leaves().ToList()
                : root.Leaves().Where(test => Lineage(test).Any(matches)).ToList();
            foreach (var test in selected)
            {
                test.IsLeftOut = Lineage(test)
                    .Any(node => node.IsExplicit && !matches(node) && !node.Leaves().Any(matches));
            }
            return selected;
        }

        private static IEnumerable<FakeTest> Lineage(FakeTest test)
        {
            for (var node = test; node != null; node = node.Parent as FakeTest) yield return node;
        }

        private static string Describe(Filter filter)
        {
            return filter.groupNames != null ? "groups " + filter.groupNames.Length
                : filter.testNames == null ? "all" : filter.testNames.Length.ToString();
        }

        private static void Error(string message)
        {
            PutStage(null);
            Notify(callbacks =>
            {
                var listener = callbacks as IErrorCallbacks;
                if (listener != null) listener.OnError(message);
            });
        }

        private static void Notify(Action<ICallbacks> what)
        {
            foreach (var callbacks in Callbacks.ToArray()) what(callbacks);
        }

        private static FakeTest Root()
        {
            return FakeTest.Tree(Get("mode") == TestMode.PlayMode.ToString() ? TestMode.PlayMode : TestMode.EditMode);
        }

        private static void PutStage(string stage)
        {
            Put("stage", stage);
            if (stage == null)
            {
                Put("over", null);
#if !UTF_1_1
                EditorApplication.UnlockReloadAssemblies();
#endif
            }
#if !UTF_1_6
            TestRun.TestJobDataHolder.instance.Replace(stage == null || Get("over") != null ? null
                : new TestRun.TestJobData { guid = Get("guid"), isRunning = true });
#endif
        }

        private static string Get(string key)
        {
            return Native.Editor.GetSession("fake-runner:" + key);
        }

        private static void Put(string key, string value)
        {
            Native.Editor.SetSession("fake-runner:" + key, value);
        }
    }
}
