using System;
using NUnit.Framework;
using UnityBridge.Connection;

namespace UnityBridge.Tests
{
    public class BackoffTests
    {
        [Test]
        public void PausesGrowToTheirCapAndNeverBeyondTheJitter()
        {
            var backoff = new Backoff(new Random(1));
            var expected = Backoff.InitialMs;
            for (var attempt = 0; attempt < 20; attempt++)
            {
                var pause = backoff.NextMs();
                Assert.IsTrue(pause >= Math.Floor(expected * 0.9) && pause <= Math.Ceiling(expected * 1.1));
                expected = Math.Min(Backoff.MaxMs, expected * Backoff.Multiplier);
            }
        }

        [Test]
        public void ACompletedHelloStartsThemAgain()
        {
            var backoff = new Backoff(new Random(1));
            for (var attempt = 0; attempt < 10; attempt++)
            {
                backoff.NextMs();
            }
            backoff.Reset();
            Assert.IsTrue(backoff.NextMs() <= 110);
        }
    }
}
