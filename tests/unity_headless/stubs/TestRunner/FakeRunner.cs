using System;
using System.Collections.Generic;
using System.Threading;
using UnityEngine;

namespace UnityEditor.TestTools.TestRunner.Api
{
    /// <summary>
    /// The behaviour behind the door: a run advances once per editor update, its state lives on the native side, so it
    /// resumes by itself after a domain reload; its listeners do not. What it keeps silent about is the point of it.
    /// Quirks (switched by the host): drop, on-error, no-list, no-events-after-reload.
    /// </summary>
    internal static class FakeRunner
    {
        public static readonly List<ICallbacks> Callbacks = new List<ICallbacks>();

        private static readonly List<Action> Listings = new List<Action>();
        private static DateTime _testStarted;

        public static string Execute(Filter filter)
        {
            var guid = Guid.NewGuid().ToString();
            Native.Editor.Say("execute " + filter.testMode + " " + (filter.testNames == null ? "all" : filter.testNames.Length.ToString()));
            if (Native.Editor.DirtyScenes().Length > 0) Native.Editor.Say("VIOLATION a modal save dialog was raised");
            if (IsActive(null)) Native.Editor.Say("VIOLATION a second run was started while one is active");
            if (Native.Editor.Quirk("drop")) return guid;
            Put("guid", guid);
            Put("mode", filter.testMode.ToString());
            Put("names", filter.testNames == null ? null : string.Join("\n", filter.testNames));
            Put("index", "0");
            Put("finished", "");
            Put("cancelled", null);
            Put("stage", "starting");
            return guid;
        }

        public static void List(TestMode mode, Action<ITestAdaptor> callback)
        {
            if (!Native.Editor.Quirk("no-list")) Listings.Add(() => callback(FakeTest.Tree(Native.Editor.Tests(), mode)));
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
            if (!IsActive(guid) || Get("cancelled") != null || Get("stage") == "leaving") return false;
            Native.Editor.Say("cancel " + Get("mode"));
            Put("cancelled", leavesPlayMode ? "leave" : "stay");
            return true;
        }

        /// <summary>The host, in every update.</summary>
        public static void Tick()
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
                Put("stage", play && Get("cancelled") == "leave" && EditorApplication.isPlayingOrWillChangePlaymode ? "leaving" : null);
                return;
            }
            switch (Get("stage"))
            {
                case "starting":
                    if (Native.Editor.Quirk("on-error"))
                    {
                        Error("Prebuild setup failed");
                        break;
                    }
                    if (play) EditorApplication.isPlaying = true;
                    Put("stage", "entering");
                    break;
                case "entering":
                    if (play && !EditorApplication.isPlaying) break;
                    Put("stage", "running");
                    Tell(callbacks => callbacks.RunStarted(Root()));
                    break;
                case "running":
                    if (play && !EditorApplication.isPlaying) Error("Playmode tests were aborted because the player was stopped.");
                    else Run(play);
                    break;
                case "leaving":
                    if (!EditorApplication.isPlayingOrWillChangePlaymode) Put("stage", null);
                    break;
            }
        }

        private static void Run(bool play)
        {
            var tests = Root().Selected(Get("names") == null ? null : Get("names").Split('\n'));
            var index = int.Parse(Get("index"));
            if (index >= tests.Count)
            {
                Put("stage", play ? "leaving" : null);
                Tell(callbacks => callbacks.RunFinished(FakeResult.Tree(Root(), new HashSet<string>(Get("finished").Split('\n')))));
                if (play) EditorApplication.isPlaying = false;
                return;
            }
            var test = tests[index];
            if (Get("current") != test.FullName)
            {
                Put("current", test.FullName);
                _testStarted = DateTime.UtcNow;
                Tell(callbacks => callbacks.TestStarted(test));
                Native.Editor.Say("test " + test.FullName);
            }
            if (test.Kind == "block") Thread.Sleep(test.DurationMs);
            if (test.Kind != "block" && (DateTime.UtcNow - _testStarted).TotalMilliseconds < test.DurationMs) return;
            Put("current", null);
            Put("index", (index + 1).ToString());
            Put("finished", Get("finished") + "\n" + test.FullName);
            Tell(callbacks => callbacks.TestFinished(new FakeResult(test)));
        }

        private static void Error(string message)
        {
            Put("stage", null);
            Tell(callbacks =>
            {
                var listener = callbacks as IErrorCallbacks;
                if (listener != null) listener.OnError(message);
            });
        }

        private static void Tell(Action<ICallbacks> what)
        {
            foreach (var callbacks in Callbacks.ToArray()) what(callbacks);
        }

        private static FakeTest Root()
        {
            var mode = Get("mode") == TestMode.PlayMode.ToString() ? TestMode.PlayMode : TestMode.EditMode;
            return FakeTest.Tree(Native.Editor.Tests(), mode);
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
