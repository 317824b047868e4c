using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Objects;

namespace UnityBridge.Framework
{
    /// <summary>How far two names are apart.</summary>
    internal static class Spelling
    {
        // What was sent may be megabytes.
        private const int MostCompared = 64;
        private const int LeastWord = 4;

        /// <summary>The number of letters to add, remove or change; a part of a name is nearer than any
        /// other.</summary>
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

        /// <summary>The nearest names, as a sentence lists them.</summary>
        public static string Nearest(string asked, IEnumerable<string> names, int most = 8) =>
            string.Join(", ", names.OrderBy(name => Distance(asked ?? "", name)).Take(most));

        public static string Nearest(string asked, IEnumerable<Type> types, int most) =>
            string.Join(", ", types.OrderBy(type => Distance(asked ?? "", type.Name)).Take(most)
                .Select(TypeNames.NameOf));

        /// <summary>Whether each word has one slip of a finger at most, and a short one none: a letter more, less or
        /// wrong, or two that changed places.</summary>
        public static bool IsSlip(string asked, string name)
        {
            var ours = Compared(asked).Split('_');
            var theirs = Compared(name).Split('_');
            return ours.Length == theirs.Length
                ? ours.Zip(theirs, (one, other) => one == other || (other.Length >= LeastWord && IsOneSlip(one, other)))
                .All(fits => fits)
                : IsOneSlip(string.Concat(ours), string.Concat(theirs));
        }

        private static bool IsOneSlip(string one, string other)
        {
            var start = SameAtStart(one, other);
            var end = SameAtStart(one.Skip(start).Reverse(), other.Skip(start).Reverse());
            var (left, right) = (one.Substring(start, one.Length - start - end),
                other.Substring(start, other.Length - start - end));
            return Math.Max(left.Length, right.Length) <= 1
                || (left.Length == 2 && right.Length == 2 && left[0] == right[1] && left[1] == right[0]);
        }

        private static int SameAtStart(IEnumerable<char> one, IEnumerable<char> other) =>
            one.Zip(other, (a, b) => a == b).TakeWhile(same => same).Count();

        private static string Compared(string name) =>
            name.Substring(0, Math.Min(name.Length, MostCompared)).ToLowerInvariant();
    }
}
