using System.Collections.Generic;

namespace UnityBridge.Tools
{
    /// <summary>What a part of a snippet is.</summary>
    internal enum PartKind
    {
        /// <summary>A using directive.</summary>
        Using,

        /// <summary>A class or another type, or a namespace.</summary>
        Type,

        /// <summary>A statement, or the last expression.</summary>
        Statement,
    }

    /// <summary>How a part ends.</summary>
    internal enum PartEnd
    {
        Semicolon,
        Brace,

        /// <summary>Where the text ends.</summary>
        Open,
    }

    /// <summary>A stretch of a snippet. Immutable.</summary>
    internal sealed class SnippetPart
    {
        public SnippetPart(PartKind kind, int start, string text, PartEnd end, bool isBlock, bool looksLikeValue)
        {
            Kind = kind;
            Start = start;
            Text = text;
            End = end;
            IsBlock = isBlock;
            LooksLikeValue = looksLikeValue;
        }

        public PartKind Kind { get; }

        /// <summary>Where it is in the snippet.</summary>
        public int Start { get; }

        public string Text { get; }

        public PartEnd End { get; }

        /// <summary>A loop, a condition and the like: it never has a value.</summary>
        public bool IsBlock { get; }

        /// <summary>It ends with a brace that belongs to a value: an initializer, a switch expression.</summary>
        public bool LooksLikeValue { get; }
    }

    /// <summary>Splits a snippet into using directives, types and statements, by brackets, semicolons and first
    /// words.</summary>
    /// <remarks>If that does not distinguish a value from a statement, the compiler is asked twice
    /// (<see cref="SnippetSource.Ways"/>).</remarks>
    internal sealed class SnippetParts
    {
        private static readonly HashSet<string> Modifiers =
            Words("public private protected internal static sealed abstract partial readonly unsafe ref");
        private static readonly HashSet<string> Types = Words("class struct interface enum namespace delegate record");
        private static readonly HashSet<string> Blocks =
            Words("if else for foreach while do switch try catch finally lock using fixed unsafe checked unchecked {");
        private static readonly HashSet<string> Continuing = Words("else catch finally is as with");

        private readonly string _code;
        private readonly List<SnippetPart> _parts = new List<SnippetPart>();

        private SnippetParts(string code)
        {
            _code = code;
        }

        public IReadOnlyList<SnippetPart> All => _parts;

        /// <summary>The word await is in it.</summary>
        public bool Awaits { get; private set; }

        public static SnippetParts Read(string code)
        {
            var parts = new SnippetParts(code);
            for (var at = CSharpLexer.SkipBlanks(code, 0); at < code.Length; at = CSharpLexer.SkipBlanks(code, at))
            {
                at = parts.TakePart(at);
            }
            return parts;
        }

        private int TakePart(int start)
        {
            var first = Token(start);
            var kind = KindOf(start);
            var depth = 0;
            var before = "";
            var beforeBrace = "";
            for (var at = start; at < _code.Length;)
            {
                var token = Token(at);
                at += token.Length;
                Awaits |= token == "await";
                depth += token is "(" or "[" or "{" ? 1 : token is ")" or "]" or "}" ? -1 : 0;
                if (token == "{" && depth == 1)
                {
                    beforeBrace = before;
                }
                if (depth <= 0 && (token == ";" || (token == "}" && !GoesOn(kind, first, at))))
                {
                    Add(kind, start, at, token == ";" ? PartEnd.Semicolon : PartEnd.Brace, first, beforeBrace);
                    return at;
                }
                before = token;
                at = CSharpLexer.SkipBlanks(_code, at);
            }
            Add(kind, start, _code.Length, PartEnd.Open, first, beforeBrace);
            return _code.Length;
        }

        private void Add(PartKind kind, int start, int end, PartEnd how, string first, string beforeBrace)
        {
            var isBlock = Blocks.Contains(first) && !(first is "checked" or "unchecked" && beforeBrace.Length == 0);
            var isValue = how == PartEnd.Brace && !isBlock
                && (first == "new" || beforeBrace is "switch" or "with" or "]");
            _parts.Add(new SnippetPart(kind, start, _code.Substring(start, end - start), how, isBlock, isValue));
        }

        private PartKind KindOf(int start)
        {
            if (Token(start) == "using" && IsDirective(start) && _parts.TrueForAll(part => part.Kind == PartKind.Using))
            {
                return PartKind.Using;
            }
            var at = start;
            while (Token(at) == "[")
            {
                at = Next(SkipBrackets(at));
            }
            while (Modifiers.Contains(Token(at)))
            {
                at = Next(at + Token(at).Length);
            }
            var word = Token(at);
            var after = Token(Next(at + word.Length));
            return Types.Contains(word) && after.Length > 0 && (char.IsLetter(after[0]) || after[0] is '_' or '@')
                ? PartKind.Type
                : PartKind.Statement;
        }

        // "using System.Linq;", "using static A.B;" and "using A = B;"; but not "using (x)", nor "using var x = y;".
        private bool IsDirective(int start)
        {
            var at = Next(start + "using".Length);
            var word = Token(at);
            if (word == "(")
            {
                return false;
            }
            at = Next(at + word.Length);
            return word == "static" || Token(at) is "." or ";" or "=" or ":";
        }

        // After a closing brace: whether what follows belongs to it.
        private bool GoesOn(PartKind kind, string first, int at)
        {
            at = Next(at);
            var next = Token(at);
            if (kind != PartKind.Statement || next.Length == 0)
            {
                return false;
            }
            if (Continuing.Contains(next) || (next == "while" && first == "do"))
            {
                return true;
            }
            if (Blocks.Contains(first))
            {
                return false;
            }
            var second = at + 1 < _code.Length ? _code[at + 1] : ' ';
            return next switch
            {
                "switch" => Token(Next(at + next.Length)) != "(",
                "!" => second == '=',
                "+" or "-" => second != next[0],
                _ => next.Length == 1 && ".,;)]?[=*/%<>&|^:".IndexOf(next[0]) >= 0,
            };
        }

        private int SkipBrackets(int at)
        {
            var depth = 0;
            while (at < _code.Length)
            {
                var token = Token(at);
                at += token.Length;
                depth += token == "[" ? 1 : token == "]" ? -1 : 0;
                if (depth == 0)
                {
                    break;
                }
                at = Next(at);
            }
            return at;
        }

        private int Next(int at) => CSharpLexer.SkipBlanks(_code, at);

        private string Token(int at) =>
            at >= _code.Length ? "" : _code.Substring(at, CSharpLexer.SkipToken(_code, at) - at);

        private static HashSet<string> Words(string words) =>
            new HashSet<string>(words.Split(' '));
    }
}
