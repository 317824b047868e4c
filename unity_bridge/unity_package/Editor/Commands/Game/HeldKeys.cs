using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.GameUi;

namespace UnityBridge.Commands
{
    /// <summary>
    /// Keys that a command holds. They outlive the command until the game has seen that they are up, so that no end of
    /// it leaves one down. Main thread.
    /// </summary>
    /// <remarks>An event is only read at the game's next update of its input, and none comes while the game is paused.
    /// So the release is checked in each later update, and queued again if a key is still down. When play mode is left,
    /// the Input System resets all devices itself (InputManager.LeavePlayMode); after a domain reload it makes them
    /// again, with all keys up (InputManager.DeviceState keeps no values).</remarks>
    internal sealed class HeldKeys
    {
        private static HeldKeys _current;
        private static bool _watchesEditor;

        private readonly InputKeyboard _keyboard;
        private readonly List<InputKey> _keys;
        private readonly HashSet<string> _actions = new HashSet<string>();
        private readonly List<InputKey> _seen = new List<InputKey>();
        private readonly List<InputKey> _lost = new List<InputKey>();
        private bool _releases;

        private HeldKeys(InputKeyboard keyboard, List<InputKey> keys)
        {
            _keyboard = keyboard;
            _keys = keys;
        }

        /// <summary>Whether keys of a former command may still be down.</summary>
        public static bool AreAnyLeft => _current != null;

        /// <summary>Whether a command holds keys now.</summary>
        public static bool AreHeld => _current is { _releases: false };

        /// <summary>The keys that an update of the game's input saw down.</summary>
        public IReadOnlyList<InputKey> Seen => _seen;

        public bool IsSeen => _seen.Count > 0;

        /// <summary>Those of them that were up again before the release.</summary>
        public IReadOnlyList<InputKey> Lost => _lost;

        /// <summary>In how many updates of the game's input a key was down.</summary>
        public int Updates { get; private set; }

        /// <summary>How many updates of the game's input came until the release.</summary>
        public int InputUpdates { get; private set; }

        /// <summary>The input actions that one of the keys has started or performed.</summary>
        public List<string> Actions => _actions.OrderBy(name => name, StringComparer.Ordinal).ToList();

        /// <summary>An update of the game's input saw the keys up again, or there is no game any more.</summary>
        public bool IsOver { get; private set; }

        public static HeldKeys Press(InputKeyboard keyboard, List<InputKey> keys)
        {
            _current?.Abandon();
            var held = new HeldKeys(keyboard, keys);
            _current = held;
            WatchEditor();
            try
            {
                keyboard.Watch(() => Guard.Run(held.AfterUpdate), held.NoteAction);
                keyboard.Queue(keys);
                SentInput.Note("press " + string.Join(", ", keys.Select(key => key.Name)));
            }
            catch
            {
                // As when a script of the game throws because a setting or the device changed. Nothing went down, so
                // nothing is to be waited for.
                held.End();
                throw;
            }
            return held;
        }

        /// <summary>Can be called again.</summary>
        public void Release()
        {
            if (!_releases && !IsOver)
            {
                _releases = true;
                Queue();
            }
        }

        private void AfterUpdate()
        {
            if (IsOver || !_keyboard.IsUpdateOfGame)
            {
                return;
            }
            var down = _keys.Where(key => key.IsDown).ToList();
            if (_releases)
            {
                if (down.Count == 0)
                {
                    End();
                }
                else
                {
                    Queue();
                }
                return;
            }
            InputUpdates++;
            Updates += down.Count > 0 ? 1 : 0;
            _lost.AddRange(_seen.Where(key => !down.Contains(key) && !_lost.Contains(key)));
            _seen.AddRange(down.Where(key => !_seen.Contains(key)));
        }

        private void NoteAction(string action, object control)
        {
            if (_keys.Any(key => key.Is(control)))
            {
                _actions.Add(action);
            }
        }

        // The keyboard may have been removed.
        private void Queue()
        {
            if (_keyboard.IsThere)
            {
                _keyboard.Queue(new List<InputKey>());
            }
            else
            {
                End();
            }
        }

        private void End()
        {
            IsOver = true;
            _current = _current == this ? null : _current;
            _keyboard.TakeBack();
        }

        // The game that held them is gone, or this code is.
        private void Abandon()
        {
            Guard.Run(Release);
            if (!IsOver)
            {
                Guard.Run(End);
            }
        }

        private static void WatchEditor()
        {
            if (_watchesEditor)
            {
                return;
            }
            _watchesEditor = true;
            EditorEvents.OnPlayMode(change =>
            {
                if (change is PlayModeStateChange.ExitingPlayMode or PlayModeStateChange.EnteredEditMode)
                {
                    _current?.Abandon();
                }
            });
            DomainEnd.AtEnd(() => _current?.Abandon());
        }
    }
}
