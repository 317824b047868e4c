using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;

namespace UnityBridge.EditorLife
{
    internal static class EditorState
    {
        public const string Ready = "ready";
        public const string Compiling = "compiling";
        public const string Reloading = "reloading";
    }

    /// <summary>
    /// What the editor is doing, observed on the main thread, readable from any: state, play mode, compile errors, and
    /// for how long the main thread has stood still.
    /// </summary>
    internal sealed class EditorStateTracker
    {
        // A minimised editor ticks about once per second; only what is clearly slower is a stall.
        private const long StallThresholdMs = 3000;

        private readonly CompilerLog _compiler;
        private readonly LoadedCode _code;
        private readonly Func<int> _countCompileErrors;
        private readonly KeptJournals _journals;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private long _lastTickMs;
        private volatile string _state = EditorState.Reloading;
        private volatile int _compileErrors;
        private volatile bool _playing;
        private volatile bool _paused;
        private volatile string _pendingReason;
        private volatile GameMoment _game;
        private IReadOnlyList<JsonObject> _copies = new List<JsonObject>(); // main thread only
        private bool _reloadBegan;          // main thread only

        public EditorStateTracker(
            CompilerLog compiler, LoadedCode code, KeptJournals journals, Func<int> countCompileErrors)
        {
            _compiler = compiler;
            _code = code;
            _compiler.Begun += Observe;
            _countCompileErrors = countCompileErrors;
            _journals = journals;
            OfThisDomain = this;
        }

        /// <summary>Null before the domain is loaded.</summary>
        public static EditorStateTracker OfThisDomain { get; private set; }

        /// <summary>Raised on the main thread when anything but <see cref="StalledMs"/> changed.</summary>
        public event Action Changed;

        public string State => _state;

        public bool IsPlaying => _playing;

        public bool IsPaused => _paused;

        /// <summary>How far the game was in the last update; null in edit mode.</summary>
        public GameMoment Game => _game;

        /// <summary>How many compile errors keep the scripts from being loaded; 0 when they compile.</summary>
        public int CompileErrors => _compileErrors;

        /// <summary>Why compiled or requested code is not loaded; null while the editor knows of none (SPEC
        /// §11.7).</summary>
        public string PendingReason => _pendingReason;

        /// <summary>Files that a batch may have left changed, as <c>{file, copy}</c>.</summary>
        public IReadOnlyList<JsonObject> KeptCopies => _journals.Copies;

        /// <summary>Any thread. Milliseconds since the last update of the editor, null while that is normal.</summary>
        public long? StalledMs
        {
            get
            {
                var since = _clock.ElapsedMilliseconds - Interlocked.Read(ref _lastTickMs);
                return since < StallThresholdMs ? null : (long?)since;
            }
        }

        /// <summary>At load: what the first hello says.</summary>
        public void Start()
        {
            ObservePlayMode();
            Guard.Run(_journals.Start);
            _code.Tick();
            _pendingReason = _code.PendingReason;
        }

        public void Tick()
        {
            Interlocked.Exchange(ref _lastTickMs, _clock.ElapsedMilliseconds);
            _code.Tick();
            Guard.Run(_journals.Tick);
            Observe();
        }

        public void ReloadBegins()
        {
            _reloadBegan = true;
            Observe();
        }

        private void Observe()
        {
            var state = _reloadBegan ? EditorState.Reloading : _code.IsBusy ? EditorState.Compiling : EditorState.Ready;
            // While a compilation runs, what is known of the last one is not news.
            var errors = _compiler.IsRunning ? _compileErrors
                : EditorUtility.scriptCompilationFailed ? Math.Max(1, _countCompileErrors()) : 0;
            _code.Observe();
            var haveCopiesChanged = KeptCopies != _copies && KeptCopies.Count + _copies.Count > 0;
            var differs = ObservePlayMode() || state != _state || errors != _compileErrors
                || _code.PendingReason != _pendingReason || haveCopiesChanged;
            _copies = KeptCopies;
            _state = state;
            _pendingReason = _code.PendingReason;
            _compileErrors = errors;
            if (differs)
            {
                Changed?.Invoke();
            }
        }

        private bool ObservePlayMode()
        {
            var differs = _playing != EditorApplication.isPlaying || _paused != EditorApplication.isPaused;
            _playing = EditorApplication.isPlaying;
            _paused = EditorApplication.isPaused;
            _game = _playing ? new GameMoment() : null;
            return differs;
        }
    }

    /// <summary>How far the game is. Immutable; made on the main thread.</summary>
    internal sealed class GameMoment
    {
        /// <summary>Time.time, to the millisecond.</summary>
        public double TimeS { get; } = Math.Round(Time.timeAsDouble, 3);

        /// <summary>Time.frameCount.</summary>
        public int Frame { get; } = Time.frameCount;
    }
}
