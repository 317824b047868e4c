using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor.Profiling;
using UnityEditorInternal;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>The slowest frames of the game, with what took longest in each, by Unity's profiler. It is switched on
    /// for that, and put back. Main thread.</summary>
    /// <remarks>Deep profiling would reload the scripts, and is never touched. The profiler keeps the newest frames
    /// only (300 by default), so they are read while they come.</remarks>
    internal sealed class WorstFrames
    {
        private const int Kept = 3;
        private const int MainThread = 0;
        private const string Editor = "profile_editor";

        private const string PlayerLoop = "PlayerLoop";

        // Where the main thread rests until the screen, the frame rate or the graphics thread lets it go on (Unity's
        // "Common markers").
        private static readonly string[] Waits =
            ("WaitForTargetFPS Gfx.WaitForPresent Gfx.WaitForGfxCommandsFromMainThread Gfx.WaitForRenderThread "
            + "WaitForLastPresentation TimeUpdate.WaitForLastPresentation Semaphore.WaitForSignal Idle").Split(' ');

        // Internal (ProfilerAPI.bindings.cs 2021.3.58f1:479, 6000.7.0a1:566).
        private static readonly MethodInfo IsOfEditor = Members.Method(typeof(ProfilerDriver), "IsConnectionEditor");

        private readonly int _top;
        private readonly string _reason = WhyNot();
        private readonly bool _profiledEditor = ProfilerDriver.profileEditor;
        private readonly List<(double Ms, JsonObject Row)> _slowest = new List<(double, JsonObject)>();
        private bool _isOn;
        private int _read;

        /// <param name="top">How many rows of each frame; none for 0.</param>
        public WorstFrames(int top)
        {
            _top = top;
        }

        private bool IsWanted => _top > 0 && _reason == null;

        // What a person has captured or loaded is in the same list of frames, and a recording pushes it out.
        private static string WhyNot()
        {
            if (ProfilerDriver.enabled)
            {
                return "Unity's profiler records already";
            }
            if (ProfilerDriver.lastFrameIndex >= 0)
            {
                return "Unity's profiler has frames that a person has captured or loaded";
            }
            return IsOfEditor?.Invoke(null, null) is false
                ? "Unity's profiler is connected to a player or a device"
                : null;
        }

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
            DomainEnd.AtEnd(PutBack);
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
                if (raw != null && raw.valid)
                {
                    Note(index, raw.frameTimeMs, Time.frameCount - (last - index));
                }
            }
            _read = Math.Max(_read, last);
        }

        // By the time that the game itself took: a whole frame has the editor's own work and rest too, and waits for
        // the screen.
        private void Note(int index, double ms, int frame)
        {
            using var view = ProfilerDriver.GetHierarchyFrameDataView(index, MainThread,
                HierarchyFrameDataView.ViewModes.MergeSamplesWithTheSameName, HierarchyFrameDataView.columnSelfTime,
                false);
            if (view == null || !view.valid)
            {
                return;
            }
            var items = PlayerItems(view);
            var playerMs = items.Values.Sum(item => item[0]);
            if (playerMs <= 0 || (_slowest.Count == Kept && playerMs <= _slowest[Kept - 1].Ms))
            {
                return;
            }
            _slowest.Add((playerMs, Describe(items, frame, ms, playerMs)));
            _slowest.Sort((one, other) => other.Ms.CompareTo(one.Ms));
            _slowest.RemoveRange(Math.Min(Kept, _slowest.Count), Math.Max(0, _slowest.Count - Kept));
        }

        /// <summary>Can be called again. Frames that are ours go, so that those of the next person or call are not
        /// behind them.</summary>
        public void PutBack()
        {
            if (_isOn)
            {
                _isOn = false;
                PutBack(_profiledEditor);
            }
        }

        private static void PutBack(bool profiledEditor)
        {
            ProfilerDriver.enabled = false;
            ProfilerDriver.profileEditor = profiledEditor;
            ProfilerDriver.ClearAllFrames();
        }

        /// <summary>In the next domain, where the last one did not come to it.</summary>
        public static void PutBack(JsonObject memo)
        {
            if (memo.Flag(Editor) is { } profiledEditor && ProfilerDriver.enabled)
            {
                PutBack(profiledEditor);
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
                result["reason"] = _reason + ", so the slowest frames are left out.";
            }
        }

        private JsonObject Describe(Dictionary<string, double[]> items, int frame, double ms, double playerMs)
        {
            var rows = items.OrderByDescending(item => item.Value[0]).Take(_top).Select(item => new JsonObject
            {
                { "name", item.Key }, { "ms", Math.Round(item.Value[0], 3) }, { "gc_bytes", (long)item.Value[1] },
                { "calls", (long)item.Value[2] },
            }).ToList();
            return new JsonObject
            {
                { "frame", frame }, { "ms", Math.Round(ms, 2) }, { "player_ms", Math.Round(playerMs, 2) },
                { "gc_bytes", (long)items.Values.Sum(item => item[1]) }, { "top", rows },
            };
        }

        // By name: time without what is called, garbage of it, and calls, of all below PlayerLoop that is no wait.
        // Not by recursion: the hierarchy may be deep. Garbage counts all below, so that of the items below is taken
        // off.
        private static Dictionary<string, double[]> PlayerItems(HierarchyFrameDataView view)
        {
            var items = new Dictionary<string, double[]>();
            var next = new Stack<int>();
            var below = new List<int>();
            view.GetItemChildren(view.GetRootItemID(), below);
            below.Where(id => view.GetItemName(id) == PlayerLoop).ToList().ForEach(next.Push);
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
                var name = view.GetItemName(id);
                if (Array.Exists(Waits, name.Begins))
                {
                    continue;
                }
                if (!items.TryGetValue(name, out var sums))
                {
                    items[name] = sums = new double[3];
                }
                sums[0] += view.GetItemColumnDataAsDouble(id, HierarchyFrameDataView.columnSelfTime);
                sums[1] += Math.Max(0, garbage);
                sums[2] += view.GetItemColumnDataAsDouble(id, HierarchyFrameDataView.columnCalls);
            }
            return items;
        }
    }
}
