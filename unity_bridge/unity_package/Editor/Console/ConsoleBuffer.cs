using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Console
{
    /// <summary>
    /// The newest console entries of this editor process, numbered. Any thread may add and read, so that an agent can
    /// read the console even while the main thread is stuck.
    /// </summary>
    /// <remarks>Unity's own console shows what its view is filtered to, folds repeats, and is cleared on play; this one
    /// forgets only its oldest entries.</remarks>
    internal sealed class ConsoleBuffer : IJobConsole
    {
        public const int MaxEntries = 5000;
        private const int MaxChars = 2 * 1024 * 1024;

        private readonly object _lock = new object();
        // guarded by _lock, as the rest
        private readonly LinkedList<ConsoleEntry> _entries = new LinkedList<ConsoleEntry>();
        private long _lastSeq;
        private long _forgottenThrough;
        private int _chars;
        private int _compileErrors;

        public ConsoleBuffer(string session)
        {
            Session = session;
        }

        /// <summary>Marks the editor process, so that a cursor of an earlier one is recognised.</summary>
        public string Session { get; }

        public long NewestSeq => Interlocked.Read(ref _lastSeq);

        /// <summary>What <c>next_cursor</c> says of the entry with this number.</summary>
        public string Cursor(long seq) => Session + ":" + seq;

        JsonObject IJobConsole.Summary(long afterSeq) => ConsoleSummary.FromConsole(this, afterSeq);

        public void Add(ConsoleEntry entry)
        {
            lock (_lock)
            {
                AddLast(entry.Numbered(++_lastSeq));
                while (_entries.Count > MaxEntries || _chars > MaxChars)
                {
                    _forgottenThrough = _entries.First.Value.Seq;
                    Remove(_entries.First);
                }
            }
        }

        /// <summary>The messages of one compilation of one assembly take the place of those of the last one.</summary>
        public void ReplaceCompilerMessages(string assembly, IEnumerable<ConsoleEntry> messages)
        {
            lock (_lock)
            {
                // "" stands for messages from before the load, whose assembly is unknown.
                RemoveAll(entry => entry.CompiledAssembly == assembly || entry.CompiledAssembly == "");
                foreach (var message in messages)
                {
                    Add(message);
                }
            }
        }

        /// <summary>Forgets the compiler's errors that are not true any more.</summary>
        public void DropCompileErrors(Predicate<string> isStillThere)
        {
            lock (_lock)
            {
                RemoveAll(entry => IsCompileError(entry) && !isStillThere(entry.Message));
            }
        }

        /// <summary>Forgets all but the compiler's errors, which stay until they are fixed. Cursors stay
        /// valid.</summary>
        public void Clear()
        {
            lock (_lock)
            {
                RemoveAll(entry => !IsCompileError(entry));
            }
        }

        /// <summary>Counted as they come and go, since every update asks while scripts are broken.</summary>
        public int CompileErrorCount => Volatile.Read(ref _compileErrors);

        /// <summary>All entries after <paramref name="seq"/>, oldest first; <paramref name="lost"/> means that some of
        /// them are forgotten already; <paramref name="newest"/> is the number of the newest entry there has
        /// been.</summary>
        public List<ConsoleEntry> After(long seq, out bool lost, out long newest)
        {
            lock (_lock)
            {
                lost = seq < _forgottenThrough;
                newest = _lastSeq;
                var after = new List<ConsoleEntry>();
                for (var node = _entries.Last; node != null && node.Value.Seq > seq; node = node.Previous)
                {
                    after.Add(node.Value);
                }
                after.Reverse();
                return after;
            }
        }

        public JsonObject ToJson()
        {
            lock (_lock)
            {
                return new JsonObject
                {
                    { "last_seq", _lastSeq }, { "forgotten_through", _forgottenThrough },
                    { "entries", _entries.Select(entry => entry.ToJson()).ToList() },
                };
            }
        }

        /// <summary>Takes over what an earlier domain of the same process saved; only on an empty buffer.</summary>
        public void Restore(JsonObject saved)
        {
            lock (_lock)
            {
                foreach (var entry in saved.Items("entries"))
                {
                    AddLast(ConsoleEntry.FromJson((JsonObject)entry));
                }
                _lastSeq = saved.Integer("last_seq") ?? 0;
                _forgottenThrough = saved.Integer("forgotten_through") ?? 0;
            }
        }

        private static bool IsCompileError(ConsoleEntry entry) =>
            entry.CompiledAssembly != null && entry.Type == EntryType.Error;

        private void RemoveAll(Predicate<ConsoleEntry> match)
        {
            for (var node = _entries.First; node != null;)
            {
                var next = node.Next;
                if (match(node.Value))
                {
                    Remove(node);
                }
                node = next;
            }
        }

        private void AddLast(ConsoleEntry entry)
        {
            _entries.AddLast(entry);
            _chars += entry.Chars;
            _compileErrors += IsCompileError(entry) ? 1 : 0;
        }

        private void Remove(LinkedListNode<ConsoleEntry> node)
        {
            _chars -= node.Value.Chars;
            _compileErrors -= IsCompileError(node.Value) ? 1 : 0;
            _entries.Remove(node);
        }
    }
}
