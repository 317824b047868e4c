using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using UnityEngine;

namespace Headless
{
    /// <summary>The native side: everything of the editor that a domain reload leaves alone.</summary>
    internal sealed class NativeEditor : Native
    {
        private readonly object _lock = new object();
        private readonly Dictionary<string, string> _session = new Dictionary<string, string>(); // guarded by _lock, as the rows
        private readonly List<string[]> _rows = new List<string[]>();
        private readonly TextWriter _out;
        private readonly int _mainThread = Thread.CurrentThread.ManagedThreadId;

        public readonly AutoResetEvent Signal = new AutoResetEvent(false);
        public readonly List<string> Scenes = new List<string>();
        public readonly List<string> ProjectTests = new List<string>();
        public readonly HashSet<string> Quirks = new HashSet<string>();
        public bool EchoConsole = true;
        /// <summary>An update has asked for the next one.</summary>
        public bool GoesOn;
        public Scripts Scripts;
        public int KeptObjects;
        public int ImportMs;
        public string ImportError;

        public NativeEditor(TextWriter output)
        {
            _out = output;
            UnityVersion = "2021.3.0f1-headless";
            ConsoleFlags = 1 << 7 | 1 << 8 | 1 << 9;
            ConsoleFilter = "";
        }

        public override string GetSession(string key)
        {
            lock (_lock)
            {
                string value;
                return _session.TryGetValue(key, out value) ? value : null;
            }
        }

        public override void SetSession(string key, string value)
        {
            lock (_lock)
            {
                if (value == null) _session.Remove(key);
                else _session[key] = value;
            }
        }

        public override void AddRow(string message, string stack, int mode, string file, int line)
        {
            lock (_lock) _rows.Add(new[] { message, stack, mode.ToString(), file, line.ToString() });
            if (EchoConsole) Say("console " + message.Split('\n')[0]);
        }

        public void RemoveCompilerRows()
        {
            lock (_lock) _rows.RemoveAll(row => (int.Parse(row[2]) & (1 << 12 | 1 << 13)) != 0 && row[1] != "setup");
        }

        public override void SaveScene(string path)
        {
            Scenes.Remove(path);
        }

        public override void Refresh()
        {
            Say("refresh");
            if (ImportMs > 0) Thread.Sleep(ImportMs);
            if (ImportError != null) AddRow(ImportError, "", 1 << 6, "Assets/Bad.png", 0);
            ImportError = null;
            Scripts.Import();
        }

        public override void RequestCompilation()
        {
            Say("request-compilation");
            Scripts.Request(true);
        }

        public override void CountKept(int change)
        {
            KeptObjects += change;
        }

        public override void ClearRows()
        {
            lock (_lock) _rows.RemoveAll(row => (int.Parse(row[2]) & 1 << 13) == 0);
        }

        public override string Rows()
        {
            lock (_lock) return string.Concat(_rows.Select(row => string.Join("\u001f", row) + "\u001e"));
        }

        public override string[] DirtyScenes()
        {
            return Scenes.ToArray();
        }

        public override string[] Tests()
        {
            return ProjectTests.ToArray();
        }

        public override bool Quirk(string name)
        {
            return Quirks.Contains(name);
        }

        public override int QuirkValue(string name)
        {
            var quirk = Quirks.FirstOrDefault(candidate => candidate.StartsWith(name + " "));
            return quirk == null ? 0 : int.Parse(quirk.Substring(name.Length + 1));
        }

        public override void Say(string line)
        {
            lock (_out)
            {
                _out.Write("HOST " + line.Replace('\n', ' ') + "\n");
                _out.Flush();
            }
        }

        public override void SignalTick()
        {
            if (Quirks.Contains("no-signal")) return;
            if (Thread.CurrentThread.ManagedThreadId == _mainThread) GoesOn = true;
            else Signal.Set();
        }
    }
}
