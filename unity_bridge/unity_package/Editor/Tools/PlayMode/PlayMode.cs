using System.Linq;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>play_mode</c>: enters and leaves play mode, pauses it, steps through it (SPEC
    /// §16.2).</summary>
    internal sealed class PlayMode : IJobKind
    {
        public const string Enter = "enter";
        public const string Exit = "exit";
        public const string Pause = "pause";
        public const string Resume = "resume";
        public const string Step = "step";

        private const int MostFrames = 1000;

        private static readonly string[] Actions = { Enter, Exit, Pause, Resume, Step };

        private readonly ToolContext _context;
        private readonly PlayModeWatch _watch = new PlayModeWatch();

        /// <param name="testsRun">Whether a test run is under way, also one that the user started: play mode is entered
        /// after it.</param>
        public PlayMode(ToolContext context)
        {
            _context = context;
        }

        public string ToolName => "play_mode";

        public string FaultIn(JsonObject parameters)
        {
            if (!Actions.Contains(parameters.Text("action")))
            {
                return "action is one of " + string.Join(", ", Actions) + ".";
            }
            return parameters.Get("frames") == null || parameters.Integer("frames") is >= 1 and <= MostFrames
                ? null
                : "frames is a whole number from 1 to " + MostFrames + ".";
        }

        public Turn MayBegin(Job job)
        {
            if (PlayModeState.IsChanging)
            {
                return Turn.Later;
            }
            // A step in edit mode enters play mode, paused on its first frame.
            if (ActionOf(job) is Enter or Step && !EditorApplication.isPlaying)
            {
                return MayEnter();
            }
            return ActionOf(job) is Enter or Exit || EditorApplication.isPlaying
                ? Turn.Now
                : Turn.Never(Refusal.NotExecuted("not_playing",
                "The editor is not in play mode, so there is nothing to " + ActionOf(job)
                + ". Enter play mode first."));
        }

        public IJobRun Begin(Job job)
        {
            switch (ActionOf(job))
            {
                case Enter: return PlayModeSwitch.Begin(_context, job, _watch, true);
                case Exit: return PlayModeSwitch.Begin(_context, job, _watch, false);
                case Step when !EditorApplication.isPlaying: return EnterPaused(job);
                case Step: return FrameSteps.Begin(_context, job, FramesOf(job));
                default: return Switch(ActionOf(job) == Pause);
            }
        }

        public IJobRun GoOn(Job job, JsonObject memo)
        {
            switch (ActionOf(job))
            {
                case Enter: return PlayModeSwitch.GoOn(_context, job, _watch, true, memo);
                case Exit: return PlayModeSwitch.GoOn(_context, job, _watch, false, memo);
                case Step when memo != null && !FrameSteps.IsMemo(memo): return PlayModeSwitch.GoOn(_context, job,
                    _watch, true, memo);
                case Step: return FrameSteps.GoOn(_context, job, FramesOf(job), memo);
                // It was done when the job began.
                default: return Paused(memo?.Flag("changed") ?? true);
            }
        }

        // Unity does it at once.
        private static IJobRun Switch(bool pauses)
        {
            var changed = EditorApplication.isPaused != pauses;
            if (changed)
            {
                EditorApplication.isPaused = pauses;
            }
            return Paused(changed);
        }

        private static IJobRun Paused(bool changed)
        {
            var state = PlayModeState.ToJson(changed);
            return new EndedRun(JobEnd.Succeeded(state), state);
        }

        private IJobRun EnterPaused(Job job)
        {
            EditorApplication.isPaused = true;
            return PlayModeSwitch.Begin(_context, job, _watch, true);
        }

        // Unity itself refuses with a notification in the Scene view, which nobody sees
        // (SceneView.ShowCompileErrorNotification).
        private Turn MayEnter()
        {
            if (_context.AreTestsRunning() || EditorReadiness.IsBusy)
            {
                return Turn.Later;
            }
            if (BuildPipeline.isBuildingPlayer)
            {
                return Turn.Never(EditorReadiness.WhyNotInEditMode("enter play mode"));
            }
            if (Reactions.WhyNot(Effect.Play) is { } question)
            {
                return Turn.Never(question);
            }
            return !EditorUtility.scriptCompilationFailed ? Turn.Now : Turn.Never(Refusal
                .NotExecuted("compile_errors",
                    "Unity's scripts do not compile, so it cannot enter play mode. Fix the errors, compile, and "
                    + "enter again.")
                .With("errors", _context.Compiler.Errors().Take(50).Select(error => (object)error.ToJson()).ToList()));
        }

        private static string ActionOf(Job job) => job.Parameters.Text("action");

        private static int FramesOf(Job job) => (int)(job.Parameters.Integer("frames") ?? 1);
    }
}
