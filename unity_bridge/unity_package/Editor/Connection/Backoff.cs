using System;

namespace UnityBridge.Connection
{
    /// <summary>The pauses between attempts to connect: 100 ms, then 1.7 times as long, at most 1200 ms, ±10 % (SPEC §9).</summary>
    internal sealed class Backoff
    {
        public const double InitialMs = 100;
        public const double Multiplier = 1.7;
        public const double MaxMs = 1200;
        public const double JitterRatio = 0.1;

        private readonly Random _random;
        private double _nextMs = InitialMs;

        public Backoff(Random random)
        {
            _random = random;
        }

        public int NextMs()
        {
            var jitter = 1 + JitterRatio * (2 * _random.NextDouble() - 1);
            var pause = _nextMs * jitter;
            _nextMs = Math.Min(MaxMs, _nextMs * Multiplier);
            return (int)Math.Round(pause);
        }

        /// <summary>Only a completed hello earns this: a foreign server that accepts connections would be hammered.</summary>
        public void Reset()
        {
            _nextMs = InitialMs;
        }
    }
}
