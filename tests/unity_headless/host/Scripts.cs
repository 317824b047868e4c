using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using UnityEngine;

namespace Headless
{
    /// <summary>
    /// The project's scripts, on disk and as they were last compiled, and Unity's compilation of them.
    /// </summary>
    /// <remarks>As EditorCompilation.ProcessCompilationResult does it, 2021.3 to 6000.7: the event of an assembly comes
    /// only where it failed or its output was copied; an output that is the same as before is not. Then
    /// compilationFinished is raised. Only after it are the messages logged, in place of those of the last compilation,
    /// and the outcome is known. Without errors, and with anything copied or a compilation that was asked for, the
    /// domain is reloaded.
    /// isCompiling is also true while a compilation is only requested (EditorCompilation.IsCompiling: 2021.3.58f1:1003,
    /// 6000.7.0a1:1106). So it stays true for a whole play session with Recompile After Finished Playing
    /// (CoplayDev/unity-mcp PR 582), and from the end of a compilation until a deferred reload (CoplayDev/unity-mcp
    /// issue 1276). Whether each version does the latter only a real editor shows: the quirk
    /// "compiling-ends-under-lock" is a Unity that does not.</remarks>
    internal sealed class Scripts
    {
        // stays in the console until a compilation takes it away
        private const int CompilerError = 1 << 11 | 1 << 13;
        private const int CompilerWarning = 1 << 12;

        // The assembly that nearly all tests edit; what is on disk of it, and what runs, is said.
        private const string Main = "Game";

        private readonly NativeEditor _native;
        private readonly DiskScripts _disk;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly Dictionary<string, Assembly> _assemblies = new Dictionary<string, Assembly>();
        private int _compileMs = 50;
        private long? _endsMs;
        private bool _requested;
        private bool _forced;
        private bool _copied;
        private bool _reloadIsDue;
        private int _furtherPasses;
        private string _changesWhilePlaying = "continue";

        /// <param name="disk">The scripts as they are on disk; null for the pretended assembly Game, which the host's
        /// commands edit.</param>
        public Scripts(NativeEditor native, DiskScripts disk)
        {
            _native = native;
            _disk = disk;
            if (disk != null)
            {
                CompileBeforeTheFirstLoad();
                return;
            }
            Edit("Game", "first", new string[0], new string[0]);
            // One that has been there for longer than the editor runs.
            Edit("Old", "first", new string[0], new string[0]);
            File.SetLastWriteTimeUtc(FileOf("Old"), DateTime.UtcNow.AddHours(-1));
            foreach (var assembly in _assemblies.Values) assembly.Imported = assembly.Built = assembly.OnDisk;
        }

        /// <summary>How long a compilation takes, also the one that runs; one that is negative never ends.</summary>
        public int CompileMs
        {
            set
            {
                _compileMs = value;
                if (_endsMs != null) _endsMs = EndOfOne();
            }
        }

        /// <summary>How often a reload is followed by one more compilation of its own.</summary>
        public int FurtherPasses { set { _furtherPasses = value; } }

        /// <summary>The preference Script Changes While Playing: continue, after or stop. Unity's default is to
        /// recompile and continue.</summary>
        public string ChangesWhilePlaying { set { _changesWhilePlaying = value; } }

        private bool PlayDefers { get { return Native.Playing && _changesWhilePlaying != "continue"; } }

        public void Edit(string name, string content, string[] errors, string[] warnings)
        {
            Assembly assembly;
            if (!_assemblies.TryGetValue(name, out assembly)) _assemblies[name] = assembly = new Assembly();
            assembly.OnDisk = new Source(content, errors, warnings);
            if (name == Main) _native.Say("on-disk " + content + (errors.Length > 0 ? "|broken" : ""));
            Directory.CreateDirectory(_native.DataPath);
            File.WriteAllText(FileOf(name), content);
        }

        /// <summary>What was compiled last without errors: a domain that is loaded now runs it.</summary>
        public string Built { get { return _disk == null ? _assemblies[Main].Built.Content : "the scripts on disk"; } }

        public void Delete(string name)
        {
            File.Delete(FileOf(name));
            _assemblies[name].OnDisk = Source.None;
        }

        // Each assembly has one script.
        private string FileOf(string name)
        {
            return Path.Combine(_native.DataPath, name + ".cs");
        }

