using System;

namespace UnityBridge.Platform
{
    /// <summary>Texts compared by their characters, in no language.</summary>
    internal static class Texts
    {
        public static bool Begins(this string text, string start) => text.StartsWith(start, StringComparison.Ordinal);

        public static bool Ends(this string text, string end) => text.EndsWith(end, StringComparison.Ordinal);

        /// <summary>Null equals null alone.</summary>
        public static bool EqualsAnyCase(this string text, string other) =>
            string.Equals(text, other, StringComparison.OrdinalIgnoreCase);

        public static bool ContainsAnyCase(this string text, string part) =>
            text.IndexOf(part, StringComparison.OrdinalIgnoreCase) >= 0;
    }
}
