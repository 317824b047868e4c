using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Enters or leaves play mode: asks Unity once, then only observes, so it goes on in the next domain. Main thread.
    /// </summary>
    /// <remarks>Entering ends when a frame of the game has run after it, leaving when the editor is back in edit mode.
    /// The events come before that is true: EnteredPlayMode in the first update, ExitingEditMode also where a handler
    /// or a dialog then calls the entry off.</remarks>
    internal sealed class PlayModeSwitch : IJobRun, INeedsEveryUpdate
    {
        // How long nothing must happen before nothing will. A main thread that stands still does not count.
        private const long NothingMs = 10000;
        private const long PausedMs = 1000;
        private const int IdleTicks = 2;

        private readonly ToolContext _context;
        private readonly Job _job;
        private readonly PlayModeWatch _watch;
        private readonly bool _enters;
        private readonly int _departuresBefore;
        private bool _began;
        private bool _isDone;
        private int _idleTicks;
        private int? _firstFrame;
        private readonly QuietSpell _quiet;

        private PlayModeSwitch(ToolContext context, Job job, PlayModeWatch watch, bool enters)
        {
            _context = context;
            _job = job;
            _watch = watch;
            _enters = enters;
            _departuresBefore = watch.Departures;
            _quiet = new QuietSpell(context.Ticks);
        }

        public static PlayModeSwitch Begin(ToolContext context, Job job, PlayModeWatch watch, bool enters)
        {
            var run = new PlayModeSwitch(
                context, job, watch, enters) { _isDone = EditorApplication.isPlaying == enters };
            if (!run._isDone)
            {
                if (enters)
                {
                    PlaySession.Begin(job.Request);
                }
                EditorApplication.isPlaying = enters;
            }
            return run;
        }

        /// <summary>In the next domain.</summary>
        /// <param name="memo">Null if the last domain could not say anything any more.</param>
        public static PlayModeSwitch GoOn(
            ToolContext context, Job job, PlayModeWatch watch, bool enters, JsonObject memo) =>
            new PlayModeSwitch(context, job, watch, enters) { _began = memo?.Flag("began") ?? true };

        public JsonObject Memo() => new JsonObject { { "began", HasBegun } };

        // A cancel is not heard: Unity was asked already.
        public JobEnd Advance()
        {
            if (_isDone)
            {
                return JobEnd.Succeeded(PlayModeState.ToJson(changed: false));
            }
            var end = Observe();
            if (end == null && _job.DeadlinePassed)
            {
                return JobEnd.Stopped(JobState.Timeout);
            }
            if (end == null)
            {
                _context.Ledger.ReportStep(_job, _enters ? JobStep.EnteringPlayMode : JobStep.LeavingPlayMode);
                // An editor without focus may leave out whole updates. (SignalTick, its other half, is
                // MainThread.Wake.)
                EditorApplication.QueuePlayerLoopUpdate();
            }
            return end;
        }

        bool INeedsEveryUpdate.NeedsEveryUpdate => true;

        private bool HasBegun => _began || _watch.Departures > _departuresBefore;

        private JobEnd Observe()
        {
            if (PlayModeState.IsChanging)
            {
                _began = true;
                return _quiet.HasLasted(NothingMs)
                    ? Failed("nothing happened for 10 s. It may still happen: look at the editor's state")
                    : null;
            }
            if (EditorApplication.isPlaying == _enters)
            {
                return _enters
                    ? AfterOneFrame()
                    : IsIdleForLong()
                    ? JobEnd.Succeeded(PlayModeState.ToJson(changed: true))
                    : null;
            }
            // Not on the way and not there: it was called off, or Unity has not reacted yet.
            if (HasBegun && IsIdleForLong())
            {
                return Failed(_enters
                    ? "Unity went back to edit mode: a script or a dialog aborted the change"
                    : "the editor is in play mode again");
            }
            return _quiet.HasLasted(NothingMs) ? Failed("Unity did not react for 10 s") : null;
        }

        private JobEnd AfterOneFrame()
        {
            if (_firstFrame == null)
            {
                _firstFrame = Time.frameCount;
                _quiet.Restart();
            }
            if (Time.frameCount != _firstFrame || (EditorApplication.isPaused && _quiet.HasLasted(PausedMs)))
            {
                return JobEnd.Succeeded(PlayModeState.ToJson(changed: true));
            }
            return !_quiet.HasLasted(NothingMs) ? null : JobEnd.Succeeded(PlayModeState.ToJson(changed: true,
                "No frame of the game has run in 10 s, although Unity was asked for them. A modal dialog or a "
                + "breakpoint may hold it: look at the editor."));
        }

        private JobEnd Failed(string why) => PlayModeFailure.Ended(_context, _job,
            "Unity was asked to " + (_enters ? "enter" : "leave") + " play mode, and " + why + ".");

        private bool IsIdleForLong() => !EditorReadiness.IsBusy && ++_idleTicks >= IdleTicks;
    }
}
