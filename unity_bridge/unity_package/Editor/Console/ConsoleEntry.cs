using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Console
{
    internal static class EntryType
    {
        public const string Log = "log";
        public const string Warning = "warning";
        public const string Error = "error";
        public const string Assert = "assert";
        public const string Exception = "exception";

        public static bool IsKnown(string type) => type is Log or Warning or Error or Assert or Exception;
    }

    /// <summary>One line of the console, immutable once it is in the buffer.</summary>
    internal sealed class ConsoleEntry
    {
        // Both texts together stay below 400 KB of JSON even if every character needs an escape.
        private const int MaxChars = 32 * 1024;

        public ConsoleEntry(
            string type, string message, string stackTrace, string compiledAssembly = null,
            string file = null, int line = 0, long seq = 0)
        {
            Type = type;
            Message = Cut.AndCount(message ?? "", MaxChars);
            StackTrace = Cut.AndCount(stackTrace ?? "", MaxChars);
            CompiledAssembly = compiledAssembly;
            File = file?.Replace('\\', '/');
            Line = line;
            Seq = seq;
        }

        public string Type { get; }

        public string Message { get; }

        public string StackTrace { get; }

        /// <summary>For messages of the compiler: the assembly that was compiled, else null.</summary>
        public string CompiledAssembly { get; }

        public string File { get; }

        public int Line { get; }

        /// <summary>Rises by one with every entry of an editor process; 0 before the buffer has given it.</summary>
        public long Seq { get; }

        public int Chars => Message.Length + StackTrace.Length;

        /// <summary>An error of any kind.</summary>
        public bool IsError => Type is EntryType.Error or EntryType.Exception or EntryType.Assert;

        public ConsoleEntry Numbered(long seq) =>
            new ConsoleEntry(Type, Message, StackTrace, CompiledAssembly, File, Line, seq);

        /// <summary>As an agent sees it.</summary>
        public JsonObject ToAnswer(bool includeStackTrace)
        {
            var json = new JsonObject { { "type", Type }, { "message", Message } };
            if (includeStackTrace)
            {
                json["stack_trace"] = StackTrace;
            }
            if (File != null)
            {
                json["file"] = File;
                json["line"] = Line;
            }
            return json;
        }

        public JsonObject ToJson()
        {
            return new JsonObject
            {
                { "seq", Seq }, { "type", Type }, { "message", Message }, { "stack_trace", StackTrace },
                { "assembly", CompiledAssembly }, { "file", File }, { "line", Line },
            };
        }

        public static ConsoleEntry FromJson(JsonObject json)
        {
            return new ConsoleEntry(json.Text("type"), json.Text("message"), json.Text("stack_trace"),
                json.Text("assembly"), json.Text("file"), json.Whole("line"), json.Integer("seq") ?? 0);
        }

    }
}
