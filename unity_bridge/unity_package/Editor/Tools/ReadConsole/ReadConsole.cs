using System.Collections.Generic;
using System.Globalization;
using System.Text;
using UnityBridge.Console;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>The tool <c>read_console</c> (SPEC §8).</summary>
    internal sealed class ReadConsole : IReadTool
    {
        private readonly ConsoleBuffer _buffer;

        public ReadConsole(ToolContext context)
        {
            _buffer = context.Console;
        }

        public string ToolName => "read_console";

        public void Execute(ToolCall call)
        {
            var query = new ConsoleQuery(_buffer);
            if (!call.IsRefused(query.FaultIn(call.Parameters)))
            {
                call.Succeed(query.Page());
            }
        }
    }

    /// <summary>Which entries one call asks for, and the page that answers it.</summary>
    internal sealed class ConsoleQuery
    {
        private const long DefaultEntries = 200;
        private const long MostEntries = 2000;

        private readonly ConsoleBuffer _buffer;
        private long _maxEntries = DefaultEntries;
        private readonly HashSet<string> _types = new HashSet<string>(); // none: every type
        private string _contains;
        private bool _includeStackTrace = true;
        private long _afterSeq;
        private bool _cursorIsForeign;

        public ConsoleQuery(ConsoleBuffer buffer)
        {
            _buffer = buffer;
        }

        /// <summary>Takes the arguments; what is wrong with them, or null.</summary>
        public string FaultIn(JsonObject parameters) =>
            TakeMaxEntries(parameters) ?? TakeTypes(parameters) ?? TakeTexts(parameters) ?? TakeCursor(parameters);

        private string TakeMaxEntries(JsonObject parameters)
        {
            if (parameters.Get("max_entries") == null)
            {
                return null;
            }
            _maxEntries = parameters.Integer("max_entries") ?? 0;
            return _maxEntries < 1 || _maxEntries > MostEntries
                ? "max_entries is a whole number from 1 to 2000."
                : null;
        }

        private string TakeTypes(JsonObject parameters)
        {
            if (parameters.Get("types") == null)
            {
                return null;
            }
            foreach (var type in parameters.Array("types") ?? new List<object> { null })
            {
                if (!EntryType.IsKnown(type as string))
                {
                    return "types is a list of log, warning, error, assert, exception.";
                }
                _types.Add((string)type);
            }
            return null;
        }

        private string TakeTexts(JsonObject parameters)
        {
            _contains = parameters.Text("contains");
            if (_contains == null && parameters.Get("contains") != null)
            {
                return "contains is a text.";
            }
            if (parameters.Get("include_stack_trace") == null)
            {
                return null;
            }
            _includeStackTrace = parameters.Flag("include_stack_trace") ?? true;
            return parameters.Flag("include_stack_trace") == null ? "include_stack_trace is true or false." : null;
        }

        private string TakeCursor(JsonObject parameters)
        {
            if (parameters.Get("since") == null)
            {
                return null;
            }
            var parts = (parameters.Text("since") ?? "").Split(':');
            if (parts.Length != 2
                || !long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out _afterSeq))
            {
                return "since is a next_cursor of an earlier answer, unchanged.";
            }
            _cursorIsForeign = parts[0] != _buffer.Session;
            if (_cursorIsForeign)
            {
                // The editor was restarted: everything here is newer, and what it wrote before its end is lost.
                _afterSeq = 0;
            }
            return null;
        }

        public JsonObject Page()
        {
            var matching = _buffer.After(_afterSeq, out var lost, out var newest).FindAll(Matches);
            var texts = NewestThatFit(matching, out var shown);
            var incomplete = shown < matching.Count || _cursorIsForeign || (lost && _afterSeq > 0);
            var page = new JsonObject
            {
                { "entries", texts },
                { "count", matching.Count },
                { "truncated", incomplete },
                { "next_cursor", _buffer.Cursor(newest) },
            };
            if (_cursorIsForeign)
            {
                page["restarted"] = true;
            }
            return page;
        }

        private bool Matches(ConsoleEntry entry)
        {
            return (_types.Count == 0 || _types.Contains(entry.Type))
                && (_contains == null || entry.Message.ContainsAnyCase(_contains));
        }

        // Equal entries that follow one another are one, so that an exception in every update does not fill the answer.
        private List<RawJson> NewestThatFit(List<ConsoleEntry> matching, out int shown)
        {
            var texts = new List<RawJson>();
            var bytes = 0;
            shown = 0;
            while (shown < matching.Count && texts.Count < _maxEntries)
            {
                var newest = matching.Count - 1 - shown;
                var repeated = 1;
                while (newest - repeated >= 0 && AreEqual(matching[newest - repeated], matching[newest]))
                {
                    repeated++;
                }
                var answer = matching[newest].ToAnswer(_includeStackTrace);
                answer["cursor"] = _buffer.Cursor(matching[newest].Seq);
                if (repeated > 1)
                {
                    answer["repeated"] = (long)repeated;
                }
                var text = JsonWriter.Write(answer);
                bytes += Encoding.UTF8.GetByteCount(text) + 1;
                if (bytes > Messages.MaxContentBytes)
                {
                    break;
                }
                texts.Add(new RawJson(text));
                shown += repeated;
            }
            texts.Reverse();
            return texts;
        }

        private bool AreEqual(ConsoleEntry one, ConsoleEntry other)
        {
            return one.Type == other.Type && one.Message == other.Message
                && (!_includeStackTrace || one.StackTrace == other.StackTrace);
        }
    }
}
