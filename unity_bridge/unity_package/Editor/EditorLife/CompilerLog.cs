using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>
    /// What the compiler last said about each assembly, kept over reloads, and where the current compilation stands.
    /// Main thread.
    /// </summary>
    /// <remarks>Unity raises the event of an assembly only where it failed or its file was replaced, and
    /// <c>compilationFinished</c> before the outcome is known (EditorCompilation.ProcessCompilationResult, 2021.3 to
    /// 6000.7). So an assembly that is fixed by undoing an edit is not reported again. But in the update after, the
    /// outcome is known, and the console shows the errors of this compilation and no others.</remarks>
    internal sealed class CompilerLog
    {
        private const string SessionKey = "UnityBridge.compiler";

        // As ConsoleBuffer has it.
        private const string OfUnknownAssembly = "";

        // A compilation that Unity gave up, by an exception of its own, never says that it finished.
        private const int TicksWithoutAnEnd = 50;

        private readonly Func<ICollection<string>> _shownErrors;
        private readonly Dictionary<string, AssemblyLog> _assemblies =
            new Dictionary<string, AssemblyLog>();
        private bool _outcomeIsOpen;
        private int _silentTicks;

        /// <param name="shownErrors">The first lines of the compiler's errors in Unity's console; null where it cannot
        /// be read.</param>
        public CompilerLog(Func<ICollection<string>> shownErrors)
        {
            _shownErrors = shownErrors;
        }

        /// <summary>How many compilations of the editor's scripts have started in this domain.</summary>
        public int Started { get; private set; }

        /// <summary>From the start of a compilation until the update in which its outcome is known.</summary>
        public bool IsRunning { get; private set; }

        /// <summary>The last compilation replaced an assembly or failed in one; else its output was what there was
        /// before.</summary>
        public bool ChangedAnything { get; private set; }

        /// <summary>Since the domain was loaded an assembly has compiled without errors, so its file is not what is
        /// loaded.</summary>
        public bool HasReplaced { get; private set; }

        /// <summary>Raised when a compilation has started.</summary>
        public event Action Begun;

        /// <summary>Raised with the assembly's path and its messages, in place of those of its last
        /// compilation.</summary>
        public event Action<string, List<CompilerFault>> AssemblyCompiled;

        /// <summary>Raised when errors are known to be fixed: those that do not match.</summary>
        public event Action<Predicate<string>> Fixed;

        /// <summary>At load.</summary>
        public void Start()
        {
            Guard.Run(Restore);
            EditorEvents.OnCompilation(OnStarted, OnAssembly, OnFinished);
        }

        /// <summary>In every update, before anything that asks.</summary>
        public void Tick()
        {
            _silentTicks = IsRunning && !EditorApplication.isCompiling ? _silentTicks + 1 : 0;
            if (_outcomeIsOpen || _silentTicks > TicksWithoutAnEnd)
            {
                _outcomeIsOpen = false;
                IsRunning = false;
                CheckOutcome();
            }
        }

        /// <summary>Before the domain goes.</summary>
        public void Leave()
        {
            var assemblies = new JsonObject();
            foreach (var assembly in _assemblies)
            {
                assemblies[assembly.Key] = assembly.Value.ToJson();
            }
            SavedState.Write(SessionKey, assemblies);
        }

        /// <summary>The errors that keep the scripts from being loaded.</summary>
        public List<CompilerFault> Errors() => Find(fault => fault.IsError, 0);

        /// <summary>The warnings of the assemblies that were compiled since.</summary>
        public List<CompilerFault> Warnings(long sinceUtcMs) => Find(fault => !fault.IsError, sinceUtcMs);

        private List<CompilerFault> Find(Predicate<CompilerFault> match, long sinceUtcMs)
        {
            return _assemblies.Values.Where(assembly => assembly.CompiledUtcMs >= sinceUtcMs)
                .SelectMany(assembly => assembly.Faults.FindAll(match)).ToList();
        }

        // A player build raises the same events; its errors are not the editor's.
        private static bool IsPlayerBuild => BuildPipeline.isBuildingPlayer;

        private void OnStarted()
        {
            if (!IsPlayerBuild)
            {
                Started++;
                IsRunning = true;
                ChangedAnything = false;
                _outcomeIsOpen = false;
                Begun?.Invoke();
            }
        }

        private void OnAssembly(string path, CompilerMessage[] messages)
        {
            if (IsPlayerBuild || path.Contains("PlayerScriptAssemblies"))
            {
                return;
            }
            ChangedAnything = true;
            var assembly = Path.GetFileNameWithoutExtension(path);
            var faults = (messages ?? new CompilerMessage[0])
                .Where(message => message.type != CompilerMessageType.Info)
                .Select(message => CompilerFault.FromMessage(message, assembly)).ToList();
            HasReplaced |= !faults.Exists(fault => fault.IsError);
            _assemblies.Remove(OfUnknownAssembly);
            Note(path, faults);
        }

        private void Note(string path, List<CompilerFault> faults)
        {
            _assemblies[path] = new AssemblyLog(Clock.UtcMs, faults);
            AssemblyCompiled?.Invoke(path, faults);
        }

        private void OnFinished()
        {
            if (!IsPlayerBuild)
            {
                _outcomeIsOpen = true;
            }
        }

        private void CheckOutcome()
        {
            var shown = EditorUtility.scriptCompilationFailed ? _shownErrors() : null;
            var stillThere = StillThere(shown);
            if (stillThere != null)
            {
                foreach (var assembly in _assemblies.Values)
                {
                    assembly.Faults.RemoveAll(fault => fault.IsError && !stillThere(fault.Text));
                }
                Fixed?.Invoke(stillThere);
            }
            // An editor that was started on errors may have them in its log alone.
            if (EditorUtility.scriptCompilationFailed && Errors().Count == 0 && (shown == null || shown.Count == 0)
                && LoggedErrors.Read(Application.consoleLogPath) is { Count: > 0 } logged)
            {
                Note(OfUnknownAssembly, logged);
            }
        }

        // Which errors are still true; null where nobody knows better than the log.
        private Predicate<string> StillThere(ICollection<string> shown)
        {
            if (!EditorUtility.scriptCompilationFailed)
            {
                return _ => false;
            }
            // A console that shows none of them is not the one to ask.
            return shown != null && Errors().Exists(error => shown.Contains(FirstLine(error.Text)))
                ? text => shown.Contains(FirstLine(text))
                : null;
        }

        public static string FirstLine(string text) => text.Split('\n')[0].TrimEnd('\r');

        private void Restore()
        {
            foreach (var assembly in SavedState.Read(SessionKey) ?? new JsonObject())
            {
                _assemblies[assembly.Key] = AssemblyLog.FromJson((JsonObject)assembly.Value);
            }
            CheckOutcome();
        }

        private sealed class AssemblyLog
        {
            public AssemblyLog(long compiledUtcMs, List<CompilerFault> faults)
            {
                CompiledUtcMs = compiledUtcMs;
                Faults = faults;
            }

            public long CompiledUtcMs { get; }

            public List<CompilerFault> Faults { get; }

            public JsonObject ToJson() =>
                new JsonObject { { "at", CompiledUtcMs }, { "faults", Faults.ConvertAll(fault => fault.ToRecord()) } };

            public static AssemblyLog FromJson(JsonObject json) => new AssemblyLog(json.Integer("at") ?? 0,
                json.Items("faults").ConvertAll(fault => CompilerFault.FromRecord((JsonObject)fault)));
        }
    }
}
