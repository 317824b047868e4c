using System;
using System.Diagnostics;

namespace UnityBridge.EditorLife
{
    /// <summary>
    /// Time as editor updates see it: it stands still while the main thread does. What waits for something to happen
    /// measures with this clock, since nothing can happen while a dialog is open or a step blocks. Main thread.
    /// </summary>
    internal sealed class TickClock
    {
        // An editor in the background may take a second for an update.
        private const long LongestTickMs = 1000;

        private readonly Stopwatch _wall = Stopwatch.StartNew();
        private long _lastWallMs;

        public long Ms { get; private set; }

        /// <summary>In every update, before anything that measures.</summary>
        public void Tick()
        {
            var now = _wall.ElapsedMilliseconds;
            Ms += Math.Min(now - _lastWallMs, LongestTickMs);
            _lastWallMs = now;
        }
    }
}
