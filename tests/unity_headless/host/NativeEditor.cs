using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using UnityEngine;

namespace Headless
{
    /// <summary>The native side: everything of the editor that a domain reload leaves alone.</summary>
    internal sealed class NativeEditor : Native
    {
        private readonly object _lock = new object();
        // guarded by _lock, as the rows
        private readonly Dictionary<string, string> _session = new Dictionary<string, string>();
        private readonly List<string[]> _rows = new List<string[]>();
        private bool _rowsAreHeld, _prefabChanged;
        private readonly TextWriter _out;
        private readonly int _mainThread = Thread.CurrentThread.ManagedThreadId;

        public readonly AutoResetEvent Signal = new AutoResetEvent(false);
        public readonly AutoResetEvent Released = new AutoResetEvent(false);
        public readonly List<string> Scenes = new List<string>();
        public readonly List<string> Clean = new List<string> { "Assets/Clean.unity" };
        public readonly HashSet<string> Unloaded = new HashSet<string>();
        private readonly Dictionary<string, string> _files = new Dictionary<string, string>();
        public readonly List<string> ProjectTests = new List<string>();
        public readonly HashSet<string> Quirks = new HashSet<string>();
        public bool EchoConsole = true;
        public Scripts Scripts;
        /// <summary>The ids of the plugin's jobs that run, for the record of a soak.</summary>
        public Func<string> RunningJobs;
        public DiskScripts Disk;
        public int KeptObjects;
        public int ImportMs;
        public string ImportError;

        public NativeEditor(TextWriter output)
        {
            _out = output;
            Shared = Marshal.AllocHGlobal(16);
            Marshal.Copy(new byte[16], 0, Shared, 16);
            Focused = true;
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
                MostSessionChars = Math.Max(MostSessionChars, SessionChars);
            }
        }

        /// <summary>What SessionState holds, and the most that it has held.</summary>
        public int SessionChars
        {
            get { lock (_lock) return _session.Sum(pair => pair.Key.Length + (pair.Value ?? "").Length); }
        }
        public int MostSessionChars { get; private set; }

        public override void AddRow(string message, string stack, int mode, string file, int line)
        {
            lock (_lock)
            {
                if (_rowsAreHeld && Thread.CurrentThread.ManagedThreadId == _mainThread)
                {
                    Say("VIOLATION the main thread logs while it reads the console, and dead-locks");
                }
                // Other threads wait until the rows have been read.
                else while (_rowsAreHeld) Monitor.Wait(_lock);
                _rows.Add(new[] { message, stack, mode.ToString(), file, line.ToString() });
            }
            if (EchoConsole) Say("console " + message.Split('\n')[0]);
        }

        public void RemoveCompilerRows()
        {
            lock (_lock) _rows.RemoveAll(row => (int.Parse(row[2]) & (1 << 12 | 1 << 13)) != 0 && row[1] != "setup");
        }

        public override void SaveScene(string path)
        {
            // It stays open.
            if (Scenes.Remove(path) && !Clean.Contains(path)) Clean.Add(path);
            var file = FileOf(path);
            // Saving writes the file; one that a test has never made is left alone.
            if (_files.ContainsKey(path) && _files[path] != null)
            {
                File.WriteAllText(file, Disk == null ? "%YAML saved by the editor" : _files[path]);
            }
            OpenedFile(path);
        }

        public override void NewScene(bool alone)
        {
            if (alone)
            {
                Scenes.Clear();
                Clean.Clear();
                OpenPrefab = null;
            }
            Clean.Add("Untitled");
        }

        public override void SavedScene(string before, string path)
        {
            if (OpenScenes().Contains(before)) _opened[_opened.IndexOf(before)] = path;
            Scenes.Remove(before);
            Clean.Remove(before);
            Clean.Add(path);
            if (ActiveScene == before) ActiveScene = path;
            OpenedFile(path);
        }

        public override void CleanScene(string path)
        {
            if (Scenes.Remove(path)) Clean.Insert(0, path);
        }

        public override void DiscardScene(string path)
        {
            Scenes.Remove(path);
            OpenedFile(path);
        }

        public override void MarkDirty(string path)
        {
            if (path != null && path == OpenPrefab) DirtyPrefab = path;
            else if (Clean.Remove(path)) Scenes.Add(path);
        }

        public override bool IsUnloaded(string path)
        {
            return Unloaded.Contains(path);
        }

        public override string[] CleanScenes()
        {
            return Clean.ToArray();
        }

        // Whether a scene has changes says nothing about its place.
        private readonly List<string> _opened = new List<string>();

        public override string[] OpenScenes()
        {
            var open = Clean.Concat(Scenes).ToList();
            _opened.RemoveAll(path => !open.Contains(path));
            foreach (var path in open) if (!_opened.Contains(path)) _opened.Add(path);
            return _opened.ToArray();
        }

        /// <summary>A test's scene is the active one.</summary>
        public void OpenFirst(string path)
        {
            OpenScenes();
            if (!_opened.Contains(path)) _opened.Insert(0, path);
            Scenes.Add(path);
            Clean.Remove(path);
            OpenedFile(path);
        }

        public override void CloseScene(string path, bool isRemoved)
        {
            if (Scenes.Remove(path))
            {
                Say("lost " + path);
                if (!isRemoved) Clean.Insert(0, path);
            }
            if (isRemoved) Clean.Remove(path);
            else Unloaded.Add(path);
        }

