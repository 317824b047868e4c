using System;
using System.Threading;
using UnityEditor;
using UnityEditorInternal;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>
    /// Lets the game run while a client looks at it and Unity has no focus (SPEC §16.2): asks for player loops at the
    /// rate of the game, and has Run In Background on for that time. The focus is never taken. Main thread, but for
    /// <see cref="NoteRequest"/>.
    /// </summary>
    /// <remarks>The setter of Application.runInBackground changes the project's settings in memory
    /// (SetPlayerSettingsRunInBackground in Application.bindings.cs, 2021.3 to 6000.7), so whatever saves the project
    /// would write the value. It is put back when play mode ends, before anything is saved. SessionState remembers that
    /// it is ours, over a reload that nobody announces too; an editor that crashes loses both.</remarks>
    internal sealed class RunningGame
    {
        private const string OursKey = "UnityBridge.run_in_background";
        private const string RequestKey = "UnityBridge.last_request";
        private const string Ours = "ours";
        // A person has switched it off meanwhile, and keeps what they chose until play mode ends.
        private const string Theirs = "theirs";
        private const long LooksForMs = 60000;
        private const int LeastPerSecond = 30;
        private const int MostPerSecond = 60;

        // The editor's one; a command may have to put the setting back at once.
        private static RunningGame _ofThisDomain;

        private int _restsForUpdates;

        private readonly MainThread _mainThread;
        private readonly Func<bool> _hasJobs;
        private long _requestUtcMs;
        private long _keptUtcMs;
        private string _owner;

        /// <param name="hasJobs">Whether a job of a proven server has not ended.</param>
        public RunningGame(MainThread mainThread, Func<bool> hasJobs)
        {
            _mainThread = mainThread;
            _hasJobs = hasJobs;
        }

        /// <summary>The setting is as the project has it in this update and the next one, in which a package saves
        /// all assets.</summary>
        public static void PutBackForAWhile()
        {
            if (_ofThisDomain is { } game && EditorApplication.isPlaying)
            {
                game._restsForUpdates = 2;
                game.PutBack();
                game._mainThread.WakeIn(1);
            }
        }

        /// <summary>At load.</summary>
        public void Start()
        {
            _ofThisDomain = this;
            long.TryParse(SessionState.GetString(RequestKey, ""), out _requestUtcMs);
            _keptUtcMs = _requestUtcMs;
            _owner = SessionState.GetString(OursKey, "");
            EditorEvents.OnPlayMode(change =>
            {
                if (change is PlayModeStateChange.ExitingPlayMode or PlayModeStateChange.EnteredEditMode)
                {
                    PutBack();
                }
            });
            if (!EditorApplication.isPlayingOrWillChangePlaymode)
            {
                PutBack();
            }
        }

        /// <summary>Any thread. A proven server has asked for something, other than how a job is.</summary>
        public void NoteRequest() => Interlocked.Exchange(ref _requestUtcMs, Clock.UtcMs);

        /// <summary>In every update, after the jobs.</summary>
        public void Tick()
        {
            var request = Interlocked.Read(ref _requestUtcMs);
            if (request != _keptUtcMs)
            {
                _keptUtcMs = request;
                SessionState.SetString(RequestKey, request.ToString());
            }
            if (_restsForUpdates > 0)
            {
                _restsForUpdates--;
                _mainThread.WakeIn(1);
                return;
            }
            if (!EditorApplication.isPlaying || !EditorApplication.isPlayingOrWillChangePlaymode)
            {
                return;
            }
            if (EditorApplication.isPaused || !(Math.Abs(Clock.UtcMs - request) < LooksForMs || _hasJobs()))
            {
                PutBack();
            }
            else if (!InternalEditorUtility.isApplicationActive)
            {
                Run();
            }
        }

        /// <summary>Run In Background is as the project has it, unless somebody has changed it since.</summary>
        public void PutBack()
        {
            if (_owner == Ours && Application.runInBackground)
            {
                Application.runInBackground = false;
            }
            // What a person chose holds until the game ends, also while a client comes and goes.
            if (_owner == Ours || !EditorApplication.isPlayingOrWillChangePlaymode)
            {
                Own("");
            }
        }

        private void Run()
        {
            if (!Application.runInBackground && _owner == Ours)
            {
                Own(Theirs);
            }
            else if (!Application.runInBackground && _owner != Theirs)
            {
                Own(Ours);
                Application.runInBackground = true;
            }
            EditorApplication.QueuePlayerLoopUpdate();
            var rate = Application.targetFrameRate;
            _mainThread.WakeIn(1000 / (
                rate <= 0 ? MostPerSecond : Math.Max(LeastPerSecond, Math.Min(rate, MostPerSecond))));
        }

        // Before the setting is changed: a domain may be gone at any moment.
        private void Own(string owner)
        {
            if (_owner != owner)
            {
                _owner = owner;
                SessionState.SetString(OursKey, owner);
            }
        }
    }
}
