using System;
using System.Diagnostics;
using System.Threading;
using UnityEditor;

namespace UnityBridge.EditorLife
{
    internal static class EditorState
    {
        public const string Ready = "ready";
        public const string Compiling = "compiling";
        public const string Reloading = "reloading";
    }

    /// <summary>
    /// What the editor is doing, observed on the main thread, readable from any: state, compile errors, and for how long
    /// the main thread has not come round.
    /// </summary>
    internal sealed class EditorStateTracker
    {
        // A minimised editor ticks about once per second; only what is clearly slower is a stall.
        private const long StallThresholdMs = 3000;

        // Between the end of a compilation and the reload it causes Unity looks idle for a few updates.
        private const long QuietAfterCompilationMs = 1000;

        private readonly Func<int> _countCompileErrors;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private long _lastTickMs;
        private volatile string _state = EditorState.Reloading;
        private volatile int _compileErrors;
        private bool _compilationRuns;      // main thread only, as are the two below
        private bool _reloadBegan;
        private long? _compilationEndedMs;

        public EditorStateTracker(Func<int> countCompileErrors)
        {
            _countCompileErrors = countCompileErrors;
        }

        /// <summary>Raised on the main thread when <see cref="State"/> or <see cref="CompileErrors"/> changed.</summary>
        public event Action Changed;

        public string State
        {
            get { return _state; }
        }

        /// <summary>How many compile errors keep the scripts from being loaded; 0 when they compile.</summary>
        public int CompileErrors
        {
            get { return _compileErrors; }
        }

        /// <summary>Any thread. Milliseconds since the main thread last came round, null while that is normal.</summary>
        public long? StalledMs
        {
            get
            {
                var since = _clock.ElapsedMilliseconds - Interlocked.Read(ref _lastTickMs);
                return since < StallThresholdMs ? (long?)null : since;
            }
        }

        public void Tick()
        {
            Interlocked.Exchange(ref _lastTickMs, _clock.ElapsedMilliseconds);
            Observe();
        }

        public void CompilationStarted()
        {
            _compilationRuns = true;
            Observe();
        }

        public void CompilationFinished()
        {
            _compilationRuns = false;
            // With errors no reload follows.
            _compilationEndedMs = EditorUtility.scriptCompilationFailed ? (long?)null : _clock.ElapsedMilliseconds;
            Observe();
        }

        public void ReloadBegins()
        {
            _reloadBegan = true;
            Observe();
        }

        private void Observe()
        {
            var state = _reloadBegan ? EditorState.Reloading : Compiles() ? EditorState.Compiling : EditorState.Ready;
            var errors = EditorUtility.scriptCompilationFailed ? Math.Max(1, _countCompileErrors()) : 0;
            if (state == _state && errors == _compileErrors)
            {
                return;
            }
            _state = state;
            _compileErrors = errors;
            if (Changed != null)
            {
                Changed();
            }
        }

        private bool Compiles()
        {
            if (_compilationRuns || EditorApplication.isCompiling || EditorApplication.isUpdating)
            {
                return true;
            }
            return _compilationEndedMs != null && _clock.ElapsedMilliseconds - _compilationEndedMs < QuietAfterCompilationMs;
        }
    }
}
