using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using Unity.Profiling;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>The command <c>profile</c>: numbers of the next frames of the game (SPEC §16.5).</summary>
    internal static class Profile
    {
        private const double MostSeconds = 60;
        private const int MostTop = 50;

        [BridgeCommand("profile",
            "Measures the next frames of the game, for seconds (1 to 60), in play mode: frame times, garbage, draw "
            + "calls, memory, and what took longest in the three slowest frames (top of each).",
            Write = false, NextToOthers = true,
            Keywords = "profiler performance fps")]
        private static IJobRun Run(
            ToolContext context, CancellationToken stop, IProgress<float> progress, double seconds = 3, int top = 10)
        {
            if (!(seconds >= 1 && seconds <= MostSeconds) || top < 0 || top > MostTop)
            {
                throw Refuse.Argument("seconds is 1 to " + MostSeconds + ", and top 0 to " + MostTop + ".");
            }
            Refuse.OutsideGame("profile");
            return new Profiling(context.Ticks, stop, progress, seconds, top);
        }

        /// <summary>In the next domain: what was measured until then, and the profiler as it was.</summary>
        private static IJobRun GoOn(ToolContext context, JsonObject memo)
        {
            WorstFrames.PutBack(memo);
            return new EndedRun(JobEnd.Value(memo.Object("result")), memo);
        }
    }

    /// <summary>One measurement.</summary>
    internal sealed class Profiling : IJobRun
    {
        // After how long without a frame none will come.
        private const long StillMs = 10000;

        private readonly TickClock _ticks;
        private readonly CancellationToken _stop;
        private readonly IProgress<float> _progress;
        private readonly double _seconds;
        private readonly Stopwatch _took = Stopwatch.StartNew();
        private readonly List<double> _frameMs = new List<double>();
        private readonly WorstFrames _worst;
        private FrameCounters _counters;
        private int _frame = Time.frameCount;
        private long _movedAtMs;

        public Profiling(TickClock ticks, CancellationToken stop, IProgress<float> progress, double seconds, int top)
        {
            _ticks = ticks;
            _stop = stop;
            _progress = progress;
            _seconds = seconds;
            _movedAtMs = ticks.Ms;
            _worst = new WorstFrames(top);
        }

        public JobEnd Advance()
        {
            try
            {
                _stop.ThrowIfCancellationRequested();
                if (_counters == null)
                {
                    // Not earlier: what the next domain needs to put the profiler back is written by now.
                    _counters = new FrameCounters();
                    _worst.Start();
                }
                var end = Observe();
                if (end != null)
                {
                    Leave();
                }
                return end;
            }
            catch
            {
                Leave();
                throw;
            }
        }

        public JsonObject Memo()
        {
            var memo = new JsonObject { { "result", Result("reloaded") } };
            _worst.Describe(memo);
            return memo;
        }

        private JobEnd Observe()
        {
            if (!EditorApplication.isPlaying || PlayModeState.IsChanging)
            {
                return End("not_playing");
            }
            if (_frame != Time.frameCount)
            {
                _frame = Time.frameCount;
                _movedAtMs = _ticks.Ms;
                _frameMs.Add(Time.unscaledDeltaTime * 1000.0);
                _counters.Read();
            }
            _worst.Read();
            _progress.Report((float)(_took.Elapsed.TotalSeconds / _seconds));
            return _took.Elapsed.TotalSeconds >= _seconds
                ? End(null)
                : _ticks.Ms - _movedAtMs >= StillMs
                ? End("not_advancing")
                : null;
        }

        private void Leave()
        {
            _counters?.Dispose();
            _worst.PutBack();
        }

        private JobEnd End(string reason) => JobEnd.Value(Result(reason));

        private JsonObject Result(string reason)
        {
            var took = _took.Elapsed.TotalSeconds;
            var sorted = _frameMs.OrderBy(ms => ms).ToList();
            var result = new JsonObject
            {
                { "frames", (long)sorted.Count }, { "seconds", Math.Round(took, 3) },
                { "fps", Math.Round(took > 0 ? sorted.Count / took : 0, 1) },
            };
            if (sorted.Count > 0)
            {
                result["frame_ms"] = new JsonObject
                {
                    { "median", Math.Round(sorted[sorted.Count / 2], 2) },
                    { "p95", Math.Round(sorted[(sorted.Count - 1) * 95 / 100], 2) },
                    { "max", Math.Round(sorted[sorted.Count - 1], 2) },
                };
            }
            _counters?.AddTo(result);
            _worst.AddTo(result);
            result["in_editor"] = true;
            result.AddIfAny("reason", reason);
            return result;
        }
    }

    /// <summary>Unity's counters of a frame. A name that this version does not know is reported as missing, and never
    /// as 0.</summary>
    internal sealed class FrameCounters : IDisposable
    {
        private const string Garbage = "gc_bytes";

        private readonly Dictionary<string, ProfilerRecorder> _recorders = new Dictionary<string, ProfilerRecorder>();
        private readonly Dictionary<string, List<long>> _values = new Dictionary<string, List<long>>();

        public FrameCounters()
        {
            DomainEnd.AtEnd(Dispose);
            Add(Garbage, ProfilerCategory.Memory, "GC Allocated In Frame");
            Add("draw_calls", ProfilerCategory.Render, "Draw Calls Count");
            Add("set_pass_calls", ProfilerCategory.Render, "SetPass Calls Count");
            Add("triangles", ProfilerCategory.Render, "Triangles Count");
            Add("vertices", ProfilerCategory.Render, "Vertices Count");
            Add("memory_bytes", ProfilerCategory.Memory, "Total Used Memory");
            Add("texture_bytes", ProfilerCategory.Memory, "Texture Memory");
        }

        /// <summary>After a frame: the values of the last one that has ended.</summary>
        public void Read()
        {
            foreach (var recorder in _recorders)
            {
                if (recorder.Value.Valid && recorder.Value.Count > 0)
                {
                    _values[recorder.Key].Add(recorder.Value.LastValue);
                }
            }
        }

        public void AddTo(JsonObject result)
        {
            var counters = new JsonObject();
            var missing = new List<string>();
            foreach (var pair in _values)
            {
                if (pair.Key == Garbage && pair.Value.Count > 0)
                {
                    result[Garbage] = new JsonObject { { "per_frame", (long)pair.Value.Average() },
                        { "max", pair.Value.Max() } };
                }
                else if (pair.Value.Exists(value => value != 0))
                {
                    counters[pair.Key] = pair.Value.OrderBy(value => value).ElementAt(pair.Value.Count / 2);
                }
                else
                {
                    missing.Add(pair.Key);
                }
            }
            result["counters"] = counters;
            result["missing"] = missing;
        }

        // They hold native memory. Can be called again.
        public void Dispose()
        {
            foreach (var recorder in _recorders.Values)
            {
                recorder.Dispose();
            }
            _recorders.Clear();
            _values.Clear();
        }

        private void Add(string name, ProfilerCategory category, string counter)
        {
            _recorders[name] = ProfilerRecorder.StartNew(category, counter, 1);
            _values[name] = new List<long>();
        }
    }
}
