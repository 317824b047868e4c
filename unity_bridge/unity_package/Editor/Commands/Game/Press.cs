using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>Holds keys of the Input System's keyboard for a while, and says what is known of their effect (SPEC
    /// §16.5).</summary>
    internal static class Press
    {
        private const int MostMs = 10000;
        private const int MostKeys = 8;
        // How long no input update must come before none will: the game stands still.
        private const long NoUpdateMs = 2000;

        [BridgeCommand(
            "press",
            "Holds keys of the Input System's keyboard, all at once, for for_ms (1 to 10000) of the game's time, in "
            + "play mode.", NextToOthers = true,
            Keywords = "key keyboard input")]
        private static IEnumerator Run(ToolContext context, CancellationToken stop, string[] keys, int for_ms = 100)
        {
            Refuse.OutsideGame("press");
            Check(keys, for_ms);
            var keyboard = InputKeyboard.Find();
            var chosen = keyboard.KeysOf(keys);
            bool GoesOn() => !stop.IsCancellationRequested && EditorApplication.isPlayingOrWillChangePlaymode
                && !EditorApplication.isPaused;

            var ticks = context.Ticks;
            // One press after the other. The keys of an earlier one are up then, unless the game stood still.
            for (var since = ticks.Ms; HeldKeys.AreAnyLeft && ticks.Ms - since < NoUpdateMs && GoesOn();)
            {
                since = HeldKeys.AreHeld ? ticks.Ms : since;
                yield return null;
            }
            stop.ThrowIfCancellationRequested();
            Refuse.OutsideGame("press");
            var held = HeldKeys.Press(keyboard, chosen);
            var times = new HoldTimes(ticks);
            try
            {
                for (var since = ticks.Ms; !held.IsSeen && ticks.Ms - since < NoUpdateMs && GoesOn();)
                {
                    yield return null;
                }
                for (times = new HoldTimes(ticks); held.IsSeen && !times.Reach(for_ms) && GoesOn();)
                {
                    yield return null;
                }
            }
            finally
            {
                held.Release();
            }
            for (var since = ticks.Ms; !held.IsOver && ticks.Ms - since < NoUpdateMs && !EditorApplication.isPaused;)
            {
                yield return null;
            }
            if (stop.IsCancellationRequested)
            {
                throw new OperationCanceledException(stop);
            }
            if (!EditorApplication.isPlayingOrWillChangePlaymode || EditorApplication.isPaused)
            {
                throw Refuse.Failed(EditorApplication.isPaused ? "paused" : "not_playing",
                    "The game was " + (EditorApplication.isPaused ? "paused" : "left")
                    + " while the keys were held. They "
                    + (held.IsOver ? "are released." : "are released in the game's next update of its input."));
            }
            yield return Answer(keyboard, chosen, held, times);
        }

        private static void Check(string[] keys, int forMs)
        {
            if (keys == null || keys.Length == 0 || keys.Length > MostKeys)
            {
                throw Refuse.Argument("keys names 1 to " + MostKeys + " keys, as in w, space, leftShift.");
            }
            if (forMs < 1 || forMs > MostMs)
            {
                throw Refuse.Argument("for_ms is a whole number from 1 to " + MostMs + ".");
            }
        }

        private static JsonObject Answer(InputKeyboard keyboard, List<InputKey> chosen, HeldKeys held, HoldTimes times)
        {
            var game = new GameMoment();
            var answer = new JsonObject
            {
                { "hit", new JsonObject { { "device", keyboard.Name },
                    { "keys", chosen.Select(key => key.ToJson()).ToList() } } },
                { "pressed", held.Seen.Select(key => key.Name).ToList() },
                { "updates", held.Updates },
                { "held_ms", held.IsSeen ? times.Ms : 0 },
                { "held_game_ms", held.IsSeen ? times.GameMs : 0 },
                { "game_time_s", game.TimeS },
                { "frame", game.Frame },
                { "released", held.IsOver },
                { "actions", held.Actions },
                // A script that asks the keyboard itself leaves no trace, so nothing but an action is a proof, and only
                // keys that nobody saw are one of the opposite.
                { "handled", held.Actions.Count > 0 ? true : held.Seen.Count == 0 ? false : (object)null },
            };
            answer.AddIfAny("reason", ReasonOf(held));
            return answer;
        }

        private static string ReasonOf(HeldKeys held)
        {
            if (held.InputUpdates == 0)
            {
                return "The game did not update its input within 2 s, so it saw no key: it stands still, its time is "
                    + "stopped while it reads input in FixedUpdate, or it calls InputSystem.Update itself.";
            }
            if (held.Seen.Count == 0)
            {
                return "The Input System updated and the keys stayed up: a script has handled the event, or the "
                    + "device ignores it.";
            }
            if (held.Lost.Count > 0)
            {
                return "Something else released " + string.Join(", ", held.Lost.Select(key => key.Name))
                    + " before the end: a person's key, or a reset of the keyboard.";
            }
            return held.IsOver
                ? null
                : "The keys are released in the game's next update of its input, which did not come within 2 s.";
        }
    }

    /// <summary>For how long keys have been held, by the clock and by the game. Main thread.</summary>
    internal sealed class HoldTimes
    {
        // After how long a game whose time stands still is not waited for.
        private const long StillMs = 2000;

        private readonly TickClock _ticks;
        private readonly long _since;
        private readonly double _sinceGame = Time.timeAsDouble;
        private long _movedMs;

        public HoldTimes(TickClock ticks)
        {
            _ticks = ticks;
            _since = ticks.Ms;
        }

        public long Ms { get; private set; }

        public long GameMs { get; private set; }

        /// <summary>Whether both are that long: in a game that runs slower than real time its own time
        /// counts.</summary>
        public bool Reach(long ms)
        {
            Ms = _ticks.Ms - _since;
            var game = (long)Math.Round((Time.timeAsDouble - _sinceGame) * 1000);
            _movedMs = game == GameMs ? _movedMs : Ms;
            GameMs = game;
            return Ms >= ms && (GameMs >= ms || Time.timeScale == 0 || Ms - _movedMs >= StillMs);
        }
    }
}
