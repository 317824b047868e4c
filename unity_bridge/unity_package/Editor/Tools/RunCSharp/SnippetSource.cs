using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace UnityBridge.Tools
{
    /// <summary>Makes of a snippet a file that compiles, in which each line of the snippet keeps its number and its
    /// columns.</summary>
    internal static class SnippetSource
    {
        /// <summary>The name under which the snippet is in error messages and stack traces.</summary>
        public const string FileName = "snippet.cs";

        // What is around it. (After "#line hidden" errors would have numbers that go on from the snippet's.)
        private const string WrapperName = "wrapper.cs";

        public const string Namespace = "UnityBridgeSnippet";
        public const string EntryType = Namespace + ".__Snippet";
        public const string EntryMethod = "__Run";

        private static readonly string[] Usings =
            ("System System.Collections System.Collections.Generic System.IO System.Linq System.Text "
            + "System.Threading.Tasks UnityEditor UnityEngine").Split(' ');

        // Inner usings win over outer ones: a snippet that says "using Random = System.Random;" gets that.
        private const string Aliases = "using Object = UnityEngine.Object;\nusing Random = UnityEngine.Random;\n";

        // The last expression may have a value or none, and only the compiler knows: it chooses among these.
        private const string Readers =
            "private static object __Value<T>(System.Func<T> read) { return read(); }\n" +
            "private static object __Value(System.Func<object> read) { return read(); }\n" +
            "private static object __Value(System.Action run) { run(); return null; }\n";

        private const string AsyncReaders =
            "private static async System.Threading.Tasks.Task<object> "
            + "__Value<T>(System.Func<System.Threading.Tasks.Task<T>> read) { return await read(); }\n" +
            "private static async System.Threading.Tasks.Task<object> "
            + "__Value(System.Func<System.Threading.Tasks.Task<object>> read) { return await read(); }\n" +
            "private static async System.Threading.Tasks.Task<object> __Value(System.Func<System.Threading.Tasks.Task> "
            + "run) { await run(); return null; }\n";

        /// <summary>The ways in which the last part can be meant, the most likely first: true for a value.</summary>
        public static bool[] Ways(SnippetParts parts)
        {
            var last = parts.All.LastOrDefault(part => part.Kind == PartKind.Statement);
            if (last == null || last.IsBlock)
            {
                return new[] { false };
            }
            return last.End == PartEnd.Open || last.LooksLikeValue ? new[] { true, false } : new[] { false, true };
        }

        /// <param name="usings">Further namespaces.</param>
        /// <param name="lastIsValue">The last statement is an expression, whose value is wanted.</param>
        public static string Compose(string code, SnippetParts parts, IEnumerable<string> usings, bool lastIsValue)
        {
            var source = new StringBuilder("#pragma warning disable\n");
            AppendUsings(source, Usings);
            source.Append(Aliases).Append("namespace ").Append(Namespace).Append("\n{\n");
            AppendUsings(source, usings);
            foreach (var part in parts.All.Where(part => part.Kind == PartKind.Using))
            {
                Append(source, code, part);
            }
            if (parts.All.Any(part => part.Kind == PartKind.Statement))
            {
                AppendEntry(source, code, parts, lastIsValue);
            }
            foreach (var part in parts.All.Where(part => part.Kind == PartKind.Type))
            {
                Append(source, code, part);
            }
            return source.Append("}\n").ToString();
        }

        private static void AppendUsings(StringBuilder source, IEnumerable<string> names)
        {
            foreach (var name in names)
            {
                source.Append("using ").Append(name).Append(";\n");
            }
        }

        private static void AppendEntry(StringBuilder source, string code, SnippetParts parts, bool lastIsValue)
        {
            source.Append("internal static class __Snippet\n{\n").Append(parts.Awaits ? AsyncReaders : Readers);
            source.Append("public static ")
                .Append(parts.Awaits ? "async System.Threading.Tasks.Task<object> " : "object ").Append(EntryMethod)
                .Append("()\n{\n");
            var statements = parts.All.Where(part => part.Kind == PartKind.Statement).ToList();
            foreach (var part in statements)
            {
                var isValue = lastIsValue && part == statements[statements.Count - 1];
                source.Append(!isValue
                    ? ""
                    : parts.Awaits
                    ? "return await __Value(async () =>\n"
                    : "return __Value(() =>\n");
                Append(source, code, isValue ? WithoutSemicolon(part) : part);
                source.Append(isValue ? ");\n" : part.End == PartEnd.Open ? ";\n" : "");
            }
            source.Append("return null;\n}\n}\n");
        }

        private static SnippetPart WithoutSemicolon(SnippetPart part) => part.End != PartEnd.Semicolon ? part
            : new SnippetPart(part.Kind, part.Start, part.Text.Substring(0, part.Text.Length - 1), PartEnd.Open, false,
                true);

        private static void Append(StringBuilder source, string code, SnippetPart part)
        {
            var lineStart = part.Start == 0 ? 0 : code.LastIndexOf('\n', part.Start - 1) + 1;
            var line = code.Take(part.Start).Count(c => c == '\n') + 1;
            source.Append("#line ").Append(line).Append(" \"").Append(FileName).Append("\"\n");
            // The columns too: a tab counts as one.
            source.Append(' ', part.Start - lineStart).Append(part.Text).Append("\n#line 1 \"").Append(WrapperName)
                .Append("\"\n");
        }
    }
}
