using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using UnityEditor;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.GameUi;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>One recording: it takes the pictures, and then makes the sheet of them. Main thread.</summary>
    internal sealed class Recording : IJobRun, INeedsEveryUpdate
    {
        // How long no frame must come before none will: the view is hidden, or there is no camera.
        private const long NoViewMs = 2000;
        private const int MostEvents = 50;
        private const int MostWords = 80;
        private const int FrameSize = 1024;

        private readonly ToolContext _context;
        private readonly CancellationToken _stop;
        private readonly IProgress<float> _progress;
        private readonly GameViewFrames _view;
        private readonly RecordingPlan _plan;
        private readonly List<object> _events = new List<object>();
        private readonly Stopwatch _clock = new Stopwatch();
        private readonly long _beganMs;
        private long _seenEntries;
        private int _place;     // of the next picture
        private int _missed;
        private bool _listens;
        private string _ended;
        private RecordedSheet _sheet;

        public Recording(ToolContext context, CancellationToken stop, IProgress<float> progress, GameViewFrames view,
            RecordingPlan plan)
        {
            _context = context;
            _stop = stop;
            _progress = progress;
            _view = view;
            _plan = plan;
            _beganMs = context.Ticks.Ms;
            _seenEntries = context.Console.NewestSeq;
        }

        public bool IsOver { get; private set; }

        bool INeedsEveryUpdate.NeedsEveryUpdate => true;

        public JobEnd Advance()
        {
            try
            {
                _stop.ThrowIfCancellationRequested();
                if (_sheet == null)
                {
                    Film();
                }
                var end = _sheet?.Advance();
                if (end != null)
                {
                    Leave();
                }
                return end;
            }
            catch (Exception)
            {
                Leave();
                _plan.Folder.Delete();
                throw;
            }
        }

        public JsonObject Memo() => RecordedSheet.ToMemo(_plan, _missed, _events, _sheet == null ? "reloaded" : _ended);

        private void Film()
        {
            Listen();
            NoteErrors();
            _ended = WhyEnded();
            if (_ended == null)
            {
                SkipPassed();
                TakeIfDue();
            }
            _progress.Report((float)_place / _plan.Frames);
            if (_ended != null || _place >= _plan.Frames)
            {
                _sheet = RecordedSheet.FromMemo(Memo(), _ended);
            }
        }

        private static string WhyEnded()
        {
            if (!EditorApplication.isPlaying || PlayModeState.IsChanging)
            {
                return "not_playing";
            }
            return EditorApplication.isPaused ? "paused" : null;
        }

        // A picture whose time has passed by a whole step is missed: the next ones keep theirs.
        private void SkipPassed()
        {
            while (_place < _plan.Frames && _clock.ElapsedMilliseconds >= (_place + 1) * _plan.StepMs)
            {
                _place++;
                _missed++;
            }
        }

        private void TakeIfDue()
        {
            if (_place >= _plan.Frames || _clock.ElapsedMilliseconds < _place * _plan.StepMs)
            {
                return;
            }
            var texture = _view.Next(out var flips);
            if (texture == null)
            {
                _view.Repaint();
                RequireView();
                return;
            }
            // The time begins with the first picture.
            _clock.Start();
            var time = new FrameTime(_clock.ElapsedMilliseconds, new GameMoment().TimeS);
            try
            {
                _plan.Folder.Write(time, Picture.FromTexture(texture, FrameSize, Picture.Jpg, flips).Bytes);
                _place++;
            }
            catch (IOException failure)
            {
                _ended = _place > 0 ? "disk_full" : throw new CommandRefused(
                    "disk_full", "The first picture could not be written to " + _plan.Folder.Path + ": "
                    + failure.Message
                    + " Make room on the disk, then record again.");
                UnityEngine.Debug.LogWarning("[Unity Bridge] A recording ended early: " + failure.Message);
            }
        }

        private void RequireView()
        {
            if (!_clock.IsRunning && _context.Ticks.Ms - _beganMs >= NoViewMs)
            {
                throw new CommandRefused(
                    "no_view",
                    "The Game view drew nothing within 2 s: it is hidden behind another tab or minimised, or the scene "
                    + "has no camera. Bring it to the front, then record again.");
            }
        }

        private void Listen()
        {
            if (!_listens)
            {
                _listens = true;
                DomainEnd.Subscribe(() => SentInput.Sent += Note, () => SentInput.Sent -= Note);
            }
        }

        private void NoteErrors()
        {
            if (_context.Console.NewestSeq == _seenEntries)
            {
                return;
            }
            foreach (var entry in _context.Console.After(_seenEntries, out _, out _seenEntries))
            {
                if (entry.Type != EntryType.Log && entry.Type != EntryType.Warning)
                {
                    Note(entry.Type + ": " + entry.Message.Split('\n')[0]);
                }
            }
        }

        private void Note(string words)
        {
            if (_events.Count < MostEvents && _sheet == null)
            {
                _events.Add(new JsonObject { { "t", new GameMoment().TimeS },
                    { "what", words.Substring(0, Math.Min(words.Length, MostWords)) } });
            }
        }

        private void Leave()
        {
            IsOver = true;
            SentInput.Sent -= Note;
        }
    }
}
