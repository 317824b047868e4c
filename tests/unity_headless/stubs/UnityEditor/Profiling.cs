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

        /// <summary>Internal (2021.3.58f1:479, 6000.7.0a1:566). Else the frames are those of the player or device that
        /// the window is connected to.</summary>
        internal static bool IsConnectionEditor() { return !Native.Editor.Quirk("profiles-device"); }

        public static void ClearAllFrames() { Native.Editor.Say("profiler cleared"); Native.Editor.ClearFrames(); }

        public static bool profileEditor
        {
            get { return Native.Editor.ProfilesEditor; }
            set { Native.Editor.ProfilesEditor = value; }
        }
        /// <summary>-1 without frames.</summary>
        public static int lastFrameIndex { get { return Native.Editor.Profiled - 1; } }
        public static int firstFrameIndex
        {
            get { return Math.Max(Native.Editor.Profiled - MostFrames, Native.Editor.Profiled == 0 ? -1 : 0); }
        }

        public static RawFrameDataView GetRawFrameDataView(int frameIndex, int threadIndex)
        {
            return new RawFrameDataView(frameIndex);
        }

        public static HierarchyFrameDataView GetHierarchyFrameDataView(
            int frameIndex, int threadIndex, HierarchyFrameDataView.ViewModes viewMode,
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

        public bool valid
        {
            get
            {
                return Index >= UnityEditorInternal.ProfilerDriver.firstFrameIndex && Index < Native.Editor.Profiled;
            }
        }
        public float frameTimeMs { get { return (float)Native.Editor.ProfiledMs(Index); } }

        public void Dispose() { }
    }

    public class RawFrameDataView : FrameDataView
    {
        internal RawFrameDataView(int index) : base(index) { }
    }

    /// <summary>A frame of the stub. Below the root are PlayerLoop and EditorLoop, which is the editor's own work and
    /// rest, without children (MarkersInformationProvider.cs 6000.3.19f1:18-23); below PlayerLoop are Enemy.Update,
    /// Camera.Render, and a wait for the screen. The longer the game itself takes, the shorter the frame is, as where
    /// the editor rests between two frames.</summary>
    public class HierarchyFrameDataView : FrameDataView
    {
        [Flags]
        public enum ViewModes { Default = 0, MergeSamplesWithTheSameName = 1 }

        public const int columnCalls = 3, columnGcMemory = 4, columnTotalTime = 5, columnSelfTime = 6;

        private const int Root = 0, Player = 1, Enemy = 2, Camera = 3, Wait = 4, Editor = 5;
        private static readonly string[] Names =
            { "", "PlayerLoop", "Enemy.Update()", "Camera.Render", "WaitForTargetFPS", "EditorLoop" };

        internal HierarchyFrameDataView(int index) : base(index) { }

        public int GetRootItemID() { return Root; }
        public string GetItemName(int id) { return Names[id]; }

        public void GetItemChildren(int id, List<int> outChildren)
        {
            outChildren.Clear();
            if (id == Root) outChildren.AddRange(new[] { Player, Editor });
            if (id == Player) outChildren.AddRange(new[] { Enemy, Camera, Wait });
        }

        public double GetItemColumnDataAsDouble(int id, int column)
        {
            if (column == columnCalls) return id == Enemy ? 40 : 1;
            if (column == columnGcMemory) return id == Root || id == Player ? 164 : id == Enemy ? 100 : 0;
            var rest = Math.Max(0, frameTimeMs - OfGame - 0.1) / 2;
            var self = new[] { 0, 0.1, OfGame * 2 / 3, OfGame / 3, rest, rest };
            return column == columnSelfTime || id > Player
                ? self[id]
                : id == Player
                ? OfGame + 0.1 + rest
                : frameTimeMs;
        }

        private double OfGame { get { return Math.Min(frameTimeMs / 2, 1 + 40 / (10 + frameTimeMs)); } }
    }
}
