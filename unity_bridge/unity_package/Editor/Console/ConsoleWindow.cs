using System;
using System.Collections.Generic;
using System.Reflection;
using UnityEditor;
using UnityBridge.Platform;

namespace UnityBridge.Console
{
    /// <summary>
    /// The rows of Unity's own console, read through its internals: the only source of what was logged before this
    /// package was loaded. Main thread. Where a version of Unity has other internals, there is nothing to read.
    /// </summary>
    internal sealed class ConsoleWindow
    {
        // The view's settings under which every row is its own and none is hidden.
        private const int Collapse = 1;
        private const int Errors = 1 << 9;
        private const int AllLevels = 1 << 7 | 1 << 8 | Errors;

        // Reading holds the mutex of the console, so that other threads cannot log: the newest of a flood of errors are
        // enough.
        private const int MostErrorsRead = 5000;

        private const int ExceptionBits = 1 << 17;
        private const int AssertBits = 1 << 1 | 1 << 21;
        private const int ErrorBits = 1 << 0 | 1 << 4 | 1 << 6 | 1 << 8 | 1 << 11 | 1 << 20 | 1 << 22;
        private const int WarningBits = 1 << 7 | 1 << 9 | 1 << 12;
        private const int CompilerBits = 1 << 11 | 1 << 12;
        private const int ImportErrorBit = 1 << 6;

        // Stays in the console until its cause is gone: an error of the compiler or of an assembly definition.
        private const int StickyBit = 1 << 13;

        // What an import of these says concerns the code (SPEC §16.1).
        private static readonly string[] FilesOfCode =
            ".cs .asmdef .asmref .rsp .dll".Split(' ');
        private static readonly string[] Folders = { "Assets/", "Packages/" };

        private readonly Type _row;
        private readonly MethodInfo _start, _end, _get, _getFilter, _setFilter;
        private readonly PropertyInfo _flags;
        private readonly FieldInfo _message, _mode, _file, _line, _stackStart;

        private ConsoleWindow(Assembly editor)
        {
            var rows = editor.GetType("UnityEditor.LogEntries", true);
            _row = editor.GetType("UnityEditor.LogEntry", true);
            _start = Required(rows.GetMethod("StartGettingEntries", Members.Any));
            _end = Required(rows.GetMethod("EndGettingEntries", Members.Any));
            _get = Required(rows.GetMethod("GetEntryInternal", Members.Any));
            _flags = Required(rows.GetProperty("consoleFlags", Members.Any));
            _getFilter = rows.GetMethod("GetFilteringText", Members.Any);
            _setFilter = rows.GetMethod("SetFilteringText", Members.Any);
            _message = Required(_row.GetField("message", Members.Any));
            _mode = Required(_row.GetField("mode", Members.Any));
            _file = Required(_row.GetField("file", Members.Any));
            _line = Required(_row.GetField("line", Members.Any));
            _stackStart = _row.GetField("callstackTextStartUTF16", Members.Any);
        }

        /// <summary>Null where this Unity's console cannot be read.</summary>
        public static ConsoleWindow Find()
        {
            try
            {
                return new ConsoleWindow(typeof(EditorApplication).Assembly);
            }
            catch (Exception)
            {
                return null;
            }
        }

        /// <summary>How many rows there are, hidden ones included.</summary>
        public int Count() => Showing(AllLevels, count => count);

        /// <summary>How many of the rows are errors.</summary>
        public int CountErrors() => Showing(Errors, count => count);

        /// <summary>The errors that keep scripts from compiling, assembly definitions included.</summary>
        /// <param name="firstImport">From this error on, counted as by <see cref="CountErrors"/>, imports count too
        /// (<c>int.MaxValue</c>: none).</param>
        /// <param name="imports">Takes the errors of imports that do not concern the code; null for none.</param>
        public List<ConsoleEntry> Obstacles(int firstImport, List<ConsoleEntry> imports = null) =>
            Showing(Errors, count =>
        {
            // Fewer rows than then: the console was cleared, and what it shows is new.
            var firstNew = firstImport != int.MaxValue && count < firstImport ? 0 : firstImport;
            var found = new List<ConsoleEntry>();
            ForEachRow(Math.Max(0, count - MostErrorsRead), count, (index, row) =>
            {
                var mode = (int)_mode.GetValue(row);
                var isNewImport = index >= firstNew && (mode & ImportErrorBit) != 0;
                var isSticky = (mode & StickyBit) != 0 && (mode & ErrorBits) != 0;
                if ((mode & ImportErrorBit) != 0 && !IsOfCode((string)_file.GetValue(row)))
                {
                    if (isNewImport)
                    {
                        imports?.Add(ToImportError(row));
                    }
                }
                else if (isNewImport || isSticky)
                {
                    found.Add(ToEntry(row));
                }
            });
            return found;
        });

