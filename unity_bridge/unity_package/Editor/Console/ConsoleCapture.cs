using System;
using System.Collections.Generic;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;

namespace UnityBridge.Console
{
    /// <summary>Fills the buffer: log messages of all threads, compiler messages, what was there before, over
    /// reloads.</summary>
    internal sealed class ConsoleCapture
    {
        private const string BufferKey = "UnityBridge.console";
        private const string RowsKey = "UnityBridge.console_rows";
        private const string PlayKey = "UnityBridge.console_before_play";

        private readonly ConsoleBuffer _buffer;
        private readonly ConsoleWindow _window;

        /// <param name="window">Null where this Unity's console cannot be read.</param>
        public ConsoleCapture(ConsoleBuffer buffer, ConsoleWindow window, CompilerLog compiler)
        {
            _buffer = buffer;
            _window = window;
            compiler.AssemblyCompiled += OnAssemblyCompiled;
            compiler.Fixed += _buffer.DropCompileErrors;
        }

        /// <summary>Main thread, at load: takes up the thread where the last domain left it, then listens.</summary>
        public void Start()
        {
            Guard.Run(Restore);
            Application.logMessageReceivedThreaded += OnLogMessage;
            EditorEvents.OnPlayMode(change =>
            {
                if (change == PlayModeStateChange.ExitingEditMode)
                {
                    SessionState.SetString(PlayKey, _buffer.NewestSeq.ToString());
                }
            });
        }

        /// <summary>Main thread. The number of the newest entry from before play mode; in edit mode that of the newest
        /// one.</summary>
        public static long SeqBeforePlay(ConsoleBuffer buffer) =>
            EditorApplication.isPlaying && long.TryParse(SessionState.GetString(PlayKey, ""), out var seq) ? seq
                : buffer.NewestSeq;

        /// <summary>Main thread, before the domain goes.</summary>
        public void Save()
        {
            Application.logMessageReceivedThreaded -= OnLogMessage;
            SessionState.SetInt(RowsKey, _window == null ? -1 : _window.Count());
            SavedState.Write(BufferKey, _buffer.ToJson());
        }

        private void Restore()
        {
            var saved = SavedState.Read(BufferKey);
            if (saved != null)
            {
                _buffer.Restore(saved);
                SessionState.EraseString(BufferKey);
            }
            if (_window != null)
            {
                AddMissedRows(saved != null);
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

        private void OnAssemblyCompiled(string assemblyPath, List<CompilerFault> faults) =>
            _buffer.ReplaceCompilerMessages(assemblyPath, faults.ConvertAll(fault => new ConsoleEntry(
                fault.IsError
                ? EntryType.Error
                : EntryType.Warning, fault.Text, "", assemblyPath, fault.File, fault.Line)));

        private static string TypeOf(LogType type) => type switch
        {
            LogType.Error => EntryType.Error,
            LogType.Assert => EntryType.Assert,
            LogType.Warning => EntryType.Warning,
            LogType.Exception => EntryType.Exception,
            _ => EntryType.Log,
        };
    }
}
