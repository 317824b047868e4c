using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using UnityEngine;

namespace Headless
{
    /// <summary>
    /// An editor without Unity. Arguments: the project's folder, then options. Commands come line by line on stdin,
    /// what happens is reported on stdout as lines that start with HOST; it ends when stdin does.
    /// </summary>
    public static class Host
    {
        // How long an editor without focus rests between two updates that nothing asks for (hatayama/unity-cli-loop
        // issue 2643, measured on macOS with 2022.3; CoderGamester/mcp-unity issues 147 and 150 saw seconds on
        // Windows).
        private const int UnfocusedMs = 100;

        private static readonly ConcurrentQueue<string> Commands = new ConcurrentQueue<string>();
        private static readonly Queue<string> Pings = new Queue<string>();
        private static readonly Stopwatch Clock = Stopwatch.StartNew();
        private static NativeEditor _native;
        private static AppDomain _domain;
        private static ScriptDomain _scripts;
        private static int _loads;
        private static int _tickMs = 10;
        private static bool _quit;
        private static Scripts _projectScripts;
        private static Player _player;
        private static int _edits;
        private static long _longestTickMs;
        private static int _updates;
        private static readonly Stopwatch SinceCounts = Stopwatch.StartNew();

        public static int Main(string[] args)
        {
            var log = After(args, "-logFile");
            var output = new StreamWriter(
                log == null
                ? Console.OpenStandardOutput()
                : new FileStream(log, FileMode.Create, FileAccess.Write, FileShare.ReadWrite), new UTF8Encoding(false));
            _native = new NativeEditor(output) { LogPath = log == null ? null : Path.GetFullPath(log) };
            var project = Path.GetFullPath(After(args, "-projectPath") ?? args[0]);
            // As Unity does. There Mono leaves its report, should it crash.
            Directory.CreateDirectory(project);
            Directory.SetCurrentDirectory(project);
            _native.DataPath = Path.Combine(project, "Assets");
            _native.ProductName = Path.GetFileName(project);
            _native.ContentsPath = After(args, "--contents");
            _native.BatchMode = Array.IndexOf(args, "--batch-mode") >= 0 || Array.IndexOf(args, "-batchmode") >= 0;
            _native.ImportWorker = Array.IndexOf(args, "--import-worker") >= 0;
            _native.CommandLine = string.Join(" ", args);
            // As Unity holds it for as long as it has the project open.
            if (IsProgram(args)) HoldProject(project);
            if (IsProgram(args)) OpenProject(project);
            _projectScripts = new Scripts(_native, _native.Disk);
            _native.Scripts = _projectScripts;
            _player = new Player(_native);
            if (!IsProgram(args)) new Thread(ReadCommands) { IsBackground = true, Name = "stdin" }.Start();
            _native.Say("started " + Process.GetCurrentProcess().Id);
            if (Array.IndexOf(args, "--hold") >= 0) RunHeldCommands();
            LoadScripts();
            var isAskedFor = false;
            while (!_quit)
            {
                string command;
                while (!_quit && Commands.TryDequeue(out command)) Run(command);
                var began = Clock.ElapsedMilliseconds;
                _player.BeforeUpdate(_scripts, isAskedFor);
                _scripts.Tick();
                _updates++;
                _longestTickMs = Math.Max(_longestTickMs, Clock.ElapsedMilliseconds - began);
                AfterTick();
                while (Pings.Count > 0) _native.Say("pong " + Pings.Dequeue());
                isAskedFor = _native.Signal.WaitOne(Native.Focused ? _tickMs : Math.Max(_tickMs, UnfocusedMs));
            }
            // Threads of the script domain must not keep the process: a real editor ends whatever its scripts do. (An
            // orderly exit of Mono waits for them.)
            Process.GetCurrentProcess().Kill();
            return 0;
        }

        // Started as Unity is, and not by a test that writes commands.
        private static bool IsProgram(string[] args)
        {
            return Array.IndexOf(args, "-projectPath") >= 0;
        }

        private static string After(string[] args, string option)
        {
            var place = Array.IndexOf(args, option);
            return place < 0 || place + 1 >= args.Length ? null : args[place + 1];
        }

        private static FileStream _held;

        private static void HoldProject(string project)
        {
            Directory.CreateDirectory(Path.Combine(project, "Temp"));
            _held = new FileStream(Path.Combine(project, "Temp", "UnityLockfile"), FileMode.OpenOrCreate,
                FileAccess.ReadWrite, FileShare.ReadWrite);
            _held.Lock(0, 1);
        }

