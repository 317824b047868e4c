using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;
using UnityBridge.Json;

namespace UnityBridge.Wire
{
    /// <summary>Characters that nobody sees. The server shows them to a client as <c>\u{202E}</c>, and <c>\u{</c>
    /// itself as
    /// <c>\u{5C}u{</c> (SPEC §20.2): a text that comes back is the text that was there.</summary>
    internal static class Unseen
    {
        private static readonly Lazy<Regex> Escape =
            new Lazy<Regex>(() => new Regex(@"\\u\{([0-9A-F]{1,6})\}", RegexOptions.CultureInvariant));

        /// <summary>Other escapes are what the caller wrote, and stay.</summary>
        public static string Decoded(string text)
        {
            return text == null || text.IndexOf("\\u{", StringComparison.Ordinal) < 0
                ? text
                : Escape.Value.Replace(text, found =>
            {
                var code = int.Parse(found.Groups[1].Value, NumberStyles.AllowHexSpecifier,
                    CultureInfo.InvariantCulture);
                return code == '\\' || IsUnseen(code) ? char.ConvertFromUtf32(code) : found.Value;
            });
        }

        /// <summary>The same for each text in a JSON value. Names of members stay.</summary>
        public static object Decoded(object value)
        {
            switch (value)
            {
                case string text: return Decoded(text);
                case List<object> items: return items.ConvertAll(Decoded);
                case JsonObject members:
                    var decoded = new JsonObject();
                    foreach (var member in members)
                    {
                        decoded[member.Key] = Decoded(member.Value);
                    }
                    return decoded;
                default: return value;
            }
        }

        /// <summary>How many bytes this JSON has at most for a client, which gets escapes.</summary>
        public static int BytesOf(string json) =>
            Encoding.UTF8.GetByteCount(json) + 6 * json.Count(c => IsUnseen(c) || c == '\udb40');

        /// <summary>Whether a name has one of them, or one of those that only change how others are drawn.</summary>
        public static bool IsIn(string name)
        {
            for (var place = 0; place < name.Length; place++)
            {
                var isPair = place + 1 < name.Length && char.IsSurrogatePair(name, place);
                var code = isPair ? char.ConvertToUtf32(name, place) : name[place];
                if (IsUnseen(code) || code is '\t' or '\n' || IsWithoutWidth(code)
                    || (char.IsSurrogate(name[place]) && !isPair))
                {
                    return true;
                }
                place += isPair ? 1 : 0;
            }
            return false;
        }

        private static bool IsWithoutWidth(int code) =>
            code is 0xad or 0x200b or (>= 0x2060 and <= 0x2064) or (>= 0xfe00 and <= 0xfe0d) or 0xfeff or (
                >= 0xe0100 and <= 0xe01ef);

        private static bool IsUnseen(int code) =>
            (code < 0x20 && code != '\t' && code != '\n') || code is (>= 0x7f and <= 0x9f) or 0x61c or 0x200e or 0x200f
            or (>= 0x2028 and <= 0x202e) or (>= 0x2066 and <= 0x2069) or (>= 0xe0000 and <= 0xe007f);
    }
}
