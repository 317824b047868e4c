using UnityBridge.Json;

namespace UnityBridge.Console
{
    internal static class EntryType
    {
        public const string Log = "log";
        public const string Warning = "warning";
        public const string Error = "error";
        public const string Assert = "assert";
        public const string Exception = "exception";

        public static bool IsKnown(string type)
        {
            return type == Log || type == Warning || type == Error || type == Assert || type == Exception;
        }
    }

    /// <summary>One line of the console, immutable once it is in the buffer.</summary>
    internal sealed class ConsoleEntry
    {
        // Both texts together stay below 400 KB of JSON even if every character needs an escape.
        private const int MaxChars = 32 * 1024;

        public readonly string Type;
        public readonly string Message;
        public readonly string StackTrace;

        /// <summary>For messages of the compiler: the assembly that was compiled, else null.</summary>
        public readonly string CompiledAssembly;
        public readonly string File;
        public readonly int Line;

        /// <summary>Rises by one with every entry of an editor process; set by the buffer.</summary>
        public long Seq;

        public ConsoleEntry(
            string type, string message, string stackTrace, string compiledAssembly = null, string file = null, int line = 0)
        {
            Type = type;
            Message = Cut(message ?? "");
            StackTrace = Cut(stackTrace ?? "");
            CompiledAssembly = compiledAssembly;
            File = file;
            Line = line;
        }

        public int Chars
        {
            get { return Message.Length + StackTrace.Length; }
        }

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
                json.Text("assembly"), json.Text("file"), (int)(json.Integer("line") ?? 0))
            {
                Seq = json.Integer("seq") ?? 0,
            };
        }

        private static string Cut(string text)
        {
            return text.Length <= MaxChars
                ? text
                : text.Substring(0, MaxChars) + "... (" + (text.Length - MaxChars) + " more characters)";
        }
    }
}
