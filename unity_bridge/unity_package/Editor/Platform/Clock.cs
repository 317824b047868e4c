using System;

namespace UnityBridge.Platform
{
    /// <summary>Times that are kept over a reload: milliseconds since 1970, UTC.</summary>
    internal static class Clock
    {
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        public static long UtcMs => (long)(DateTime.UtcNow - Epoch).TotalMilliseconds;
    }
}
