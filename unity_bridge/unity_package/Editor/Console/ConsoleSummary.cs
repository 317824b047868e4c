using System.Linq;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Console
{
    /// <summary>What was logged while a job ran, in short, so that no <c>read_console</c> need follow (SPEC
    /// §15.3).</summary>
    internal static class ConsoleSummary
    {
        private const int MostMessages = 3;
        private const int MaxChars = 497;

        /// <summary><c>{errors, warnings, first, next_cursor}</c>; the first messages are errors as long as there are
        /// any.</summary>
        public static JsonObject FromConsole(ConsoleBuffer console, long afterSeq)
        {
            var entries = console.After(afterSeq, out _, out var newest);
            var errors = entries.FindAll(entry => entry.IsError);
            var warnings = entries.FindAll(entry => entry.Type == EntryType.Warning);
            return new JsonObject
            {
                { "errors", errors.Count },
                { "warnings", warnings.Count },
                { "first", errors.Concat(warnings).Take(MostMessages)
                    .Select(entry => Cut.To(entry.Message, MaxChars)).ToList() },
                { "next_cursor", console.Cursor(newest) },
            };
        }

    }
}
