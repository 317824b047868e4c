using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>Colours that are written as a text: <c>#RRGGBB</c>, <c>#RRGGBBAA</c>, and names.</summary>
    internal static class ColorText
    {
        // Names of CSS that ColorUtility does not know (manual, ColorUtility.TryParseHtmlString).
        private static readonly Dictionary<string, string> MoreNames = NameTable.Read(
            "#FFD700: gold", "#FFC0CB: pink", "#808080: gray");

        /// <summary>The numbers of a text that is a colour; null for any other value.</summary>
        public static List<object> NumbersOf(object value)
        {
            if (!TryParse(value, out var color))
            {
                return null;
            }
            return new[] { color.r, color.g, color.b, color.a }.Select(number => (object)(double)number).ToList();
        }

        /// <summary>What a name stands for, as a remark; null for any other value.</summary>
        public static string RemarkOn(object value)
        {
            var isName = value is string { Length: > 0 } text && text[0] != '#';
            return isName && TryParse(value, out var color) ? "The colour " + (string)value + " was taken as "
                + Hex(color) + "." : null;
        }

        /// <summary>The text of a colour whose numbers go to 255, as image programs count; null for other
        /// numbers.</summary>
        public static string OfBytes(IEnumerable<double> numbers)
        {
            var bytes = numbers.ToList();
            var areBytes = bytes.All(number => number >= 0 && number <= 255 && Math.Floor(number) == number);
            return areBytes ? "#" + string.Concat(bytes.Select(number => ((int)number).ToString("X2"))) : null;
        }

        private static bool TryParse(object value, out Color color)
        {
            color = default;
            if (!(value is string text))
            {
                return false;
            }
            text = text.Trim().ToLowerInvariant();
            return ColorUtility.TryParseHtmlString(MoreNames.TryGetValue(text, out var hex) ? hex : text, out color);
        }

        private static string Hex(Color color) =>
            OfBytes(new[] { color.r, color.g, color.b }.Select(number => Math.Round(number * 255.0)));
    }
}
