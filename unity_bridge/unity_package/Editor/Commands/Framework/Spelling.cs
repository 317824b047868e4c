using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityBridge.Commands
{
    /// <summary>How far two names are apart.</summary>
    internal static class Spelling
    {
        // What was sent may be megabytes.
        private const int MostCompared = 64;
        private const int LeastWord = 3;

        /// <summary>The number of letters to add, remove or change; a part of a name is nearer than any other.</summary>
        public static int Distance(string asked, string name)
        {
            var one = Compared(asked);
            var other = Compared(name);
            if (one.Length > 0 && (other.Contains(one) || one.Contains(other)))
            {
                return 0;
            }
            var row = new int[other.Length + 1];
            for (var j = 0; j <= other.Length; j++)
            {
                row[j] = j;
            }
            for (var i = 1; i <= one.Length; i++)
            {
                var diagonal = row[0];
                row[0] = i;
                for (var j = 1; j <= other.Length; j++)
                {
                    var changed = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
                    diagonal = row[j];
                    row[j] = Math.Min(changed, 1 + Math.Min(row[j], row[j - 1]));
                }
            }
            return row[other.Length];
        }

        /// <summary>Whether one may be meant by the other: a third of its letters differs at most, or they share a word.</summary>
        public static bool IsNear(string asked, string name)
        {
            return Distance(asked, name) <= Math.Min(asked.Length, MostCompared) / 3 || Words(asked).Intersect(Words(name)).Any();
        }

        private static IEnumerable<string> Words(string name) =>
            Compared(name).Split('_', '.', '-', ' ').Where(word => word.Length >= LeastWord);

        private static string Compared(string name) => name.Substring(0, Math.Min(name.Length, MostCompared)).ToLowerInvariant();
    }
}