        private static bool IsOfCode(string file) =>
            file != null && Array.Exists(
                FilesOfCode, ending => file.EndsWith(ending, StringComparison.OrdinalIgnoreCase));

        // The row of an import may name a file of Unity's own sources, and the text then says which asset it is.
        private ConsoleEntry ToImportError(object row)
        {
            var entry = ToEntry(row);
            var file = ((string)_file.GetValue(row) ?? "").Replace('\\', '/');
            var isInProject = Array.Exists(Folders, file.Begins);
            return new ConsoleEntry(entry.Type, entry.Message, "", null, isInProject ? file : PathIn(entry.Message));
        }

        // Null if the text names no file of the project.
        private static string PathIn(string text)
        {
            foreach (var folder in Folders)
            {
                var start = text.IndexOf(folder, StringComparison.Ordinal);
                var dot = start < 0 ? -1 : text.IndexOf('.', start);
                var end = dot + 1;
                while (dot > 0 && end < text.Length && char.IsLetterOrDigit(text[end]))
                {
                    end++;
                }
                if (dot > 0 && end > dot + 1 && text.IndexOf('\n', start, dot - start) < 0)
                {
                    return text.Substring(start, end - start);
                }
            }
            return null;
        }

        /// <summary>The rows from the given one on, oldest first.</summary>
        public List<ConsoleEntry> RowsFrom(int first) => Showing(AllLevels, count =>
        {
            var entries = new List<ConsoleEntry>();
            ForEachRow(first, count, (_, row) => entries.Add(ToEntry(row)));
            return entries;
        });

        private void ForEachRow(int first, int count, Action<int, object> take)
        {
            // One object for all of them, which Unity fills again: there may be a hundred thousand.
            var row = Activator.CreateInstance(_row, true);
            var arguments = new[] { null, row };
            for (var i = first; i < count; i++)
            {
                arguments[0] = i;
                if ((bool)_get.Invoke(null, arguments))
                {
                    take(i, row);
                }
            }
        }

        private ConsoleEntry ToEntry(object row)
        {
            var mode = (int)_mode.GetValue(row);
            var text = (string)_message.GetValue(row) ?? "";
            var split = _stackStart == null ? 0 : (int)_stackStart.GetValue(row);
            if (split <= 0 || split > text.Length)
            {
                split = text.IndexOf('\n') + 1;
            }
            var message = split > 0 ? text.Substring(0, split).TrimEnd('\n', '\r') : text;
            var stack = split > 0 ? text.Substring(split) : "";
            // The row does not name the assembly; the empty name is no assembly's, and still "by the compiler".
            return (mode & CompilerBits) == 0
                ? new ConsoleEntry(TypeOf(mode), message, stack)
                : new ConsoleEntry(TypeOf(mode), message, stack, "", (string)_file.GetValue(row),
                    (int)_line.GetValue(row));
        }

        private static string TypeOf(int mode)
        {
            return (mode & ExceptionBits) != 0 ? EntryType.Exception
                : (mode & AssertBits) != 0 ? EntryType.Assert
                : (mode & ErrorBits) != 0 ? EntryType.Error
                : (mode & WarningBits) != 0 ? EntryType.Warning
                : EntryType.Log;
        }

        // The view's toggles and search text hide rows from the reader too: they are set aside, and put back.
        private T Showing<T>(int levels, Func<int, T> read)
        {
            var flags = (int)_flags.GetValue(null, null);
            var filter = _getFilter == null ? "" : (string)_getFilter.Invoke(null, null);
            var wanted = (flags & ~AllLevels & ~Collapse) | levels;
            void Show(int shown, string text)
            {
                if (flags != wanted)
                {
                    _flags.SetValue(null, shown, null);
                }
                if (!string.IsNullOrEmpty(filter))
                {
                    _setFilter?.Invoke(null, new object[] { text });
                }
            }
            try
            {
                Show(wanted, "");
                var count = (int)_start.Invoke(null, null);
                try
                {
                    return read(count);
                }
                finally
                {
                    _end.Invoke(null, null);
                }
            }
            finally
            {
                Show(flags, filter);
            }
        }

        private static T Required<T>(T member)
            where T : class => member ?? throw new MissingMemberException();
    }
}
