namespace UnityBridge.Tools
{
    /// <summary>Finds where a token of C# 9 ends; it knows what hides brackets and semicolons, and nothing of
    /// grammar.</summary>
    /// <remarks>Unity's Roslyn is .NET, which the editor's Mono cannot load: what a text is made of has to be seen
    /// without it.</remarks>
    internal static class CSharpLexer
    {
        /// <summary>The first place from <paramref name="at"/> on that is neither blank nor in a comment or a
        /// directive.</summary>
        public static int SkipBlanks(string code, int at)
        {
            while (at < code.Length)
            {
                if (char.IsWhiteSpace(code[at]))
                {
                    at++;
                }
                else if (Has(code, at, "//") || (code[at] == '#' && IsFirstInLine(code, at)))
                {
                    at = EndOfLine(code, at);
                }
                else if (Has(code, at, "/*"))
                {
                    var end = code.IndexOf("*/", at + 2, System.StringComparison.Ordinal);
                    at = end < 0 ? code.Length : end + 2;
                }
                else
                {
                    break;
                }
            }
            return at;
        }

        /// <summary>The end of the token that begins at <paramref name="at"/>: a word, a literal or one
        /// character.</summary>
        public static int SkipToken(string code, int at)
        {
            var quote = at;
            while (quote < code.Length && code[quote] is '$' or '@')
            {
                quote++;
            }
            if (quote < code.Length && code[quote] == '"')
            {
                var prefix = code.Substring(at, quote - at);
                return SkipString(code, quote + 1, isVerbatim: prefix.IndexOf('@') >= 0,
                    isInterpolated: prefix.IndexOf('$') >= 0);
            }
            if (code[at] == '\'')
            {
                return SkipCharacter(code, at + 1);
            }
            if (IsWord(code[at]) || code[at] == '@')
            {
                for (at++; at < code.Length && IsWord(code[at]); at++)
                {
                }
                return at;
            }
            return at + 1;
        }

        private static int SkipString(string code, int at, bool isVerbatim, bool isInterpolated)
        {
            while (at < code.Length)
            {
                var c = code[at];
                var isTwice = at + 1 < code.Length && code[at + 1] == c;
                if (c == '"' && !(isVerbatim && isTwice))
                {
                    return at + 1;
                }
                if (c == '{' && isInterpolated && !isTwice)
                {
                    at = SkipHole(code, at + 1);
                    continue;
                }
                at += (c == '\\' && !isVerbatim) || (c == '"' && isVerbatim) || (c == '{' && isInterpolated) ? 2 : 1;
            }
            return code.Length;
        }

        // What stands between the braces of an interpolated string is code, with strings of its own.
        private static int SkipHole(string code, int at)
        {
            var depth = 1;
            while (at < code.Length)
            {
                var c = code[at];
                depth += c is '{' or '(' or '[' ? 1 : c is '}' or ')' or ']' ? -1 : 0;
                at = SkipToken(code, at);
                if (depth == 0)
                {
                    return at;
                }
            }
            return code.Length;
        }

        private static int SkipCharacter(string code, int at)
        {
            while (at < code.Length && code[at] != '\'' && code[at] != '\n')
            {
                at += code[at] == '\\' ? 2 : 1;
            }
            return at < code.Length ? at + 1 : code.Length;
        }

        private static bool Has(string code, int at, string what) =>
            string.CompareOrdinal(code, at, what, 0, what.Length) == 0;

        private static bool IsWord(char c) => char.IsLetterOrDigit(c) || c == '_';

        private static bool IsFirstInLine(string code, int at)
        {
            while (at > 0 && code[at - 1] is ' ' or '\t')
            {
                at--;
            }
            return at == 0 || code[at - 1] == '\n';
        }

        private static int EndOfLine(string code, int at)
        {
            var end = code.IndexOf('\n', at);
            return end < 0 ? code.Length : end + 1;
        }
    }
}
