using System;
using System.Collections.Generic;
using System.Diagnostics;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEditorInternal;
using UnityBridge.Json;

namespace UnityBridge.EditorLife
{
    /// <summary>
    /// What the editor did and when, for the self-test (SPEC §25.3): compilations, reloads, play mode, focus, how often
    /// updates come, stalls, delayCall. No names and no contents. Off until the command <c>record_events</c> starts it;
    /// then it goes on over reloads. Main thread.
    /// </summary>
    /// <remarks>An event is a list: milliseconds since the record began, the kind, and numbers that belong to the kind.
    /// A headless editor replays such a list, so every kind is one of a few fixed words.</remarks>
    internal static class EventRecord
    {
        /// <summary>After so many the oldest go.</summary>
        public const int Most = 4000;

        private const string SessionKey = "UnityBridge.events";
        private const long StallMs = 1000;
        private const long CadenceMs = 1000;

        private static readonly (string Kind, Func<bool> IsTrue)[] Watched =
        {
            ("focus", () => InternalEditorUtility.isApplicationActive),
            ("is_compiling", () => EditorApplication.isCompiling),
            ("is_updating", () => EditorApplication.isUpdating),
            ("scripts_broken", () => EditorUtility.scriptCompilationFailed),
            ("reload_locked", () => !ReloadLock.IsFree),
            ("paused", () => EditorApplication.isPaused),
        };

        // All false at the beginning of a record, so its first events say what is true.
        private static readonly bool[] WasTrue = new bool[Watched.Length];
        private static readonly List<object[]> Events = new List<object[]>();
        // Of the process, so that it runs on while no code is loaded.
        private static long _began;
        private static long _dropped;
        private static bool _isSubscribed;
        private static long _lastUpdateMs;
        private static long _cadenceBeganMs;
        private static long _longestMs;
        private static int _updates;

        public static bool IsOn { get; private set; }

        private static long NowMs => (Stopwatch.GetTimestamp() - _began) * 1000 / Stopwatch.Frequency;

        /// <summary>At load: goes on with the record of the former domain, if there is one.</summary>
        public static void GoOn()
        {
            if (SavedState.Read(SessionKey) is { } record)
            {
                SessionState.EraseString(SessionKey);
                _began = record.Integer("began") ?? 0;
                _dropped = record.Integer("dropped") ?? 0;
                foreach (var entry in record.Items("events"))
                {
                    Events.Add(((List<object>)entry).ToArray());
                }
                IsOn = true;
                Add("loaded");
                TurnOn();
            }
        }

        /// <summary>A new record, in place of one that there is.</summary>
        public static void Begin()
        {
            Events.Clear();
            _dropped = 0;
            _began = Stopwatch.GetTimestamp();
            TurnOn();
        }

        public static void End() => IsOn = false;

        /// <summary>In every update of the editor.</summary>
        public static void Tick()
        {
            if (!IsOn)
            {
                return;
            }
            var now = NowMs;
            var gap = now - _lastUpdateMs;
            _lastUpdateMs = now;
            _updates++;
            _longestMs = Math.Max(_longestMs, gap);
            if (gap >= StallMs)
            {
                Add("stall", gap);
            }
            if (now - _cadenceBeganMs >= CadenceMs)
            {
                Add("updates", (long)_updates, now - _cadenceBeganMs, _longestMs);
                _updates = 0;
                _longestMs = 0;
                _cadenceBeganMs = now;
            }
            Look();
        }

        /// <summary>Asks for a delayed call, and records who carries it out: Unity, or the bridge while the editor has
        /// no focus.</summary>
        public static void AskForDelayedCall()
        {
            var asked = NowMs;
            Add("delay_call_asked");
            EditorApplication.delayCall += () =>
                Guard.Run(() => Add(DelayedCalls.IsCalling ? "delay_call_by_bridge" : "delay_call_by_unity",
                    NowMs - asked));
        }

        /// <summary>The events from the number on, at most so many.</summary>
        public static JsonObject Read(int first, int count)
        {
            var skipped = (int)Math.Max(0, Math.Min(first - _dropped, Events.Count));
            var read = Events.GetRange(skipped, Math.Min(count, Events.Count - skipped));
            return new JsonObject
            {
                { "recording", IsOn }, { "first", _dropped + skipped }, { "next", _dropped + skipped + read.Count },
                { "dropped", _dropped },
                { "total", _dropped + Events.Count }, { "events", read },
            };
        }

        /// <summary>Before the domain goes, for whichever reason.</summary>
        public static void Leave(bool reloads)
        {
            if (IsOn)
            {
                Add(reloads ? "reload_begins" : "quits");
                SavedState.Write(SessionKey,
                    new JsonObject { { "began", _began }, { "dropped", _dropped }, { "events", Events } });
            }
        }

        private static void TurnOn()
        {
            IsOn = true;
            _lastUpdateMs = _cadenceBeganMs = NowMs;
            _updates = 0;
            _longestMs = 0;
            Array.Clear(WasTrue, 0, WasTrue.Length);
            Look();
            if (_isSubscribed)
            {
                return;
            }
            _isSubscribed = true;
            EditorEvents.OnCompilation(() => Add("compilation_started"), (_, messages) => Add("assembly_compiled",
                (long)Array.FindAll(messages, message => message.type == CompilerMessageType.Error).Length),
                () => Add("compilation_finished"));
            EditorEvents.OnPlayMode(change => Add(KindOf(change)));
        }

        private static string KindOf(PlayModeStateChange change) =>
            change == PlayModeStateChange.ExitingEditMode ? "exiting_edit_mode"
            : change == PlayModeStateChange.EnteredPlayMode ? "entered_play_mode"
            : change == PlayModeStateChange.ExitingPlayMode ? "exiting_play_mode"
            : "entered_edit_mode";

        // No event says so in every supported Unity.
        private static void Look()
        {
            for (var i = 0; i < Watched.Length; i++)
            {
                var isTrue = Watched[i].IsTrue();
                if (isTrue != WasTrue[i])
                {
                    WasTrue[i] = isTrue;
                    Add(Watched[i].Kind, isTrue ? 1L : 0L);
                }
            }
        }

        private static void Add(string kind, params long[] values)
        {
            if (!IsOn)
            {
                return;
            }
            var entry = new object[2 + values.Length];
            entry[0] = NowMs;
            entry[1] = kind;
            values.CopyTo(entry, 2);
            Events.Add(entry);
            if (Events.Count > Most)
            {
                Events.RemoveAt(0);
                _dropped++;
            }
        }
    }
}