        public override void OpenedFile(string path, bool isAdditive = false)
        {
            if (isAdditive && !Scenes.Contains(path) && !Clean.Contains(path)) Clean.Add(path);
            if (Disk != null && path != null && path.EndsWith(".unity") && !Scenes.Contains(path)
                && !Clean.Contains(path))
            {
                // As OpenSceneMode.Single.
                Scenes.Clear();
                Clean.Clear();
                Clean.Add(path);
            }
            Unloaded.Remove(path);
            if (Disk != null && path != null && File.Exists(FileOf(path)))
            {
                var name = System.Text.RegularExpressions.Regex.Match(File.ReadAllText(FileOf(path)), @"m_Name: (\w+)");
                if (name.Success) AddToWorld("rename in " + path + "|" + name.Groups[1].Value);
            }
            if (path != null) _files[path] = File.Exists(FileOf(path)) ? File.ReadAllText(FileOf(path)) : null;
        }

        private string FileOf(string path)
        {
            return Path.Combine(Path.GetDirectoryName(DataPath), path);
        }

        // Native: an open scene or prefab that somebody else has changed raises a modal dialog, and the main thread
        // stands still until a person clicks (CoplayDev/unity-mcp issue 891 and PR 1350, hatayama/unity-cli-loop issue
        // 2480).
        private void AskAboutChangedScenes()
        {
            foreach (var path in Scenes.Concat(Clean).Concat(new[] { OpenPrefab ?? DirtyPrefab })
                .Where(path => path != null && path != "Untitled" && !Unloaded.Contains(path)))
            {
                string before;
                var now = File.Exists(FileOf(path)) ? File.ReadAllText(FileOf(path)) : null;
                if (!_files.TryGetValue(path, out before)) _files[path] = now;
                else if (before != now && path == (DirtyPrefab ?? OpenPrefab) && DirtyPrefab == null)
                {
                    _prefabChanged = true;
                }
                else if (before != now)
                {
                    Say("VIOLATION a modal dialog: the open scene " + path + " was modified externally");
                }
            }
        }

        public override bool TakeChangedPrefab()
        {
            var changed = _prefabChanged;
            _prefabChanged = false;
            return changed;
        }

        public override void Refresh()
        {
            Say("refresh");
            if (RunningJobs != null) Say("refresh-of " + RunningJobs());
            AskAboutChangedScenes();
            if (ImportMs > 0) Hold(ImportMs);
            if (ImportError != null) AddRow(ImportError, "", 1 << 6, "Assets/Bad.png", 0);
            ImportError = null;
            Scripts.Import();
        }

        public override void RequestCompilation()
        {
            Say("request-compilation");
            Scripts.Request(true);
        }

        public override string ImportedPaths()
        {
            return string.Join("\n", Scripts.ImportedPaths());
        }

        public override string ImportedText(string path)
        {
            return Scripts.ImportedText(path);
        }

        public override void CountKept(int change)
        {
            KeptObjects += change;
        }

        public override void ClearRows()
        {
            lock (_lock) _rows.RemoveAll(row => (int.Parse(row[2]) & 1 << 13) == 0);
        }

        public override void HoldRows(bool isHeld)
        {
            lock (_lock)
            {
                _rowsAreHeld = isHeld;
                Monitor.PulseAll(_lock);
            }
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

        public override string[] ScriptAssemblies()
        {
            return Disk == null ? new string[0] : Disk.Compiled();
        }

        public override void FoundTests(string[] lines)
        {
            ProjectTests.Clear();
            ProjectTests.AddRange(lines);
            TestsVersion++;
        }

        public override bool Quirk(string name)
        {
            return Quirks.Contains(name);
        }

        public override int QuirkValue(string name)
        {
            return QuirkText(name) == null ? 0 : int.Parse(QuirkText(name));
        }

        public override string QuirkText(string name)
        {
            var quirk = Quirks.FirstOrDefault(candidate => candidate.StartsWith(name + " "));
            return quirk == null ? null : quirk.Substring(name.Length + 1);
        }

        public override void LimitFiles(long bytes)
        {
            const int fileSize = 1, tooLarge = 25; // RLIMIT_FSIZE and SIGXFSZ, on Linux and macOS
            signal(tooLarge, new IntPtr(1)); // a write that does not fit fails, and ends nobody
            var limit = new Limit();
            getrlimit(fileSize, ref limit);
            limit.Soft = bytes < 0 ? limit.Hard : (ulong)bytes;
            setrlimit(fileSize, ref limit);
        }

        [StructLayout(LayoutKind.Sequential)]
        private struct Limit
        {
            public ulong Soft;
            public ulong Hard;
        }

        [DllImport("libc")]
        private static extern IntPtr signal(int number, IntPtr handler);

        [DllImport("libc")]
        private static extern int getrlimit(int resource, ref Limit limit);

        [DllImport("libc")]
        private static extern int setrlimit(int resource, ref Limit limit);

        public override void Say(string line)
        {
            // For which job of the plugin's: two may have the same test, as where a call is repeated with a key that is
            // spent.
            foreach (var kind in new[] { "test", "handed-over" })
            {
                if (line.StartsWith(kind + " ", StringComparison.Ordinal) && RunningJobs != null)
                {
                    Write(kind + "-of " + RunningJobs());
                }
            }
            Write(line);
        }

        private void Write(string line) => WriteLog("HOST " + line.Replace('\n', ' '));

        /// <summary>As a line of Editor.log.</summary>
        public void WriteLog(string line)
        {
            lock (_out)
            {
                _out.Write(line + "\n");
                _out.Flush();
            }
        }

        public override void Hold(int ms)
        {
            Released.WaitOne(ms);
        }

        public override void SignalTick()
        {
            // On the main thread it has no effect: an editor without focus stays at 100 ms (hatayama/unity-cli-loop
            // issue 2643, 2022.3 on macOS).
            if (!Quirks.Contains("no-signal") && Thread.CurrentThread.ManagedThreadId != _mainThread) Signal.Set();
        }
    }
}
