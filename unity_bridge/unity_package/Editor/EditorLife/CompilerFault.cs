using UnityEditor.Compilation;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>An error or a warning of the compiler, or of an import. Immutable.</summary>
    internal sealed class CompilerFault
    {
        // SPEC §20.2: an entry of a list is at most 4 KB.
        private const int MaxChars = 3000;

        // "Assets/A.cs(7,3): error CS1002: ; expected"; an analyzer's code may have any letters.
        private static readonly Pattern Prefix = new Pattern(@"^(?:.*?: )?(?:error|warning) ([A-Za-z]+\d+): ");

        private readonly JsonObject _record;

        private CompilerFault(bool isError, string text, string file, long line, long column, string assembly)
        {
            Text = text;
            // On Windows the compiler writes Assets\A.cs, and the rest of Unity Assets/A.cs.
            File = string.IsNullOrEmpty(file) ? null : file.Replace('\\', '/');
            _record = new JsonObject
            {
                { "error", isError }, { "text", Cut.To(text, MaxChars) }, { "file", File },
                { "line", File == null ? 0 : line }, { "column", File == null ? 0 : column },
                { "assembly", assembly },
            };
        }

        private CompilerFault(JsonObject record)
        {
            _record = record;
            Text = record.Text("text") ?? "";
            File = record.Text("file");
        }

        public bool IsError => _record.Flag("error") ?? true;

        /// <summary>The whole message, as Unity's console shows it.</summary>
        public string Text { get; }

        /// <summary>Null where the fault has no place; line and column are 0 then.</summary>
        public string File { get; }

        public int Line => _record.Whole("line");

        public static CompilerFault FromMessage(CompilerMessage message, string assembly) => new CompilerFault(
            message.type == CompilerMessageType.Error, message.message
            ?? "", message.file, message.line, message.column, assembly);

        /// <summary>An error that Unity's console or log shows, but that no event reported.</summary>
        public static CompilerFault Shown(string text, string file, int line, int column = 0) =>
            new CompilerFault(true, text, file, line, column, null);

        /// <summary>An entry of <c>errors</c> on the wire (SPEC §16).</summary>
        public JsonObject ToJson()
        {
            var prefix = Prefix.Value.Match(Text);
            return new JsonObject
            {
                { "file", File },
                { "line", Line },
                { "column", _record.Get("column") },
                { "code", prefix.Success ? prefix.Groups[1].Value : "" },
                { "message", Cut.To(Text.Substring(prefix.Success ? prefix.Length : 0), MaxChars) },
                { "assembly", _record.Get("assembly") },
            };
        }

        public JsonObject ToRecord() => _record;

        public static CompilerFault FromRecord(JsonObject record) => new CompilerFault(record);
    }
}