        // The project as it is on disk: its scripts, its scenes, and the object that each of them has.
        private static void OpenProject(string project)
        {
            _native.Disk = new DiskScripts(project);
            var version = System.Text.RegularExpressions.Regex.Match(
                File.ReadAllText(Path.Combine(project, "ProjectSettings", "ProjectVersion.txt")),
                @"m_EditorVersion:\s*(\S+)");
            _native.UnityVersion = version.Groups[1].Value;
            // An agent works with an editor in the background.
            Native.Focused = false;
            var packages = Path.Combine(project, "Packages", "manifest.json");
            if (File.Exists(packages) && File.ReadAllText(packages).Contains("com.unity.ugui"))
            {
                _native.Quirks.Add("ugui");
            }
            _native.Clean.Clear();
            _native.Clean.Add("Untitled");
            _native.AddToWorld("asset Assets|Folder");
            foreach (var file in Directory.GetFiles(_native.DataPath, "*.png"))
            {
                _native.AddToWorld("asset Assets/" + Path.GetFileName(file) + "|Data");
            }
            foreach (var file in Directory.GetFiles(_native.DataPath, "*.unity")
                .OrderBy(file => file, StringComparer.Ordinal))
            {
                var path = "Assets/" + Path.GetFileName(file);
                _native.AddToWorld("asset " + path + "|Scene");
                _native.AddToWorld("object in " + path + "|" + path + "|Lantern");
            }
        }

        // Commands before the first load set the stage: rows that the plugin did not see, a failed compilation.
        private static void RunHeldCommands()
        {
            while (true)
            {
                string command;
                if (!Commands.TryDequeue(out command)) Thread.Sleep(1);
                else if (command == "load") return;
                else Run(command);
            }
        }

        private static void ReadCommands()
        {
            var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
            string line;
            while ((line = input.ReadLine()) != null)
            {
                // Not for the main thread, which may stand still.
                if (line.StartsWith("mark ")) _native.Say(line);
                else if (line == "release") _native.Released.Set();
                else
                {
                    Commands.Enqueue(line);
                    _native.Signal.Set();
                }
            }
            // The parent is gone. The main thread may be stalled, so do not ask it.
            Process.GetCurrentProcess().Kill();
        }

        private static void Run(string command)
        {
            var space = command.IndexOf(' ');
            var name = space < 0 ? command : command.Substring(0, space);
            var rest = space < 0 ? "" : command.Substring(space + 1);
            try
            {
                Run(name, rest);
            }
            catch (Exception failure)
            {
                _native.Say("FAILED " + command + ": " + failure);
            }
        }

