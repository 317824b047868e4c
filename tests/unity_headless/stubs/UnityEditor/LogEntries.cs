using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEditor
{
    internal class LogEntry
    {
        public string message, file;
        public int line, column, mode, identifier, callstackTextStartUTF16;
    }

    /// <summary>The console's rows, seen through the view's level toggles, search text and collapse, as in
    /// Unity.</summary>
    internal sealed class LogEntries
    {
        private static List<string[]> _visible;
        private static int _read;

        public static int consoleFlags
        {
            get { Native.RequireMainThread("LogEntries.consoleFlags"); return Native.Editor.ConsoleFlags; }
            set
            {
                Native.RequireMainThread("LogEntries.consoleFlags");
                RequireFree("consoleFlags");
                Native.Editor.ConsoleFlags = value;
            }
        }

        public static string GetFilteringText()
        {
            Native.RequireMainThread("LogEntries.GetFilteringText");
            return Native.Editor.ConsoleFilter;
        }

        public static void SetFilteringText(string text)
        {
            Native.RequireMainThread("LogEntries.SetFilteringText");
            RequireFree("SetFilteringText");
            Native.Editor.ConsoleFilter = text;
        }

        public static void Clear()
        {
            Native.RequireMainThread("LogEntries.Clear");
            RequireFree("Clear");
            Native.Editor.ClearRows();
        }

        public static int StartGettingEntries()
        {
            Native.RequireMainThread("LogEntries.StartGettingEntries");
            RequireFree("StartGettingEntries");
            Native.Editor.HoldRows(true);
            var visible = new List<string[]>();
            var seen = new HashSet<string>();
            var flags = Native.Editor.ConsoleFlags;
            var filter = Native.Editor.ConsoleFilter ?? "";
            foreach (var text in Native.Editor.Rows().Split(new[] { '\u001e' }, StringSplitOptions.RemoveEmptyEntries))
            {
                var row = text.Split('\u001f');
                if (IsShown(row, flags, filter) && (seen.Add(row[0]) || (flags & 1) == 0)) visible.Add(row);
            }
            _visible = visible;
            return _visible.Count;
        }

        public static void EndGettingEntries()
        {
            if (_visible == null) throw new InvalidOperationException("EndGettingEntries without a start");
            _visible = null;
            Native.Editor.HoldRows(false);
            Native.Editor.RowsRead += _read;
            _read = 0;
        }

        public static bool GetEntryInternal(int row, LogEntry outputEntry)
        {
            if (_visible == null) throw new InvalidOperationException("GetEntryInternal outside of Start and End");
            if (row < 0 || row >= _visible.Count) return false;
            _read++;
            var parts = _visible[row];
            outputEntry.message = parts[0] + "\n" + parts[1];
            outputEntry.callstackTextStartUTF16 = parts[0].Length + 1;
            outputEntry.mode = int.Parse(parts[2]);
            outputEntry.file = parts[3];
            outputEntry.line = int.Parse(parts[4]);
            return true;
        }

        // The mutex of the native console is held from StartGettingEntries to EndGettingEntries (ConsoleWindow.cs
        // 6000.3.19f1:828).
        private static void RequireFree(string api)
        {
            if (_visible != null)
            {
                Native.Editor.Say("VIOLATION " + api + " between StartGettingEntries and EndGettingEntries dead-locks");
            }
        }

        private static bool IsShown(string[] row, int flags, string filter)
        {
            var mode = int.Parse(row[2]);
            var level = (mode & 0x1280) != 0 ? 1 << 8 : (mode & 0x404) != 0 ? 1 << 7 : 1 << 9;
            return (flags & level) != 0 && row[0].Contains(filter);
        }
    }
}
