using System.Globalization;
using System.Text;

namespace UnityBridge.Wire
{
    /// <summary>Words of the other side in a message of ours: short, and without characters that are not seen (SPEC §20.2).</summary>
    internal static class Quoted
    {
        private const int MaxChars = 200;

        public static string Of(string words)
        {
            var quoted = new StringBuilder();
            foreach (var c in words ?? "")
            {
                if (quoted.Length == MaxChars)
                {
                    return quoted.Append("...").ToString();
                }
                // Control, and Format: direction marks, joiners, tags.
                quoted.Append(char.GetUnicodeCategory(c) is UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.Surrogate ? ' ' : c);
            }
            return quoted.ToString();
        }
    }
}