        private static void Run(string name, string rest)
        {
            var words = rest.Split(' ');
            switch (name)
            {
                case "log": _scripts.Log(words[0], Tail(rest), "Headless:Frame ()\n", true); break;
                case "logthread": _scripts.Log(words[0], Tail(rest), "Headless:Thread ()\n", false); break;
                case "errors": for (var i = 0; i < int.Parse(rest); i++) _native.AddRow(
                    "thrown " + i, "", 1 << 8, "", 0);
                break;
                case "flood": Flood(int.Parse(words[0]), int.Parse(words[1])); break;
                case "row": _native.AddRow(Tail(rest), "Native:Frame ()\n", int.Parse(words[0]), "Assets/Old.cs", 3);
                break;
                case "clear": _native.ClearRows(); break;
                case "rows-read": _native.Say("rows-read " + _native.RowsRead); _native.RowsRead = 0; break;
                case "view": _native.ConsoleFlags = int.Parse(words[0]); _native.ConsoleFilter = Tail(rest); break;
                case "show-view": _native.Say("view " + _native.ConsoleFlags + " " + _native.ConsoleFilter); break;
                case "echo": _native.EchoConsole = rest == "on"; break;
                case "compile": Compile(words); break;
                case "edit": Edit(rest); break;
                case "import": _projectScripts.Import(); break;
                case "delete-script": _projectScripts.Delete(rest); break;
                case "asset-editing": AssetEditing(rest == "on" ? 1 : -1); break;
                case "compile-ms": _projectScripts.CompileMs = int.Parse(rest); break;
                case "further-passes": _projectScripts.FurtherPasses = int.Parse(rest); break;
                case "changes-while-playing": _projectScripts.ChangesWhilePlaying = rest; break;
                case "raise": Raise(words); break;
                case "request-age": _scripts.AgeRequest(int.Parse(rest)); break;
                case "profiler": _native.Profiles = rest == "on"; break;
                case "recorders": _native.Say("recorders " + _native.Recorders + " " + _native.Profiles); break;
                case "time-scale": _native.TimeScale =
                    float.Parse(rest, System.Globalization.CultureInfo.InvariantCulture);
                break;
                case "run-in-background": _native.RunInBackground = _native.RunInBackgroundOfProject = rest == "on";
                break;
                case "game": _native.Say(
                    "game " + _native.GameMs + " " + _native.FrameCount + " "
                    + (_native.RunInBackground ? "runs" : "stops") + " in background");
                break;
                case "focus": Native.Focused = rest == "on"; break;
                case "delay-call": _scripts.DelayCalls(rest); break;
                case "console-write": _scripts.WriteToConsole(rest); break;
                case "counts": Counts(); break;
                case "lock-reload": _native.ReloadLocks = Math.Max(0, _native.ReloadLocks + (rest == "on" ? 1 : -1));
                break;
                case "reload-locks": _native.Say("reload-locks " + _native.ReloadLocks); break;
                case "import-ms": _native.ImportMs = int.Parse(rest); break;
                case "import-error": _native.ImportError = rest; break;
                case "build-player": BuildPlayer(rest); break;
                case "building": Native.BuildingPlayer = rest == "on"; break;
                case "compilation-failed": Native.CompilationFailed = rest == "true"; break;
                case "compiling": Native.Compiling = rest == "true"; break;
                case "updating": Native.Updating = rest == "true"; break;
                case "reload": Reload(rest.Length > 0 ? int.Parse(rest) : 0, ""); break;
                case "reload-logging": Reload(0, rest); break;
                case "stall": Stall(int.Parse(rest)); break;
                case "clock": _scripts.AddTime(int.Parse(rest)); break;
                case "tick": _tickMs = int.Parse(rest); break;
                case "play": Native.PlayingWanted = rest == "on"; break;
                case "pause": Native.Paused = rest == "on"; break;
                case "enter-play-without-reload": _player.DisableDomainReload = true; break;
                case "enter-play-with-reload": _player.DisableDomainReload = false; break;
                case "scene": _native.OpenFirst(rest); break;
                case "open-scenes": _native.Clean.Clear(); foreach (var path in rest.Split(';'))
                {
                    _native.Clean.Add(path);
                    _scripts.Opened(path);
                }
                break;
                case "open-prefab": _native.AutoSave = true;
                _native.OpenPrefab = rest.Length > 0 ? rest : null;
                if (rest.Length > 0) _scripts.OpenedPrefab();
                break;
                case "save-scenes": _native.Scenes.Clear(); break;
                case "dirty-assets": _native.DirtyAssets = rest; break;
                case "dirty-settings": _native.DirtyAssets = (_native.DirtyAssets + ";" + rest).Trim(';'); break;
                case "unsaved-window": _native.UnsavedWindows = (_native.UnsavedWindows + ";" + rest).Trim(';'); break;
                case "dirty-importer": _native.DirtyImporters = (_native.DirtyImporters + ";" + rest).Trim(';'); break;
                case "person-saved": _native.DirtyAssets = _native.UnsavedWindows = _native.DirtyImporters = ""; break;
                case "game-view": if (rest == "hidden") _native.Quirks.Add("hidden-tab");
                else _native.Quirks.Remove("hidden-tab");
                break;
                case "profiler-frames": _native.ClearFrames(); _native.CaptureFrames(int.Parse(rest)); break;
                case "prefab": _native.DirtyPrefab = rest; _native.AutoSave = false; break;
                case "prefab-clean": _native.DirtyPrefab = null; _native.AutoSave = true; break;
                case "test": _native.ProjectTests.Add(rest); _native.TestsVersion++; break;
                case "many-tests": ManyTests(words); break;
                case "forget-tests": _native.ProjectTests.Clear(); _native.TestsVersion++; break;
                case "person-runs": _scripts.PersonRuns(rest); break;
                case "kept-objects": _native.Say("kept-objects " + _native.KeptObjects); break;
                case "longest-tick": _native.Say("longest-tick " + _longestTickMs); _longestTickMs = 0; break;
                case "world": _native.AddToWorld(rest); break;
                case "reads": Reads(); break;
                case "all-reads": _native.Say("all-reads " + _scripts.AllReads); break;
                case "serialized": _native.Say("serialized " + _scripts.Serialized); break;
                case "undo": _scripts.Undo(); break;
                case "person-undo": _scripts.PersonDoes(rest); break;
                case "person-selects": _scripts.PersonSelects(rest); break;
                case "person-animates": _scripts.PersonAnimates(words[0], words[1]); break;
                case "package-undo": _scripts.PackageDoes(rest); break;
                case "settings-field": _scripts.SettingsField(rest.Split('|')); break;
                case "undo-stack": _native.Say("undo-stack " + _scripts.UndoStack()); break;
                case "quirk": _native.Quirks.Add(rest); break;
                case "disk-full": _native.LimitFiles(long.Parse(rest)); break;
                case "disk-has-room": _native.LimitFiles(-1); break;
                case "no-quirk": _native.Quirks.Remove(rest); break;
                case "input-setting": _native.SetSession("input-settings " + words[0], words[1]);
                _native.Say("input-setting " + rest);
                break;
                case "look-from": _native.LookFrom = rest; break;
                case "contents": _native.ContentsPath = rest; break;
                case "scripting": _native.ScriptingPath = rest; break;
                case "draw": Draw(words); break;
                case "canonical": _native.Say("canonical " + Encode(_scripts.Canonical(words[0], Decode(words[1]))));
                break;
                case "json": _native.Say("json " + Encode(_scripts.Json(Decode(rest)))); break;
                case "package-tests": foreach (var line in _scripts.RunPackageTests()) _native.Say(
                    "package-tests " + line);
                break;
                case "session-chars": _native.Say(
                    "session-chars " + _native.SessionChars + " " + _native.MostSessionChars);
                break;
                case "stats": Stats(); break;
                case "ping": Pings.Enqueue(rest); break;
                case "quit": _scripts.Quit(); _native.Say("quit"); _quit = true; break;
                default: _native.Say("FAILED unknown command " + name); break;
            }
        }

