using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace UnityBridge.Wire
{
    /// <summary>Words of the other side in a message of ours: short, and without characters that are not seen (SPEC
    /// §20.2).</summary>
    internal static class Quoted
    {
        private const int MaxChars = 200;

        public static string Text(string words)
        {
            var quoted = new StringBuilder();
            foreach (var c in words ?? "")
            {
                if (quoted.Length == MaxChars)
                {
                    return quoted.Append("...").ToString();
                }
                // Control, and Format: direction marks, joiners, tags.
                quoted.Append(char.GetUnicodeCategory(
                    c) is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate ? ' ' : c);
            }
            return quoted.ToString();
        }
    }

    /// <summary>Long texts and lists, shortened, so that what has them fits into a message. No character of two code
    /// units is divided: it would be another text when it comes back.</summary>
    internal static class Cut
    {
        private const int MostNames = 20;
        private const int MostNamesChars = 250;

        /// <summary>So many characters at most, and then "...".</summary>
        public static string To(string text, int most) =>
            text == null || text.Length <= most ? text : Head(text, most) + "...";

        /// <summary>So many characters at most, and then how many are missing.</summary>
        public static string AndCount(string text, int most) => text == null || text.Length <= most ? text
            : Head(text, most) + "... (" + (text.Length - Head(text, most).Length) + " more characters)";

        /// <summary>The first of them, and at last how many more there are.</summary>
        public static List<object> List(IEnumerable<object> values, int most = 300)
        {
            var all = values.ToList();
            return all.Count <= most ? all : all.Take(most).Append("... (" + (all.Count - most) + " more)").ToList();
        }

        /// <summary>The same in a sentence, as far as it has room.</summary>
        public static string Names(IEnumerable<string> names)
        {
            var all = names.ToList();
            var length = 0;
            var fitting = all.Take(MostNames).TakeWhile(name => (length += name.Length + 2) <= MostNamesChars).Count();
            return fitting > 0 || all.Count == 0 ? string.Join(", ", List(all, fitting))
                : To(all[0], MostNamesChars) + (all.Count > 1 ? ", ... (" + (all.Count - 1) + " more)" : "");
        }

        private static string Head(string text, int most) =>
            text.Substring(0, char.IsHighSurrogate(text[most - 1]) ? most - 1 : most);
    }
}
