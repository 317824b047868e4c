using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Tools;

namespace UnityBridge.Commands
{
    /// <summary>Holds keys of the Input System's keyboard for a while, and says what is known of their effect (SPEC §16.5).</summary>
    internal static class Press
    {
        private const int MostMs = 10000;
        private const int MostKeys = 8;
        // How long no input update must come before none will: the game stands still.
        private const long NoUpdateMs = 2000;

        [BridgeCommand("press", "Holds keys of the Input System's keyboard, all at once, for for_ms (1 to 10000) in play mode, then releases them.")]
        private static IEnumerator Run(ToolContext context, CancellationToken stop, string[] keys, int for_ms = 100)
        {
            Refuse.OutsideGame("press");
            Check(keys, for_ms);
            var keyboard = InputKeyboard.Find();
            var chosen = keyboard.KeysOf(keys);
            bool GoesOn() => !stop.IsCancellationRequested && EditorApplication.isPlayingOrWillChangePlaymode && !EditorApplication.isPaused;

            var ticks = context.Ticks;
            // The keys of an earlier command are up now, unless the game stood still.
            for (var since = ticks.Ms; HeldKeys.AreAnyLeft && ticks.Ms - since < NoUpdateMs && GoesOn();)
            {
                yield return null;
            }
            var held = HeldKeys.Press(keyboard, chosen);
            var heldMs = 0L;
            try
            {
                for (var since = ticks.Ms; !held.IsSeen && ticks.Ms - since < NoUpdateMs && GoesOn();)
                {
                    yield return null;
                }
                for (var since = ticks.Ms; held.IsSeen && (heldMs = ticks.Ms - since) < for_ms && GoesOn();)
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
                throw Refuse.Failed(EditorApplication.isPaused ? "paused" : "not_playing", "The game was " + (EditorApplication.isPaused ? "paused" : "left")
                    + " while the keys were held. They " + (held.IsOver ? "are released." : "are released in the game's next update of its input."));
            }
            yield return Answer(keyboard, chosen, held, heldMs);
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

        private static JsonObject Answer(InputKeyboard keyboard, List<InputKey> chosen, HeldKeys held, long heldMs)
        {
            var answer = new JsonObject
            {
                { "hit", new JsonObject { { "device", keyboard.Name }, { "keys", chosen.Select(key => key.ToJson()).ToList() } } },
                { "pressed", held.Seen.Select(key => key.Name).ToList() },
                { "updates", held.Updates },
                { "held_ms", heldMs },
                { "released", held.IsOver },
                { "actions", held.Actions },
                // A script that asks the keyboard itself leaves no trace, so nothing but an action is a proof, and only keys that nobody saw are one
                // of the opposite.
                { "handled", held.Actions.Count > 0 ? true : held.Seen.Count == 0 ? false : (object)null },
            };
            if (ReasonOf(held) is { } reason)
            {
                answer["reason"] = reason;
            }
            return answer;
        }

        private static string ReasonOf(HeldKeys held)
        {
            if (held.InputUpdates == 0)
            {
                return "The game did not update its input within 2 s, so it saw no key: it stands still (without Run In Background it does while the editor "
                    + "has no focus), its time is stopped while it reads input in FixedUpdate, or it calls InputSystem.Update itself.";
            }
            if (held.Seen.Count == 0)
            {
                return "The Input System updated and the keys stayed up: a script has handled the event, or the device ignores it.";
            }
            if (held.Lost.Count > 0)
            {
                return "Something else released " + string.Join(", ", held.Lost.Select(key => key.Name)) + " before the end: a person's key, or a reset of the keyboard.";
            }
            return held.IsOver ? null : "The keys are released in the game's next update of its input, which did not come within 2 s.";
        }
    }
}