        private static void LoadScripts()
        {
            var setup = new AppDomainSetup { ApplicationBase = AppDomain.CurrentDomain.BaseDirectory };
            _domain = AppDomain.CreateDomain("scripts " + ++_loads, null, setup);
            var handle = _domain.CreateInstanceAndUnwrap(
                typeof(ScriptDomain).Assembly.FullName, typeof(ScriptDomain).FullName);
            _scripts = (ScriptDomain)handle;
            _native.RunningJobs = _scripts.RunningJobs;
            _native.Say("runs " + _projectScripts.Built);
            _scripts.Load(_native, Native.Shared);
            if (_native.Disk != null) _native.WriteLog("Mono: successfully reloaded assembly");
            _native.Say("loaded " + _loads);
        }

        // While nothing is loaded Unity itself may write to the console; only its rows remember that.
        private static void Reload(int pauseMs, string nativeRow)
        {
            var took = Stopwatch.StartNew();
            // A handler of another script that throws keeps the later ones from hearing of the reload
            // (AssemblyReloadEvents).
            if (!_native.Quirk("no-before-reload")) _scripts.BeforeReload();
            _native.Say("unloading " + took.ElapsedMilliseconds);
            // Unity saves the state of every object here, which gives threads the time to leave the domain. Without it
            // Mono itself crashes now and then: it unloads a domain under a pool thread that has only its last steps to
            // go.
            Thread.Sleep(30);
            AppDomain.Unload(_domain);
            if (nativeRow.Length > 0) _native.AddRow(nativeRow, "", 1 << 10, "", 0);
            if (pauseMs > 0) Thread.Sleep(pauseMs);
            LoadScripts();
            _projectScripts.Reloaded();
            _native.Say("reloaded " + _loads + " " + took.ElapsedMilliseconds);
        }

        // compile ok|fail MS [error text]: a script of the assembly Game is edited, and Unity has the focus.
        private static void Compile(string[] words)
        {
            _projectScripts.CompileMs = int.Parse(words[1]);
            var errors = words[0] == "ok" ? new string[0] : new[] { string.Join(" ", words, 2, words.Length - 2) };
            _projectScripts.Edit("Game", "edit " + ++_edits, errors, new string[0]);
            _projectScripts.Import();
        }

        // edit ASSEMBLY|content[|error or warning: text]...: on disk only, as an agent does it.
        private static void Edit(string rest)
        {
            var parts = rest.Split('|');
            var messages = parts.Skip(2).ToArray();
            _projectScripts.Edit(parts[0], parts[1], messages.Where(text => text.Contains("error")).ToArray(),
                messages.Where(text => !text.Contains("error")).ToArray());
        }

