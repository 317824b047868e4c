using System;
using UnityEditor;

namespace UnityBridge.EditorLife
{
    /// <summary>Why the code that Unity knows of is not the code that it runs (SPEC §11.7).</summary>
    internal static class WhyPending
    {
        public const string CompileErrors = "compile_errors";
        public const string Playing = "playing";
        public const string ReloadLocked = "reload_locked";
        public const string Requested = "requested";
        public const string Unknown = "unknown";

        /// <summary>One sentence on what happened and one on what to do.</summary>
        public static string Explain(string reason) => reason switch
        {
            CompileErrors =>
                "The scripts do not compile, so the editor still runs the code from before. Fix the errors and "
                + "compile again.",
            Playing =>
            "The editor is in play mode and has not loaded the new code. Leave play mode, then compile again.",
            ReloadLocked =>
            "Something in the editor locks the reload of assemblies (EditorApplication.LockReloadAssemblies)."
                + " End what holds the lock, or restart the editor.",
            Requested =>
            "Unity was asked to compile and has not finished. Wait until code is \"loaded\", then compile again.",
            _ => "Unity did not reload the scripts after compiling them. Compile with force, or restart the editor.",
        };
    }

    /// <summary>
    /// Whether a compilation is running, and whether the editor runs the code that it compiled last. One per domain: a
    /// reload loads whatever was compiled. Main thread, except <see cref="PendingReason"/>.
    /// </summary>
    /// <remarks><c>EditorApplication.isCompiling</c> is also true while a compilation is only requested, which takes a
    /// whole play session with Recompile After Finished Playing, and until a reload that somebody locks
    /// (EditorCompilation.IsCompiling, 2021.3 to 6000.7). So the events of the pipeline decide, and it counts only
    /// where no event may come: a compilation by MSBuild.</remarks>
    internal sealed class LoadedCode
    {
        // A compilation that raises no events.
        private const long LongestWithoutEventsMs = 60000;

        // Between the end of a compilation and the reload it causes Unity looks idle for a few updates.
        private const long QuietAfterCompilationMs = 1000;

        private readonly CompilerLog _compiler;
        private readonly Func<long> _nowMs;
        private volatile string _pendingReason;
        private bool _compilationRan;
        private bool _isForced;
        private bool _awaitsReload;
        private long? _succeededAtMs;
        private long? _onlyIsCompilingSinceMs;

        /// <param name="nowMs">A clock that never goes back.</param>
        public LoadedCode(CompilerLog compiler, Func<long> nowMs)
        {
            _compiler = compiler;
            _nowMs = nowMs;
            // It may have ended again by the next update.
            _compiler.Begun += () => _compilationRan = true;
        }

        /// <summary>A compilation is running now.</summary>
        public bool IsCompiling => _compiler.IsRunning
            || (_onlyIsCompilingSinceMs != null && _nowMs() - _onlyIsCompilingSinceMs < LongestWithoutEventsMs
                && OnlyIsCompiling());

        /// <summary>Compiling, importing or about to reload: it passes by itself.</summary>
        public bool IsBusy => IsCompiling || EditorApplication.isUpdating || IsAboutToReload;

        /// <summary>Any thread. Null while the editor knows of no code that is not loaded.</summary>
        public string PendingReason => _pendingReason;

        /// <summary>A compilation ended without errors and is to be reloaded.</summary>
        public bool AwaitsReload => _awaitsReload;

        /// <summary>The next compilation is followed by a reload even if nothing changed.</summary>
        public void NoteForced() => _isForced = true;

        /// <summary>At load and in every update, before anything that asks.</summary>
        public void Tick()
        {
            if (_compilationRan && !_compiler.IsRunning)
            {
                NoteOutcome();
            }
            _compilationRan = _compiler.IsRunning;
            _onlyIsCompilingSinceMs = OnlyIsCompiling() ? _onlyIsCompilingSinceMs ?? _nowMs() : null;
            Observe();
        }

        /// <summary>After something that an update in between has not seen yet.</summary>
        public void Observe() => _pendingReason = FindReason();

        private bool IsAboutToReload => _succeededAtMs != null && _nowMs() - _succeededAtMs < QuietAfterCompilationMs
            && !EditorReadiness.IsInPlayMode && ReloadLock.IsFree;

        // No event has said so. A compilation that has ended and is not loaded keeps it true as well.
        private bool OnlyIsCompiling() => EditorApplication.isCompiling && !_compiler.IsRunning && !_awaitsReload
            && !EditorReadiness.IsInPlayMode && ReloadLock.IsFree;

        private void NoteOutcome()
        {
            if (EditorUtility.scriptCompilationFailed)
            {
                // With errors no reload follows.
                _succeededAtMs = null;
            }
            else
            {
                _succeededAtMs = _nowMs();
                _awaitsReload |= _isForced || _compiler.HasReplaced;
            }
            _isForced = false;
        }

        private string FindReason()
        {
            if (EditorUtility.scriptCompilationFailed)
            {
                return WhyPending.CompileErrors;
            }
            var isRequested = _compiler.IsRunning || (EditorApplication.isCompiling && !_awaitsReload);
            return !isRequested && !_awaitsReload ? null
                : EditorReadiness.IsInPlayMode ? WhyPending.Playing
                : !ReloadLock.IsFree ? WhyPending.ReloadLocked
                : isRequested ? WhyPending.Requested
                : WhyPending.Unknown;
        }
    }
}
