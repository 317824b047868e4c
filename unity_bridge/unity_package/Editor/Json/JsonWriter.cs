using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
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

    /// <summary>Writes compact JSON that is always valid UTF-8: lone surrogates become U+FFFD, NaN and infinity null.</summary>
    internal static class JsonWriter
    {
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Append(text, value);
            return text.ToString();
        }

        private static void Append(StringBuilder text, object value)
        {
            switch (value)
            {
                case null: text.Append("null"); break;
                case string characters: AppendString(text, characters); break;
                case bool flag: text.Append(flag ? "true" : "false"); break;
                case double real: AppendReal(text, real); break;
                case int or long or ulong: text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture)); break;
                case RawJson raw: text.Append(raw.Text); break;
                case JsonObject members: AppendObject(text, members); break;
                case IEnumerable items: AppendArray(text, items); break;
                default: throw new ArgumentException("no JSON form for " + value.GetType());
            }
        }

        private static void AppendObject(StringBuilder text, JsonObject members)
        {
            text.Append('{');
            var separator = "";
            foreach (var member in members)
            {
                text.Append(separator);
                separator = ",";
                AppendString(text, member.Key);
                text.Append(':');
                Append(text, member.Value);
            }
            text.Append('}');
        }

        private static void AppendArray(StringBuilder text, IEnumerable items)
        {
            text.Append('[');
            var separator = "";
            foreach (var item in items)
            {
                text.Append(separator);
                separator = ",";
                Append(text, item);
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
