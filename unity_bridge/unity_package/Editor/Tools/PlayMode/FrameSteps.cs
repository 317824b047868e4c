using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Advances the game frame by frame, and leaves it paused on the last one. Each frame is asked for once, and
    /// awaited before the next. Main thread.
    /// </summary>
    internal sealed class FrameSteps : IJobRun, INeedsEveryUpdate
    {
        private const long NothingMs = 10000;

        private readonly ToolContext _context;
        private readonly Job _job;
        private readonly int _frames;
        private int _done;
        private int? _askedAtFrame;     // null while no frame is asked for
        private bool _isLost;
        private long _quietSinceMs;

        private FrameSteps(ToolContext context, Job job, int frames)
        {
            _context = context;
            _job = job;
            _frames = frames;
            _quietSinceMs = context.Ticks.Ms;
        }

        public static FrameSteps Begin(ToolContext context, Job job, int frames)
        {
            EditorApplication.isPaused = true;
            return new FrameSteps(context, job, frames);
        }

        /// <summary>In the next domain, where scripts are recompiled in play mode.</summary>
        /// <param name="memo">Null if the last domain could not say anything any more: then nobody knows what is
        /// left.</param>
        public static FrameSteps GoOn(ToolContext context, Job job, int frames, JsonObject memo) =>
            new FrameSteps(context, job, frames)
        {
            _done = memo?.Whole("done") ?? 0,
            _askedAtFrame = (int?)memo?.Integer("asked_at"),
            _isLost = memo == null,
        };

        /// <summary>Whether it is the memo of a game that was stepped.</summary>
        public static bool IsMemo(JsonObject memo) => memo.ContainsKey("done");

        bool INeedsEveryUpdate.NeedsEveryUpdate => true;

        public JsonObject Memo() => new JsonObject { { "done", _done }, { "asked_at", _askedAtFrame } };

        public JobEnd Advance()
        {
            if (_isLost)
            {
                return JobEnd.Lost(
                    "The scripts were reloaded while the game was stepped. Look at the frame before you step again.");
            }
            if (!EditorApplication.isPlaying || PlayModeState.IsChanging)
            {
                return Failed("play mode was left");
            }
            if (_askedAtFrame != null && Time.frameCount != _askedAtFrame)
            {
                _done++;
                _askedAtFrame = null;
            }
            if (_done >= _frames)
            {
                EditorApplication.isPaused = true;
                return JobEnd.Succeeded(PlayModeState.ToJson(changed: true));
            }
            if (_job.DeadlinePassed)
            {
                return JobEnd.Stopped(JobState.Timeout, PlayModeState.ToJson(changed: _done > 0));
            }
            _context.Ledger.ReportStep(_job, JobStep.Running);
            return _askedAtFrame == null ? Ask() : Await();
        }

        private JobEnd Ask()
        {
            _askedAtFrame = Time.frameCount;
            _quietSinceMs = _context.Ticks.Ms;
            EditorApplication.Step();
            return null;
        }

        private JobEnd Await()
        {
            EditorApplication.QueuePlayerLoopUpdate();
            return _context.Ticks.Ms - _quietSinceMs < NothingMs ? null : Failed("no frame came for 10 s");
        }

        private JobEnd Failed(string why) =>
            PlayModeFailure.Ended(_context, _job,
                "Unity was asked for " + _frames + " frames, and after " + _done + " of them " + why + ".");
    }
}
