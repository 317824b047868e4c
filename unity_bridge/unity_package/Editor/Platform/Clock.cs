using System;

namespace UnityBridge.Platform
{
    /// <summary>Times that are kept over a reload: milliseconds since 1970, UTC.</summary>
    internal static class Clock
    {
        public static long UtcMs => DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
    }
}
