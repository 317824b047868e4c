using System;
using UnityBridge.Json;

namespace UnityBridge.Connection
{
    /// <summary>The pauses between attempts to connect: 100 ms, then 1.7 times as long, at most 1200 ms, ±10 % (SPEC
    /// §9), unless the server's hello says otherwise.</summary>
    internal sealed class Backoff
    {
        public const double InitialMs = 100;
        public const double Multiplier = 1.7;
        public const double MaxMs = 1200;
        public const double JitterRatio = 0.1;

        private readonly Random _random;
        private double _initialMs = InitialMs;
        private double _multiplier = Multiplier;
        private double _maxMs = MaxMs;
        private double _jitterRatio = JitterRatio;
        private double _nextMs = InitialMs;

        public Backoff(Random random)
        {
            _random = random;
        }

        /// <summary>Takes over what the server is configured with; what it does not say, or says out of reason,
        /// stays.</summary>
        public void Configure(JsonObject hello)
        {
            _initialMs = Within(hello.Number("reconnect_initial_ms"), 1, 60000, _initialMs);
            _multiplier = Within(hello.Number("reconnect_multiplier"), 1, 10, _multiplier);
            _maxMs = Within(hello.Number("reconnect_max_backoff_ms"), 1, 600000, _maxMs);
            _jitterRatio = Within(hello.Number("reconnect_jitter_ratio"), 0, 1, _jitterRatio);
        }

        public int NextMs()
        {
            var jitter = 1 + _jitterRatio * (2 * _random.NextDouble() - 1);
            var pause = _nextMs * jitter;
            _nextMs = Math.Min(_maxMs, _nextMs * _multiplier);
            return (int)Math.Round(pause);
        }

        /// <summary>Only a completed hello earns this: a foreign server that accepts connections would be
        /// hammered.</summary>
        public void Reset()
        {
            _nextMs = _initialMs;
        }

        private static double Within(double? said, double least, double most, double known)
        {
            return said != null && said >= least && said <= most ? said.Value : known;
        }
    }
}
