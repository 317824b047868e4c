using System;
using System.Collections.Generic;
using UnityEditor.Profiling;
using UnityEngine;

// Modules/ProfilerEditor/Public/*.bindings.cs, 2021.3 to 6000.7.
namespace UnityEditorInternal
{
    public static class ProfilerDriver
    {
        private const int MostFrames = 300;

        public static bool enabled
        {
            get { Native.RequireMainThread("ProfilerDriver.enabled"); return Native.Editor.Profiles; }
            set { Native.Editor.Profiles = value; Native.Editor.Say("profiler " + (value ? "on" : "off")); }
        }

        public static bool profileEditor { get { return Native.Editor.ProfilesEditor; } set { Native.Editor.ProfilesEditor = value; } }
        /// <summary>-1 without frames.</summary>
        public static int lastFrameIndex { get { return Native.Editor.Profiled - 1; } }
        public static int firstFrameIndex { get { return Math.Max(Native.Editor.Profiled - MostFrames, Native.Editor.Profiled == 0 ? -1 : 0); } }

        public static RawFrameDataView GetRawFrameDataView(int frameIndex, int threadIndex)
        {
            return new RawFrameDataView(frameIndex);
        }

        public static HierarchyFrameDataView GetHierarchyFrameDataView(int frameIndex, int threadIndex, HierarchyFrameDataView.ViewModes viewMode,
            int sortColumn, bool sortAscending)
        {
            return new HierarchyFrameDataView(frameIndex);
        }
    }
}

namespace UnityEditor.Profiling
{
    public abstract class FrameDataView : IDisposable
    {
        internal readonly int Index;

        internal FrameDataView(int index) { Index = index; }

        public bool valid { get { return Index >= UnityEditorInternal.ProfilerDriver.firstFrameIndex && Index < Native.Editor.Profiled; } }
        public float frameTimeMs { get { return (float)Native.Editor.ProfiledMs(Index); } }

        public void Dispose() { }
    }

    public class RawFrameDataView : FrameDataView
    {
        internal RawFrameDataView(int index) : base(index) { }
    }

    /// <summary>A frame of the stub: PlayerLoop, below it Enemy.Update and Camera.Render.</summary>
    public class HierarchyFrameDataView : FrameDataView
    {
        [Flags]
        public enum ViewModes { Default = 0, MergeSamplesWithTheSameName = 1 }

        public const int columnCalls = 3, columnGcMemory = 4, columnTotalTime = 5, columnSelfTime = 6;

        private static readonly string[] Names = { "", "PlayerLoop", "Enemy.Update()", "Camera.Render" };

        internal HierarchyFrameDataView(int index) : base(index) { }

        public int GetRootItemID() { return 0; }
        public string GetItemName(int id) { return Names[id]; }

        public void GetItemChildren(int id, List<int> outChildren)
        {
            outChildren.Clear();
            if (id == 0) outChildren.Add(1);
            if (id == 1) outChildren.AddRange(new[] { 2, 3 });
        }

        public double GetItemColumnDataAsDouble(int id, int column)
        {
            return column == columnCalls ? (id == 2 ? 40 : 1) : column == columnGcMemory ? (id == 3 ? 0 : id < 2 ? 164 : 100) : column == columnSelfTime ? id : frameTimeMs;
        }
    }
}
