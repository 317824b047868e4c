using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Framework;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>How like names of code are, by the words that they consist of.</summary>
    internal static class ApiWords
    {
        /// <summary>From this likeness on a name may be meant.</summary>
        public const double Least = 0.55;

        /// <summary>The same among the members of a type that is known.</summary>
        public const double LeastOfMember = 0.3;

        private const double OfPart = 0.8;
        private const double OfSlip = 0.7;
        private const double ForOther = 0.06;
        private const int LeastPart = 3;
        private const int MostWords = 12;

        private static readonly Pattern Word = new Pattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+");

        // Words that Unity's names and made-up ones use for the same thing; the first stands for all.
        private static readonly Lazy<Dictionary<string, string>> Same = new Lazy<Dictionary<string, string>>(() => new[]
        {
            "get find fetch retrieve lookup query", "destroy delete remove kill",
            "create make new spawn build instantiate add", "count size length number",
            "enter start begin", "exit stop end quit leave", "load open read", "save write store",
            "enabled active visible shown", "current main instance singleton",
            "set change assign", "path location file", "position pos place", "rotation rot orientation",
            "parent owner", "child children", "refresh reimport reload update",
            "log print write debug", "time clock seconds elapsed", "ask dialog prompt", "delta difference",
            "color colour",
        }.SelectMany(line => line.Split(' ').Select(word => new { word, first = line.Split(' ')[0] })).GroupBy(
        pair => pair.word)
            .ToDictionary(group => group.Key, group => group.First().first));

        /// <summary>The words of a name, in lower case.</summary>
        public static List<string> Split(string name)
        {
            var words = new List<string>();
            for (var match = Word.Value.Match(name); match.Success && words.Count < MostWords;
                match = match.NextMatch())
            {
                words.Add(match.Value.ToLowerInvariant());
            }
            return words;
        }

        /// <summary>From 0 to 1: what share of the wanted words it has, less for each word that nobody wants.</summary>
        public static double Likeness(List<string> wanted, List<string> has)
        {
            var sum = 0.0;
            foreach (var word in wanted)
            {
                var best = 0.0;
                foreach (var other in has)
                {
                    best = Math.Max(best, Likeness(word, other));
                }
                sum += best;
            }
            return wanted.Count == 0 ? 0 : (sum / wanted.Count) - (ForOther * Math.Max(0, has.Count - wanted.Count));
        }

        private static double Likeness(string word, string other)
        {
            if (word == other)
            {
                return 1;
            }
            if (Same.Value.TryGetValue(word, out var one) && Same.Value.TryGetValue(other, out var same) && one == same)
            {
                return OfPart;
            }
            var shorter = Math.Min(word.Length, other.Length);
            if (shorter < LeastPart || word[0] != other[0])
            {
                return 0;
            }
            var common = 0;
            while (common < shorter && word[common] == other[common])
            {
                common++;
            }
            return common == shorter
                ? OfPart
                : common * 5 >= shorter * 4 || Spelling.Distance(word, other) <= shorter / 4
                ? OfSlip
                : 0;
        }
    }
}
