using System.Globalization;
using System.Text;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Where the next page goes on: the place of the last item that was shown, and what it was. An item that is no
    /// longer there shows that the cursor is outdated, also after a domain reload; whatever else changes does not.
    /// </summary>
    internal sealed class InspectCursor
    {
        private InspectCursor(string question, long total, string mark, int[] position)
        {
            Question = question;
            Total = total;
            Mark = mark;
            Position = position;
        }

        /// <summary>A hash of the question that it belongs to.</summary>
        public string Question { get; }

        /// <summary>How many items there were when the first page was read.</summary>
        public long Total { get; }

        /// <summary>A hash of what the last item is known by.</summary>
        public string Mark { get; }

        public int[] Position { get; }

        public static string Write(string question, long total, Found last) => string.Join(".", question,
            total, HashOf(last.Mark), string.Join("-", last.Position));

        /// <summary>Null for a text that is none.</summary>
        public static InspectCursor Read(string text)
        {
            var parts = (text ?? "").Split('.');
            if (parts.Length != 4 || !long.TryParse(
                parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out var total))
            {
                return null;
            }
            var numbers = parts[3].Split('-');
            var position = new int[numbers.Length];
            for (var i = 0; i < numbers.Length; i++)
            {
                if (!int.TryParse(numbers[i], NumberStyles.None, CultureInfo.InvariantCulture, out position[i]))
                {
                    return null;
                }
            }
            return new InspectCursor(parts[0], total, parts[2], position);
        }

        public static string HashOf(string text) =>
            Cryptography.Hex(Cryptography.Sha256(Encoding.UTF8.GetBytes(text)), 6);
    }
}
