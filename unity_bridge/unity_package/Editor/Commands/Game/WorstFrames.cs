using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor.Profiling;
using UnityEditorInternal;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>The slowest frames of the game, with what took longest in each, by Unity's profiler. It is switched on for that, and put back.
    /// Main thread.</summary>
    /// <remarks>Deep profiling would reload the scripts, and is never touched. The profiler keeps the newest frames only (300 by default), so they are
    /// read while they come.</remarks>
    internal sealed class WorstFrames
    {
        private const int Kept = 3;
        private const int MainThread = 0;
        private const string Editor = "profile_editor";

        private readonly int _top;
        private readonly bool _isOthers = ProfilerDriver.enabled;
        private readonly bool _profiledEditor = ProfilerDriver.profileEditor;
        private readonly List<Slow> _slowest = new List<Slow>();
        private bool _isOn;
        private int _read;

        /// <param name="top">How many rows of each frame; none for 0.</param>
        public WorstFrames(int top)
        {
            _top = top;
        }

        private bool IsWanted => _top > 0 && !_isOthers;

        public void Start()
        {
            if (!IsWanted)
            {
                return;
            }
            _isOn = true;
            ProfilerDriver.profileEditor = false;
            ProfilerDriver.enabled = true;
            _read = ProfilerDriver.lastFrameIndex;
            DomainEnd.Subscribe(() => { }, PutBack);
        }

        /// <summary>Takes note of the frames that were recorded since the last call.</summary>
        public void Read()
        {
            if (!_isOn)
            {
                return;
            }
            var last = ProfilerDriver.lastFrameIndex;
            for (var index = Math.Max(_read + 1, ProfilerDriver.firstFrameIndex); index <= last; index++)
            {
                using var raw = ProfilerDriver.GetRawFrameDataView(index, MainThread);
                var ms = raw != null && raw.valid ? raw.frameTimeMs : 0;
                if (ms > 0 && (_slowest.Count < Kept || ms > _slowest[Kept - 1].Ms))
                {
                    _slowest.Add(new Slow(ms, Describe(index, ms, Time.frameCount - (last - index))));
                    _slowest.Sort((one, other) => other.Ms.CompareTo(one.Ms));
                    _slowest.RemoveRange(Math.Min(Kept, _slowest.Count), Math.Max(0, _slowest.Count - Kept));
                }
            }
            _read = Math.Max(_read, last);
        }

        /// <summary>Can be called again.</summary>
        public void PutBack()
        {
            if (_isOn)
            {
                _isOn = false;
                ProfilerDriver.enabled = false;
                ProfilerDriver.profileEditor = _profiledEditor;
            }
        }

        /// <summary>In the next domain, where the last one did not come to it.</summary>
        public static void PutBack(JsonObject memo)
        {
            if (memo.Flag(Editor) is { } profiledEditor && ProfilerDriver.enabled)
            {
                ProfilerDriver.enabled = false;
                ProfilerDriver.profileEditor = profiledEditor;
            }
        }

        /// <summary>What <see cref="PutBack(JsonObject)"/> needs.</summary>
        public void Describe(JsonObject memo)
        {
            if (IsWanted)
            {
                memo[Editor] = _profiledEditor;
            }
        }

        public void AddTo(JsonObject result)
        {
            if (IsWanted)
            {
                result["worst"] = _slowest.ConvertAll(slow => slow.Row);
            }
            else if (_top > 0)
            {
                result["reason"] = "Unity's profiler records already, so the slowest frames are left out.";
            }
        }

        private JsonObject Describe(int index, double ms, int frame)
        {
            using var view = ProfilerDriver.GetHierarchyFrameDataView(index, MainThread, HierarchyFrameDataView.ViewModes.MergeSamplesWithTheSameName,
                HierarchyFrameDataView.columnSelfTime, false);
            var items = new Dictionary<string, double[]>();
            if (view != null && view.valid)
            {
                Collect(view, items);
            }
            var rows = items.OrderByDescending(item => item.Value[0]).Take(_top).Select(item => new JsonObject
            {
                { "name", item.Key }, { "ms", Math.Round(item.Value[0], 3) }, { "gc_bytes", (long)item.Value[1] }, { "calls", (long)item.Value[2] },
            }).ToList();
            return new JsonObject
            {
                { "frame", frame }, { "ms", Math.Round(ms, 2) }, { "gc_bytes", (long)items.Values.Sum(item => item[1]) }, { "top", rows },
            };
        }

        // By name: time without what is called, garbage of it, and calls. Not by recursion: the hierarchy may be deep. Garbage counts all below, so
        // that of the items below is taken off.
        private static void Collect(HierarchyFrameDataView view, Dictionary<string, double[]> items)
        {
            var next = new Stack<int>();
            var below = new List<int>();
            next.Push(view.GetRootItemID());
            while (next.Count > 0)
            {
                var id = next.Pop();
                view.GetItemChildren(id, below);
                var garbage = view.GetItemColumnDataAsDouble(id, HierarchyFrameDataView.columnGcMemory);
                foreach (var child in below)
                {
                    garbage -= view.GetItemColumnDataAsDouble(child, HierarchyFrameDataView.columnGcMemory);
                    next.Push(child);
                }
                if (id == view.GetRootItemID())
                {
                    continue;
                }
                var name = view.GetItemName(id);
                if (!items.TryGetValue(name, out var sums))
                {
                    items[name] = sums = new double[3];
                }
                sums[0] += view.GetItemColumnDataAsDouble(id, HierarchyFrameDataView.columnSelfTime);
                sums[1] += Math.Max(0, garbage);
                sums[2] += view.GetItemColumnDataAsDouble(id, HierarchyFrameDataView.columnCalls);
            }
        }

        private readonly struct Slow
        {
            public Slow(double ms, JsonObject row)
            {
                Ms = ms;
                Row = row;
            }

            public double Ms { get; }

            public JsonObject Row { get; }
        }
    }
}
