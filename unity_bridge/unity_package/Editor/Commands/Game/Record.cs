using System;
using System.IO;
using System.Threading;
using UnityBridge.Framework;
using UnityBridge.GameUi;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>The command <c>record</c>: the running game in a few pictures, evenly in time (SPEC §16.12).</summary>
    internal static class Record
    {
        private const double LeastSeconds = 0.5;
        private const double MostSeconds = 30;
        private const int LeastFrames = 4;
        private const int MostFrames = 16;
        private const int LeastSize = 64;
        private const int MostSize = 2000;

        // One at a time: the pictures of two would take the frames from each other.
        private static Recording _current;

        [BridgeCommand("record",
            "Shows the running game in motion, for seconds (0.5 to 30), while press, ui_click and wait_for act: one "
            + "sheet of frames (4 to 16) pictures, evenly in time, with > where input was sent and ! where an error "
            + "was logged.", Write = false, NextToOthers = true, Keywords = "screenshot video")]
        private static IJobRun Run(
            ToolContext context, CancellationToken stop, IProgress<float> progress, double seconds = 3,
            int frames = 9, int max_size = 1568)
        {
            if (!(seconds >= LeastSeconds && seconds <= MostSeconds) || frames < LeastFrames || frames > MostFrames
                || max_size < LeastSize || max_size > MostSize)
            {
                throw Refuse.Argument(
                    "seconds is 0.5 to 30, frames a whole number from 4 to 16, and max_size one from 64 to 2000.");
            }
            Refuse.OutsideGame("record");
            if (_current is { IsOver: false })
            {
                throw Busy(context);
            }
            var view = GameViewFrames.Find("then record again.", out var fault);
            if (view == null)
            {
                throw new CommandRefused("no_view", fault);
            }
            return _current = new Recording(
                context, stop, progress, view, new RecordingPlan(seconds, frames, max_size, NewFolder()));
        }

        /// <summary>In the next domain: the sheet of the pictures that were taken until then.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo) => RecordedSheet.FromMemo(memo);

        private static FrameFolder NewFolder()
        {
            try
            {
                FrameFolder.DeleteOld();
                return FrameFolder.Create();
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                throw new CommandRefused("disk_full", "No picture can be written: " + Quoted.Text(failure.Message)
                    + " Make room or give the editor the right to write, then record again.");
            }
        }

        private static CommandRefused Busy(ToolContext context)
        {
            var refused = Refusal.NotExecuted(
                "busy", "Another recording is under way, and there is one at a time. Wait for its end, or cancel it.");
            var recording = context.Ledger.Running().Find(job => job.Parameters.Text("name") == "record");
            if (recording != null)
            {
                refused.Details["held_by"] = recording.HeldBy(Clock.UtcMs);
            }
            return new CommandRefused(refused);
        }
    }

    /// <summary>What was asked for, and where the pictures lie.</summary>
    internal sealed class RecordingPlan
    {
        public RecordingPlan(double seconds, int frames, int maxSize, FrameFolder folder)
        {
            StepMs = (long)(seconds * 1000 / (frames - 1));
            Seconds = seconds;
            Frames = frames;
            MaxSize = maxSize;
            Folder = folder;
        }

        public double Seconds { get; }

        /// <summary>From one picture to the next.</summary>
        public long StepMs { get; }

        public int Frames { get; }

        public int MaxSize { get; }

        public FrameFolder Folder { get; }
    }
}
