using System;
using System.Collections.Generic;

namespace UnityEngine
{
    public abstract partial class Native
    {
        private readonly List<double> _profiled = new List<double>();

        /// <summary>ProfilerDriver.enabled and profileEditor: native, so a reload leaves them as they are.</summary>
        public bool Profiles { get; set; }
        public bool ProfilesEditor { get; set; }
        /// <summary>Recorders that were not disposed of.</summary>
        public int Recorders { get; set; }
        public double FrameMs { get; set; }
        public int Profiled { get { return _profiled.Count; } }

        /// <summary>Frames that a person has captured, or loaded from a file.</summary>
        public void CaptureFrames(int count) { for (var i = 0; i < count; i++) _profiled.Add(10); }

        public void ClearFrames() { _profiled.Clear(); }

        public void EndFrame(double ms)
        {
            FrameMs = ms;
            if (Profiles) _profiled.Add(ms);
        }

        public double ProfiledMs(int index)
        {
            return _profiled[index];
        }
    }
}

// Runtime/Profiler/ScriptBindings/ProfilerRecorder.bindings.cs, 2021.3 to 6000.7.
namespace Unity.Profiling
{
    using UnityEngine;

    public struct ProfilerCategory
    {
        public static ProfilerCategory Render { get { return new ProfilerCategory(); } }
        public static ProfilerCategory Memory { get { return new ProfilerCategory(); } }
    }

    [Flags]
    public enum ProfilerRecorderOptions { None = 0, Default = 24 }

    /// <summary>Native memory until it is disposed of. Its first value comes with the next frame; a name that nobody
    /// knows is not valid.</summary>
    public struct ProfilerRecorder : IDisposable
    {
        private string _name;
        private int _since;

        public static ProfilerRecorder StartNew(
            ProfilerCategory category, string statName, int capacity = 1, ProfilerRecorderOptions options =
            ProfilerRecorderOptions.Default)
        {
            Native.Editor.Recorders++;
            return new ProfilerRecorder { _name = statName, _since = Native.Editor.FrameCount };
        }

        public bool Valid { get { return _name != "Texture Memory"; } }
        public int Count { get { return Valid && Native.Editor.FrameCount > _since ? 1 : 0; } }
        public long LastValue
        {
            get
            {
                return Count == 0
                    ? 0
                    : _name == "GC Allocated In Frame"
                    ? 128
                    : _name == "Triangles Count"
                    ? 0
                    : _name.Length;
            }
        }

        public void Dispose()
        {
            Native.Editor.Recorders--;
        }
    }
}
