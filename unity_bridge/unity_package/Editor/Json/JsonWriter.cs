using System;
using System.Collections;
using System.Globalization;
using System.Linq;
using System.Text;

namespace UnityBridge.Json
{
    /// <summary>Text that is JSON already and goes out as it is.</summary>
    internal sealed class RawJson
    {
        public RawJson(string text)
        {
            Text = text;
        }

        public string Text { get; }
    }

    /// <summary>
    /// Writes compact JSON that is always valid UTF-8: lone surrogates become U+FFFD, NaN and infinity null.
    /// </summary>
    internal static class JsonWriter
    {
        /// <summary>Of a message (SPEC §7.9). What is kept of it is a level deeper, and read again with its own
        /// limit.</summary>
        public const int MaxLevels = 50;

        public static string Write(object value) => Written(value, int.MinValue);

        /// <summary>A message, or a part of one. What is nested deeper than the protocol allows is left out and says so
        /// (SPEC §7.9).</summary>
        /// <param name="levelsAround">How many levels of the message will be around this text.</param>
        public static string WriteForMessage(object value, int levelsAround = 0) => Written(value, levelsAround + 1);

        private static string Written(object value, int level)
        {
            var text = new StringBuilder();
            Append(text, value, level);
            return text.ToString();
        }

        // level: the one that value has in a message if it is an object or an array.
        private static void Append(StringBuilder text, object value, int level)
        {
            if (level >= MaxLevels && HoldsContainer(value))
            {
                text.Append("{\"not_shown\":true}");
                return;
            }
            switch (value)
            {
                case null: text.Append("null"); break;
                case string characters: AppendString(text, characters); break;
                case bool flag: text.Append(flag ? "true" : "false"); break;
                case double real: AppendReal(text, real); break;
                case int or long or ulong:
                    text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
                    break;
                case RawJson raw: text.Append(raw.Text); break;
                case JsonObject members: AppendObject(text, members, level); break;
                case IEnumerable items: AppendArray(text, items, level); break;
                default: throw new ArgumentException("no JSON form for " + value.GetType());
            }
        }

        private static bool HoldsContainer(object value) => value is JsonObject members
            ? members.Values.Any(IsContainer)
            : IsContainer(value) && ((IEnumerable)value).Cast<object>().Any(IsContainer);

        private static bool IsContainer(object value) =>
            value is JsonObject || (value is IEnumerable && value is not string);

        private static void AppendObject(StringBuilder text, JsonObject members, int level)
        {
            text.Append('{');
            var separator = "";
            foreach (var member in members)
            {
                text.Append(separator);
                separator = ",";
                AppendString(text, member.Key);
                text.Append(':');
                Append(text, member.Value, level + 1);
            }
            text.Append('}');
        }

        private static void AppendArray(StringBuilder text, IEnumerable items, int level)
        {
            text.Append('[');
            var separator = "";
            foreach (var item in items)
            {
                text.Append(separator);
                separator = ",";
                Append(text, item, level + 1);
            }
            text.Append(']');
        }

        private static void AppendReal(StringBuilder text, double real)
        {
            var finite = !double.IsNaN(real) && !double.IsInfinity(real);
            text.Append(finite ? real.ToString("R", CultureInfo.InvariantCulture) : "null");
        }

        private static void AppendString(StringBuilder text, string value)
        {
            text.Append('"');
            for (var i = 0; i < value.Length; i++)
            {
                var c = value[i];
                if (char.IsHighSurrogate(c) && i + 1 < value.Length && char.IsLowSurrogate(value[i + 1]))
                {
                    text.Append(c).Append(value[++i]);
                }
                else if (char.IsSurrogate(c))
                {
                    text.Append('\uFFFD');
                }
                else
                {
                    AppendCharacter(text, c);
                }
            }
            text.Append('"');
        }

        private static void AppendCharacter(StringBuilder text, char c)
        {
            switch (c)
            {
                case '"': text.Append("\\\""); break;
                case '\\': text.Append("\\\\"); break;
                case '\n': text.Append("\\n"); break;
                case '\r': text.Append("\\r"); break;
                case '\t': text.Append("\\t"); break;
                default:
                    if (c < ' ')
                    {
                        text.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                    }
                    else
                    {
                        text.Append(c);
                    }
                    break;
            }
        }
    }
}
