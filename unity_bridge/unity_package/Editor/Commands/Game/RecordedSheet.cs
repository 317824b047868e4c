using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using UnityEngine;
using UnityBridge.Console;
using UnityBridge.Framework;
using UnityBridge.GameUi;
using UnityBridge.Jobs;
using UnityBridge.Json;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>The sheet of a recording, made of the pictures on disk, one in each update: also by the domain after
    /// the one that took them. Main thread.</summary>
    internal sealed class RecordedSheet : IJobRun, INeedsEveryUpdate
    {
        private readonly JsonObject _memo;
        private readonly string _ended;
        private readonly FrameFolder _folder;
        private readonly List<FrameTime> _times;
        private readonly List<JsonObject> _events;
        private readonly List<double> _changes = new List<double>();
        private int _place;
        private bool _isBlack = true;
        private PictureGrid _grid;
        private PictureSample _sample;

        private RecordedSheet(JsonObject memo, string ended)
        {
            _memo = memo;
            _ended = ended;
            _folder = new FrameFolder(memo.Text("folder"));
            _times = _folder.Frames();
            _events = memo.Array("events").OfType<JsonObject>().ToList();
        }

        bool INeedsEveryUpdate.NeedsEveryUpdate => true;

        /// <param name="ended">Why it ended early; null if it did not.</param>
        public static RecordedSheet FromMemo(JsonObject memo, string ended) => new RecordedSheet(memo, ended);

        public static RecordedSheet FromMemo(JsonObject memo) => FromMemo(memo, memo.Text("ended"));

        public static JsonObject ToMemo(RecordingPlan plan, int missed, List<object> events, string ended) =>
            new JsonObject
        {
            { "folder", plan.Folder.Path }, { "max_size", (long)plan.MaxSize }, { "missed", (long)missed },
            { "events", new List<object>(events) }, { "ended", ended },
        };

        public JsonObject Memo() => _memo;

        public JobEnd Advance()
        {
            if (_times.Count == 0)
            {
                _folder.Delete();
                throw new CommandRefused(
                    _ended ?? "no_view", "The recording ended before its first picture (" + (_ended ?? "no_view")
                    + "). Record again.");
            }
            if (_place < _times.Count)
            {
                Add(_times[_place++]);
                return null;
            }
            return JobEnd.Succeeded(Result());
        }

        private void Add(FrameTime time)
        {
            // Its values are shown as they are stored, so nothing may convert them: the texture counts as one of linear
            // values.
            var texture = new Texture2D(2, 2, TextureFormat.RGB24, false, true);
            try
            {
                texture.LoadImage(_folder.Read(time));
                _grid ??= new PictureGrid(
                    _times.Count, texture.width, texture.height, _memo.Whole("max_size"));
                var previous = _place > 1 ? _times[_place - 2].GameTimeS : double.MinValue;
                var happened = _events.FindAll(moment => IsBetween(moment, previous, time.GameTimeS));
                var hasError = happened.Exists(IsError);
                var hasInput = happened.Exists(moment => !IsError(moment));
                var caption = time.GameTimeS.ToString("0.00", CultureInfo.InvariantCulture) + "s";
                _grid.Add(texture, false, (pixels, width) => Caption.Draw(pixels, width, caption, hasInput, hasError));
                var sample = new PictureSample(texture, false);
                _isBlack &= sample.IsBlack;
                if (_sample != null)
                {
                    _changes.Add(sample.ChangedFrom(_sample));
                }
                _sample = sample;
            }
            finally
            {
                Object.DestroyImmediate(texture);
            }
        }

        private static bool IsBetween(JsonObject moment, double after, double until)
        {
            var time = moment.Number("t");
            return time > after && time <= until;
        }

        // The type of a console's entry stands before its text, and the command's name before other input.
        private static bool IsError(JsonObject moment) => EntryType.IsKnown(moment.Text("what").Split(':')[0]);

        private JsonObject Result()
        {
            var picture = _grid.ToPicture(Picture.Jpg);
            var sorted = _changes.OrderBy(change => change).ToList();
            var value = new JsonObject
            {
                { "seconds", Math.Round((_times.Last().RealMs - _times[0].RealMs) / 1000.0, 3) },
                { "frames", (long)_times.Count },
                { "times", _times.Select(time => (object)time.GameTimeS).ToList() },
                { "events", _events.Cast<object>().ToList() },
                { "changed", Changed(sorted) }, { "still", sorted.Count > 0 && sorted.Last() == 0 },
                { "black", _isBlack },
                { "missed", _memo.Integer("missed") ?? 0 }, { "folder", _folder.Path },
            };
            value.AddIfAny("ended", _ended);
            var image = new JsonObject
            {
                { "data", picture.Base64 }, { "mime_type", "image/jpeg" }, { "width", (long)picture.Width },
                { "height", (long)picture.Height },
            };
            return new JsonObject { { "value", value }, { "image", image } };
        }

        private static JsonObject Changed(List<double> sorted) => sorted.Count == 0 ? null
            : new JsonObject { { "median", sorted[sorted.Count / 2] }, { "max", sorted.Last() } };
    }
}