        // A script of the project calls StartAssetEditing and leaves it open, or StopAssetEditing at last.
        private static void AssetEditing(int change)
        {
            _native.AssetEditing = Math.Max(0, _native.AssetEditing + change);
            if (change < 0 && _native.AssetEditing == 0) _native.Refresh();
        }

        private static void AfterTick()
        {
            if (_projectScripts.Tick(_scripts)) Reload(0, "");
            _player.AfterUpdate(_scripts, () => { Reload(0, ""); return _scripts; });
        }

        // A build raises the events of compilations, its messages have other row flags, and it holds the main thread.
        private static void BuildPlayer(string error)
        {
            Native.BuildingPlayer = true;
            _scripts.CompilationStarted();
            _scripts.AssemblyCompiled(
                "Library/ScriptAssemblies/Game.dll", error.Length > 0 ? new[] { error } : new string[0], new string[0]);
            _scripts.CompilationFinished();
            if (error.Length > 0) _native.AddRow(error, "", 1 << 11, "Assets/Player.cs", 3);
            Native.BuildingPlayer = false;
            _native.Say("built");
        }

        // An event of the compiler's alone: what a recorded editor did is replayed.
        private static void Raise(string[] words)
        {
            if (words[0] == "compilation_started") _scripts.CompilationStarted();
            if (words[0] == "compilation_finished") _scripts.CompilationFinished();
            if (words[0] == "assembly_compiled") _scripts.AssemblyCompiled("Library/ScriptAssemblies/Replayed.dll",
                Enumerable.Range(0, int.Parse(words[1]))
                .Select(n => "Assets/Replayed.cs(" + (n + 1) + ",1): error CS0103: replayed").ToArray(), new string[0]);
        }

        private static void ManyTests(string[] words)
        {
            var perFixture = int.Parse(words[2]);
            for (var i = 0; i < int.Parse(words[1]); i++)
            {
                _native.ProjectTests.Add(
                    words[0] + "|Game.Area" + i / perFixture % 10 + ".Fixture" + i / perFixture + ".Test" + i
                    + "|pass|0");
            }
            _native.TestsVersion++;
            _native.Say("tests-added");
        }

        private static void Stall(int ms)
        {
            _native.Say("stalling " + ms);
            _native.Hold(ms);
            _native.Say("stalled");
        }

        private static void Flood(int count, int size)
        {
            var echo = _native.EchoConsole;
            _native.EchoConsole = false;
            for (var i = 0; i < count; i++)
            {
                _scripts.Log("Log", "flood " + i + " " + new string('x', size), "Headless:Flood ()\n", true);
            }
            _native.EchoConsole = echo;
            _native.Say("flooded");
        }

        private static void Draw(string[] words)
        {
            int? port = words[0].Length > 0 ? (int?)int.Parse(words[0]) : null;
            foreach (var line in _scripts.Draw(
                port, words.Length > 1 ? string.Join(" ", words, 1, words.Length - 1) : null))
            {
                _native.Say("drawn " + line);
            }
            _native.Say("drawn-all");
        }

        // Since the last time: milliseconds, updates, player loops.
        private static void Counts()
        {
            _native.Say("counts " + SinceCounts.ElapsedMilliseconds + " " + _updates + " " + _native.PlayerLoops);
            SinceCounts.Restart();
            _updates = _native.PlayerLoops = 0;
        }

        private static void Reads()
        {
            _native.Say("reads " + _native.MostReads + " " + _native.UpdatesWithReads);
            _native.MostReads = _native.UpdatesWithReads = 0;
        }

        private static void Stats()
        {
            var descriptors = Directory.Exists("/proc/self/fd")
                ? Directory.GetFileSystemEntries("/proc/self/fd").Length
                : -1;
            GC.Collect();
            _native.Say("stats threads=" + Process.GetCurrentProcess().Threads.Count + " descriptors=" + descriptors
                + " kilobytes=" + GC.GetTotalMemory(true) / 1024);
        }

        private static string Tail(string rest)
        {
            return rest.Substring(rest.IndexOf(' ') + 1).Replace("\\n", "\n");
        }

        private static string Encode(string text)
        {
            return Convert.ToBase64String(Encoding.UTF8.GetBytes(text));
        }

        private static string Decode(string text)
        {
            return Encoding.UTF8.GetString(Convert.FromBase64String(text));
        }
    }
}