        public IEnumerable<string> ImportedPaths()
        {
            if (_disk != null) return _disk.ImportedTexts.Keys;
            return _assemblies.Where(pair => pair.Value.Imported != Source.None)
                .Select(pair => "Assets/" + pair.Key + ".cs");
        }

        public string ImportedText(string path)
        {
            string text;
            if (_disk != null) return _disk.ImportedTexts.TryGetValue(path, out text) ? text : null;
            return _assemblies.Where(pair => "Assets/" + pair.Key + ".cs" == path && pair.Value.Imported != Source.None)
                .Select(pair => pair.Value.Imported.Content).FirstOrDefault();
        }

        /// <summary>Takes up what is on disk.</summary>
        public void Import()
        {
            if (_disk != null) ReadDisk();
            if (_assemblies.Values.Any(assembly => !assembly.OnDisk.Is(assembly.Imported))) Request(false);
            foreach (var assembly in _assemblies.Values) assembly.Imported = assembly.OnDisk;
        }

        public void Request(bool forced)
        {
            _requested = true;
            _forced |= forced;
            // isCompiling includes what is only asked for (EditorCompilation.IsCompiling).
            Native.Compiling = true;
        }

        /// <summary>After an update. True when the domain has to be reloaded.</summary>
        public bool Tick(ScriptDomain domain)
        {
            if (_endsMs != null && _native.Quirk("compilation-dies"))
            {
                // An exception of Unity's own (EditorCompilationInterface.TickCompilationPipeline): failed, and no
                // event says so.
                _endsMs = null;
                Native.Compiling = false;
                Native.CompilationFailed = true;
            }
            if (_requested && Native.Playing && _changesWhilePlaying == "stop") Native.PlayingWanted = false;
            if (_requested && _endsMs == null && !PlayDefers) Start(domain);
            else if (_endsMs != null && _clock.ElapsedMilliseconds >= _endsMs && (_disk == null || _disk.IsOver))
            {
                Finish(domain);
            }
            if (!_reloadIsDue || _native.ReloadLocked || PlayDefers || _native.Quirk("no-reload")) return false;
            _reloadIsDue = false;
            Native.Compiling = _requested;
            return true;
        }

        public void Reloaded()
        {
            // Whatever asked for it: the newest assemblies are loaded.
            _reloadIsDue = false;
            Native.Compiling = _requested || _endsMs != null;
            if (_furtherPasses-- > 0) Request(true);
        }

        private void Start(ScriptDomain domain)
        {
            _requested = false;
            _endsMs = EndOfOne();
            if (_disk != null) _disk.Begin(Changed());
            domain.CompilationStarted();
            _native.Say("compiling");
        }

        private long EndOfOne()
        {
            return _compileMs < 0 ? long.MaxValue : _clock.ElapsedMilliseconds + _compileMs;
        }

        // Unity compiles the scripts when it opens a project, before it loads any.
        private void CompileBeforeTheFirstLoad()
        {
            ReadDisk();
            foreach (var assembly in _assemblies.Values) assembly.Imported = assembly.OnDisk;
            _disk.Begin(Changed());
            _disk.Wait();
            TakeMessages();
            foreach (var assembly in _assemblies.Values.Where(one => one.Imported.Errors.Length == 0))
            {
                assembly.Built = assembly.Imported;
            }
            Native.CompilationFailed = _assemblies.Values.Any(assembly => assembly.Imported.Errors.Length > 0);
            // The console has them before any script is loaded, as after each compilation
            // (EditorCompilationInterface.TickCompilationPipeline logs the messages of the first one too, 2021.3 to
            // 6000.7).
            foreach (var assembly in _assemblies.Values) Log(assembly.Imported);
            WriteToEditorLog();
        }

        // As Bee's backend and Unity write it (tests/projects/editor_logs).
        private void WriteToEditorLog()
        {
            if (_disk == null) return;
            _native.WriteLog("Starting: bee_backend --dagfile=\"Library/Bee/1900b0aE.dag\" ScriptAssemblies");
            foreach (var message in _assemblies.Values.SelectMany(assembly =>
                assembly.Imported.Errors.Concat(assembly.Imported.Warnings)))
            {
                _native.WriteLog(message);
            }
            var outcome = Native.CompilationFailed ? "failed" : "success";
            _native.WriteLog("*** Tundra build " + outcome + " (0.10 seconds)");
        }

