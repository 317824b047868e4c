using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace UnityBridge.Json
{
    /// <summary>Reads RFC 8259 JSON, strictly, without recursion deeper than <see cref="MaxDepth"/>.</summary>
    /// <remarks>Integers become long (ulong above that range, double beyond), other numbers double. The last of
    /// duplicate members wins. Why the package has its own: docs/adr/0014-unity-json.md.</remarks>
    internal sealed class JsonReader
    {
        public const int MaxDepth = 64;

        private readonly string _text;
        private int _at;
        private int _depthLeft;

        private JsonReader(string text)
        {
            _text = text;
        }

        /// <summary>The value that <paramref name="text"/> is, or false and why it is not JSON.</summary>
        public static bool TryRead(string text, out object value, out string why, int maxDepth = MaxDepth)
        {
            var reader = new JsonReader(text) { _depthLeft = maxDepth };
            try
            {
                value = reader.Document();
                why = null;
                return true;
            }
            catch (FormatException fault)
            {
                value = null;
                why = fault.Message;
                return false;
            }
        }

        private object Document()
        {
            var value = Value();
            SkipSpace();
            if (_at < _text.Length)
            {
                throw Fault("text after the end");
            }
            return value;
        }

        private object Value()
        {
            SkipSpace();
            return Peek() switch
            {
                '{' => Nested(Object),
                '[' => Nested(Array),
                '"' => String(),
                't' => Word("true", true),
                'f' => Word("false", false),
                'n' => Word("null", null),
                _ => Number(),
            };
        }

        private object Nested(Func<object> read)
        {
            if (--_depthLeft < 0)
            {
                throw Fault("nested too deeply");
            }
            _at++;
            var value = read();
            _depthLeft++;
            return value;
        }

        private object Object()
        {
            var members = new JsonObject();
            if (Ends('}'))
            {
                return members;
            }
            do
            {
                SkipSpace();
                if (Peek() != '"')
                {
                    throw Fault("expected a member name");
                }
                var name = String();
                SkipSpace();
                Expect(':');
                members[name] = Value();
            }
            while (Continues('}'));
            return members;
        }

        private object Array()
        {
            var items = new List<object>();
            if (Ends(']'))
            {
                return items;
            }
            do
            {
                items.Add(Value());
            }
            while (Continues(']'));
            return items;
        }

        private bool Ends(char close)
        {
            SkipSpace();
            if (Peek() != close)
            {
                return false;
            }
            _at++;
            return true;
        }

        private bool Continues(char close)
        {
            if (Ends(close))
            {
                return false;
            }
            Expect(',');
            return true;
        }

        private string String()
        {
            _at++;
            var start = _at;
            StringBuilder built = null;
            while (true)
            {
                var c = Peek();
                if (c == '"')
                {
                    var tail = _text.Substring(start, _at - start);
                    _at++;
                    return built == null ? tail : built.Append(tail).ToString();
                }
                if (c < ' ')
                {
                    throw Fault("control character in a string");
                }
                _at++;
                if (c == '\\')
                {
                    built ??= new StringBuilder();
                    built.Append(_text, start, _at - 1 - start).Append(Escape());
                    start = _at;
                }
            }
        }

        private char Escape()
        {
            var c = Peek();
            _at++;
            return c switch
            {
                '"' or '\\' or '/' => c,
                'b' => '\b',
                'f' => '\f',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => CodeUnit(),
                _ => throw Fault("unknown escape"),
            };
        }

        private char CodeUnit()
        {
            var unit = 0;
            for (var end = _at + 4; _at < end; _at++)
            {
                var digit = "0123456789abcdef".IndexOf(char.ToLowerInvariant(Peek()));
                if (digit < 0)
                {
                    throw Fault("bad \\u escape");
                }
                unit = unit * 16 + digit;
            }
            return (char)unit;
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(_text, _at, word, 0, word.Length) != 0)
            {
                throw Fault("unknown word");
            }
            _at += word.Length;
            return value;
        }

        private object Number()
        {
            var start = _at;
            Skip('-');
            if (!Skip('0'))
            {
                Digits();
            }
            var whole = true;
            if (Skip('.'))
            {
                whole = false;
                Digits();
            }
            if (Skip('e') || Skip('E'))
            {
                whole = false;
                if (!Skip('+'))
                {
                    Skip('-');
                }
                Digits();
            }
            return Parse(_text.Substring(start, _at - start), whole);
        }

        private static object Parse(string digits, bool whole)
        {
            if (whole && long.TryParse(
                digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var signed))
            {
                return signed;
            }
            if (whole && ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var unsigned))
            {
                return unsigned;
            }
            // Mono answers false where .NET answers infinity; either way the writer makes null of it.
            return double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out var real)
                ? real : digits[0] == '-' ? double.NegativeInfinity : double.PositiveInfinity;
        }

        private void Digits()
        {
            var start = _at;
            while (_at < _text.Length && _text[_at] >= '0' && _text[_at] <= '9')
            {
                _at++;
            }
            if (_at == start)
            {
                throw Fault(_at < _text.Length ? "unexpected character" : "the text ends too early");
            }
        }

        private bool Skip(char c)
        {
            if (_at >= _text.Length || _text[_at] != c)
            {
                return false;
            }
            _at++;
            return true;
        }

        private void Expect(char c)
        {
            if (Peek() != c)
            {
                throw Fault("expected '" + c + "'");
            }
            _at++;
        }

        private void SkipSpace()
        {
            while (_at < _text.Length && " \t\r\n".IndexOf(_text[_at]) >= 0)
            {
                _at++;
            }
        }

        private char Peek()
        {
            if (_at >= _text.Length)
            {
                throw Fault("the text ends too early");
            }
            return _text[_at];
        }

        private FormatException Fault(string what) =>
            new FormatException(what + " at character " + _at);
    }
}
