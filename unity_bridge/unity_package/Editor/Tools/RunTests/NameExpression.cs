using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;
using System.Text.RegularExpressions;

namespace UnityBridge.Tools
{
    /// <summary>Many names as one anchored expression, for <c>Filter.groupNames</c>: the framework compares it once
    /// with each test, in place of each name with each test.</summary>
    internal static class NameExpression
    {
        // The framework makes a new Regex for each comparison (NUnit's ValueMatchFilter). That costs next to nothing
        // while the runtime has the expression in its cache, and everything while it has not.
        private const double CheapMs = 0.1;
        private const int Tries = 20;

        public static string FromNames(IEnumerable<string> names)
        {
            var sorted = new List<string>(new HashSet<string>(names));
            sorted.Sort(StringComparer.Ordinal);
            var expression = new StringBuilder("^");
            Append(expression, sorted, 0, sorted.Count, 0);
            return expression.Append('$').ToString();
        }

        /// <summary>Puts the expression into the runtime's cache, which a reload empties; whether that makes it
        /// cheap.</summary>
        public static bool IsCheap(string expression)
        {
            Regex.IsMatch("", expression);
            var spent = Stopwatch.StartNew();
            for (var i = 0; i < Tries; i++)
            {
                _ = new Regex(expression);
            }
            return spent.Elapsed.TotalMilliseconds / Tries < CheapMs;
        }

        // The names [first, end) share their first `at` characters, which are written already. What they share beyond
        // is written once, so that a comparison looks at a few alternatives for each character of a name.
        private static void Append(StringBuilder expression, List<string> sorted, int first, int end, int at)
        {
            var shared = SharedLength(sorted[first], sorted[end - 1]);
            expression.Append(Regex.Escape(sorted[first].Substring(at, shared - at)));
            if (end - first == 1)
            {
                return;
            }
            expression.Append("(?:");
            for (var i = first; i < end;)
            {
                var last = i;
                if (sorted[i].Length > shared)
                {
                    while (last + 1 < end && sorted[last + 1][shared] == sorted[i][shared])
                    {
                        last++;
                    }
                }
                if (i > first)
                {
                    expression.Append('|');
                }
                Append(expression, sorted, i, last + 1, shared);
                i = last + 1;
            }
            expression.Append(')');
        }

        // Of sorted names the first and the last share what all share.
        private static int SharedLength(string first, string last)
        {
            var length = 0;
            while (length < first.Length && length < last.Length && first[length] == last[length])
            {
                length++;
            }
            return length;
        }
    }
}