        private void ReadDisk()
        {
            var found = _disk.Read();
            foreach (var pair in found)
            {
                Assembly known;
                var isKnown = _assemblies.TryGetValue(pair.Key, out known) && known.Imported.Content == pair.Value;
                if (known == null) _assemblies[pair.Key] = known = new Assembly();
                // One that is known keeps its errors, which are no change.
                known.OnDisk = isKnown ? known.Imported : new Source(pair.Value, new string[0], new string[0]);
            }
            foreach (var gone in _assemblies.Keys.Where(name => !found.ContainsKey(name)).ToList())
            {
                _assemblies.Remove(gone);
            }
        }

        private string[] Changed()
        {
            return _assemblies.Where(pair => pair.Value.Imported.Content != pair.Value.Built.Content)
                .Select(pair => pair.Key).ToArray();
        }

        private void TakeMessages()
        {
            foreach (var pair in _assemblies)
            {
                var messages = _disk.MessagesOf(pair.Key);
                if (messages != null) pair.Value.Imported = pair.Value.Imported.With(messages);
            }
        }

        private void Finish(ScriptDomain domain)
        {
            _endsMs = null;
            if (_disk != null) TakeMessages();
            var failed = _assemblies.Where(pair => pair.Value.Imported.Errors.Length > 0).ToList();
            var copied = _assemblies.Where(
                pair => pair.Value.Imported.Errors.Length == 0
                && pair.Value.Imported.Content != pair.Value.Built.Content).ToList();
            foreach (var pair in failed.Concat(copied))
            {
                domain.AssemblyCompiled("Library/ScriptAssemblies/" + pair.Key + ".dll", pair.Value.Imported.Errors,
                    pair.Value.Imported.Warnings);
            }
            domain.CompilationFinished();
            _native.RemoveCompilerRows();
            foreach (var assembly in _assemblies.Values) Log(assembly.Imported);
            foreach (var pair in copied) pair.Value.Built = pair.Value.Imported;
            Native.CompilationFailed = failed.Count > 0;
            WriteToEditorLog();
            _copied |= copied.Count > 0;
            _reloadIsDue = failed.Count == 0 && (_forced || _copied);
            _copied &= failed.Count > 0;
            _forced = false;
            Native.Compiling = _requested || (_reloadIsDue && !_native.Quirk("compiling-ends-under-lock"));
            _native.Say("compiled " + (failed.Count == 0 ? "ok" : "failed"));
        }

        private void Log(Source source)
        {
            foreach (var error in source.Errors)
            {
                _native.AddRow(error, "", CompilerError, PlaceOf(error).Item1, PlaceOf(error).Item2);
            }
            foreach (var warning in source.Warnings)
            {
                _native.AddRow(warning, "", CompilerWarning, PlaceOf(warning).Item1, PlaceOf(warning).Item2);
            }
        }

        /// <summary>"Assets/A.cs(7,3): error CS1002: ; expected" is in Assets/A.cs, line 7, column 3; what has no place
        /// is in "".</summary>
        public static Tuple<string, int, int> PlaceOf(string message)
        {
            var match = System.Text.RegularExpressions.Regex.Match(message, @"^(\S+)\((\d+),(\d+)\): ");
            return match.Success
                ? Tuple.Create(match.Groups[1].Value, int.Parse(match.Groups[2].Value),
                    int.Parse(match.Groups[3].Value))
                : Tuple.Create("", 0, 0);
        }

        private sealed class Assembly
        {
            public Source OnDisk, Imported = Source.None, Built = Source.None;
        }

        private sealed class Source
        {
            public static readonly Source None = new Source("", new string[0], new string[0]);

            public readonly string Content;
            public readonly string[] Errors, Warnings;

            public Source(string content, string[] errors, string[] warnings)
            {
                Content = content;
                Errors = errors;
                Warnings = warnings;
            }

            public Source With(string[] messages)
            {
                return new Source(Content, messages.Where(text => text.Contains("error CS")).ToArray(),
                    messages.Where(text => !text.Contains("error CS")).ToArray());
            }

            public bool Is(Source other)
            {
                return Content == other.Content && Errors.SequenceEqual(other.Errors)
                    && Warnings.SequenceEqual(other.Warnings);
            }
        }
    }
}
