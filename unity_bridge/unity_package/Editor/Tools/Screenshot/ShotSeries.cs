using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.GameUi;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The pictures of one call, one after the other, and the answer: the only one, or a grid of them. Main
    /// thread.</summary>
    /// <remarks>Between two updates nothing of Unity's is held: the frames are kept as arrays of pixels, so a reload or
    /// a lost connection leaves no texture behind.</remarks>
    internal sealed class ShotSeries : IDisposable
    {
        private readonly ToolCall _call;
        private readonly ShotRequest _asked;
        private readonly IPicturedView _view;
        private readonly TickClock _ticks;
        private readonly List<JsonObject> _shots = new List<JsonObject>();
        private PictureGrid _grid;
        private PictureSample _last;
        private long _patienceMs;
        private long _beginsMs;     // of the next frame
        private long? _begunMs;

        public ShotSeries(ToolCall call, ShotRequest asked, IPicturedView view, TickClock ticks)
        {
            _call = call;
            _asked = asked;
            _view = view;
            _ticks = ticks;
            _patienceMs = view.PatienceMs;
        }

        public void Dispose() => _view.Dispose();

        /// <summary>In every update. True once it is answered.</summary>
        public bool Advance()
        {
            if (_ticks.Ms < _beginsMs)
            {
                return false;
            }
            if (_begunMs == null)
            {
                _begunMs = _ticks.Ms;
                return IsRefused(_view.Begin());
            }
            var hasDrawn = _view.HasDrawn();
            var waitedMs = _ticks.Ms - _begunMs.Value;
            if (!hasDrawn && waitedMs < _patienceMs)
            {
                return false;
            }
            if (!hasDrawn)
            {
                // A view that is hidden is not waited for once more at each frame: other calls wait for this one.
                _patienceMs -= waitedMs;
            }
            return IsRefused(_view.Show((texture, flips) => Take(texture, flips, hasDrawn)))
                || _shots.Count == _asked.Frames;
        }

        private bool IsRefused(string why)
        {
            if (why != null)
            {
                _call.Refuse(Refusal.NotExecuted("no_view", why));
            }
            return why != null;
        }

        private void Take(RenderTexture texture, bool flips, bool hasDrawn)
        {
            Picture picture = null;
            bool isUniform;
            object changed = null;
            if (_asked.Frames == 1)
            {
                picture = Picture.FromTexture(texture, _asked.MaxSize, _asked.Format, flips);
                isUniform = picture.IsUniform;
            }
            else
            {
                _grid ??= new PictureGrid(_asked.Frames, texture.width, texture.height, _asked.MaxSize);
                isUniform = _grid.Add(texture, flips);
                var sample = new PictureSample(texture, flips);
                changed = _last == null ? null : (object)sample.ChangedFrom(_last);
                _last = sample;
            }
            _shots.Add(new JsonObject
            {
                { "frame", _view.Frame }, { "fresh", _view.IsFresh(hasDrawn) }, { "uniform", isUniform },
                { "changed", changed },
            });
            _beginsMs = _ticks.Ms + _asked.EveryMs;
            _begunMs = null;
            if (_shots.Count == _asked.Frames)
            {
                Answer(picture ?? _grid.ToPicture(_asked.Format), hasDrawn ? null : _view.NotDrawn);
            }
        }

        // The members are those of the last frame.
        private void Answer(Picture picture, string reason)
        {
            var last = _shots.Last();
            var result = new JsonObject
            {
                { "image", picture.Base64 }, { "format", _asked.Format }, { "width", picture.Width },
                { "height", picture.Height },
                { "view", _view.Name }, { "playing", EditorApplication.isPlaying }, { "frame", last.Get("frame") },
                { "fresh", last.Get("fresh") }, { "uniform", last.Get("uniform") },
            };
            result.AddIfAny("reason", reason);
            if (_asked.Frames > 1)
            {
                result["shots"] = _shots;
            }
            _call.Succeed(result);
        }
    }
}
