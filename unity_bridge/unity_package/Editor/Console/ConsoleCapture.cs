using System;
using System.Collections.Generic;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Console
{
    /// <summary>Fills the buffer: log messages of all threads, compiler messages, what was there before, over reloads.</summary>
    internal sealed class ConsoleCapture
    {
        private const string BufferKey = "UnityBridge.console";
        private const string RowsKey = "UnityBridge.console_rows";

        private readonly ConsoleBuffer _buffer;
        private readonly ConsoleWindow _window = ConsoleWindow.Find();

        public ConsoleCapture(ConsoleBuffer buffer)
        {
            _buffer = buffer;
        }

        /// <summary>Main thread, at load: takes up the thread where the last domain left it, then listens.</summary>
        public void Start()
        {
            Guard.Run(Restore);
            Application.logMessageReceivedThreaded += OnLogMessage;
            CompilationPipeline.assemblyCompilationFinished += OnAssemblyCompiled;
        }

        /// <summary>Main thread, before the domain goes.</summary>
        public void Save()
        {
            Application.logMessageReceivedThreaded -= OnLogMessage;
            SessionState.SetInt(RowsKey, _window == null ? -1 : _window.Count());
            SessionState.SetString(BufferKey, JsonWriter.Write(_buffer.ToJson()));
        }

        private void Restore()
        {
            object saved;
            string why;
            var text = SessionState.GetString(BufferKey, "");
            var known = JsonReader.TryRead(text, out saved, out why) && saved is JsonObject;
            if (known)
            {
                _buffer.Restore((JsonObject)saved);
                SessionState.EraseString(BufferKey);
            }
            if (_window != null)
            {
                AddMissedRows(known);
            }
            if (!EditorUtility.scriptCompilationFailed)
            {
                // A compilation that succeeds ends in a reload: here the old errors are known to be no longer true.
                _buffer.DropCompileErrors();
            }
        }

        // Between the save of the last domain and now nobody listened, but Unity's console did.
        private void AddMissedRows(bool afterReload)
        {
            var seen = afterReload ? SessionState.GetInt(RowsKey, -1) : 0;
            if (seen < 0)
            {
                return;
            }
            // Fewer rows than before: the console was cleared, so what it shows is new.
            var count = _window.Count();
            var first = Math.Max(count < seen ? 0 : seen, count - ConsoleBuffer.MaxEntries);
            foreach (var row in _window.RowsFrom(first))
            {
                // After a reload the compiler's messages are here already, by their event.
                if (!afterReload || row.CompiledAssembly == null)
                {
                    _buffer.Add(row);
                }
            }
        }

        // Any thread. Neither logs nor calls Unity: it would come back here.
        private void OnLogMessage(string condition, string stackTrace, LogType type)
        {
            _buffer.Add(new ConsoleEntry(TypeOf(type), condition, stackTrace));
        }

        private void OnAssemblyCompiled(string assemblyPath, CompilerMessage[] messages)
        {
            var entries = new List<ConsoleEntry>();
            foreach (var message in messages ?? new CompilerMessage[0])
            {
                entries.Add(new ConsoleEntry(TypeOf(message.type), message.message, "", assemblyPath, message.file, message.line));
            }
            Guard.Run(() => _buffer.ReplaceCompilerMessages(assemblyPath, entries));
        }

        private static string TypeOf(LogType type)
        {
            switch (type)
            {
                case LogType.Error: return EntryType.Error;
                case LogType.Assert: return EntryType.Assert;
                case LogType.Warning: return EntryType.Warning;
                case LogType.Exception: return EntryType.Exception;
                default: return EntryType.Log;
            }
        }

        private static string TypeOf(CompilerMessageType type)
        {
            return type == CompilerMessageType.Error ? EntryType.Error
                : type == CompilerMessageType.Warning ? EntryType.Warning
                : EntryType.Log;
        }
    }
}
