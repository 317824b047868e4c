using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;

// The Input System as far as keys go, read in com.unity.inputsystem 1.11.3 (github.com/Unity-Technologies/InputSystem):
// an event is only read at the next update; updates of the editor and of the game have a state each; events of a
// keyboard go by the focus of the Game view and by two settings; a keyboard is disabled when the game loses the focus.
// What is native there lives in the host here: the settings asset outlives a reload.

namespace UnityEngine.InputSystem
{
    using LowLevel;

    /// <summary>Devices/Keyboard.cs: by the US layout; some keys have several names.</summary>
    public enum Key
    {
        None, Space, Enter, Tab, Comma, LeftArrow, RightArrow, UpArrow, DownArrow,
        A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z,
        Digit1, Digit2, Digit3, LeftShift, RightShift, LeftAlt, LeftCtrl, LeftMeta, Escape, IMESelected,
        LeftWindows = LeftMeta, LeftApple = LeftMeta, AltGr = LeftAlt,
    }

    public enum InputActionChange { ActionEnabled, ActionStarted, ActionPerformed, ActionCanceled }

    public class InputActionMap
    {
        public string name { get; internal set; }
    }

    public class InputAction
    {
        public string name { get; internal set; }
        public InputActionMap actionMap { get; internal set; }
        public InputControl activeControl { get; internal set; }
    }

    public class InputControl
    {
        public string name { get; internal set; }
        public string displayName { get; internal set; }
    }

    public class KeyControl : InputControl
    {
        public Key keyCode { get; internal set; }

        /// <summary>In the buffers that the last update has switched to (InputStateBuffers.SwitchTo).</summary>
        public bool isPressed { get { return InputSystem.Buffer.Contains(keyCode); } }
    }

    public class InputDevice : InputControl
    {
        private bool _disabledInFrontend;

        public bool added { get { return InputSystem.Devices.Contains(this); } }

        private bool _disabledWhileInBackground;

        internal bool disabledWhileInBackground
        {
            get { return _disabledWhileInBackground; }
            set
            {
                if (_disabledWhileInBackground != value)
                {
                    Native.Editor.Say("keyboard " + (value ? "off" : "on") + " in the background");
                }
                _disabledWhileInBackground = value;
            }
        }

        internal bool DisabledInFrontend { get { return _disabledInFrontend; } set { _disabledInFrontend = value; } }

        /// <summary>True in an update of the editor for a device that is only disabled in the background
        /// (Devices/InputDevice.cs).</summary>
        public bool enabled
        {
            get
            {
                if (InputState.currentUpdateType == InputUpdateType.Editor && disabledWhileInBackground) return true;
                return !_disabledInFrontend && !disabledWhileInBackground;
            }
        }
    }

    public struct KeyArray : IEnumerable<KeyControl>
    {
        private readonly KeyControl[] _keys;

        public KeyArray(KeyControl[] keys)
        {
            _keys = keys;
        }

        public IEnumerator<KeyControl> GetEnumerator()
        {
            return ((IEnumerable<KeyControl>)_keys).GetEnumerator();
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }
    }

    public class Keyboard : InputDevice
    {
        private readonly KeyControl[] _keys;

        internal Keyboard()
        {
            name = "Keyboard";
            var german = Native.Editor.Quirk("german-keyboard");
            _keys = ((Key[])Enum.GetValues(typeof(Key))).Distinct()
                .Where(key => key != Key.None && key != Key.IMESelected).Select(key => new KeyControl
            {
                keyCode = key,
                name = NameOf(key),
                displayName = german && key == Key.Y
                ? "Z"
                : german && key == Key.Z
                ? "Y"
                : german && key == Key.Comma
                ? "\u00e4"
                : NameOf(key).ToUpperInvariant(),
            }).ToArray();
        }

        public static Keyboard current
        {
            get { return InputSystem.Devices.OfType<Keyboard>().FirstOrDefault(); }
        }

        public KeyArray allKeys { get { return new KeyArray(_keys); } }

        private static string NameOf(Key key)
        {
            var name = key == Key.LeftMeta ? "LeftMeta" : key == Key.LeftAlt ? "LeftAlt" : key.ToString();
            return name.StartsWith("Digit") ? name.Substring(5) : char.ToLowerInvariant(name[0]) + name.Substring(1);
        }
    }

    /// <summary>An asset of the project, so what is set in memory stays until someone sets it back.</summary>
    public class InputSettings
    {
        private readonly string _prefix;

        internal InputSettings(string prefix) { _prefix = prefix; }

        public enum BackgroundBehavior { ResetAndDisableNonBackgroundDevices, ResetAndDisableAllDevices, IgnoreFocus }

        public enum EditorInputBehaviorInPlayMode { PointersAndKeyboardsRespectGameViewFocus,
            AllDevicesRespectGameViewFocus, AllDeviceInputAlwaysGoesToGameView }

        public BackgroundBehavior backgroundBehavior
        {
            get { return (BackgroundBehavior)Read("backgroundBehavior"); }
            set { Write("backgroundBehavior", (int)value); }
        }

        public EditorInputBehaviorInPlayMode editorInputBehaviorInPlayMode
        {
            get { return (EditorInputBehaviorInPlayMode)Read("editorInputBehaviorInPlayMode"); }
            set { Write("editorInputBehaviorInPlayMode", (int)value); }
        }

        private int Read(string name)
        {
            return int.Parse(Native.Editor.GetSession("input-settings " + _prefix + name) ?? "0");
        }

        private void Write(string member, int value)
        {
            var name = _prefix + member;
            Native.RequireMainThread("InputSettings." + name);
            Native.Editor.SetSession("input-settings " + name, value.ToString());
            Native.Editor.Say("input-setting " + name + " " + value);
        }
    }

    public static class InputSystem
    {
        private sealed class Queued
        {
            public InputDevice Device;
            public HashSet<Key> Keys;
        }

        internal static readonly List<InputDevice> Devices = new List<InputDevice>();
        private static readonly List<Queued> Queue = new List<Queued>();
        private static readonly InputSettings Own = new InputSettings("");
        private static readonly InputSettings Others = new InputSettings("others.");
        private static readonly InputActionMap Map = new InputActionMap { name = "Player" };
        private static readonly Dictionary<Key, InputAction> Actions = new Dictionary<Key, InputAction>();
        private static HashSet<Key> _game = new HashSet<Key>();
        private static HashSet<Key> _editor = new HashSet<Key>();
        private static bool _hasFocus, _isMade;
        private static int _framesDown;

        public static event Action onAfterUpdate;
        public static event Action<object, InputActionChange> onActionChange;

        internal static HashSet<Key> Buffer
        {
            get { return InputState.currentUpdateType == InputUpdateType.Editor ? _editor : _game; }
        }

        /// <summary>A script may put another object in its place.</summary>
        public static InputSettings settings { get { return Settings; } }

        private static InputSettings Settings
        {
            get { return Native.Editor.Quirk("others-input-settings") ? Others : Own; }
        }

        /// <summary>InputManager, as far as the package's own code uses it.</summary>
        internal sealed class InputManager
        {
            internal enum DeviceDisableScope { Everywhere, InFrontendOnly, TemporaryWhilePlayerIsInBackground }

            public void EnableOrDisableDevice(
                InputDevice device, bool enable, DeviceDisableScope scope = default(DeviceDisableScope))
            {
                device.disabledWhileInBackground = !enable
                    && scope == DeviceDisableScope.TemporaryWhilePlayerIsInBackground;
                if (scope == DeviceDisableScope.Everywhere) device.DisabledInFrontend = !enable;
                if (!enable) _game = new HashSet<Key>();
            }
        }

        internal static InputManager s_Manager = new InputManager();

        /// <summary>Only of a device that is there; read at the next update.</summary>
        public static void QueueStateEvent<TState>(InputDevice device, TState state, double time = -1)
            where TState : struct
        {
            if (device == null) throw new ArgumentNullException("device");
            if (!device.added)
            {
                throw new InvalidOperationException(
                    "Cannot queue state event for device because device has not been added to system");
            }
            Queue.Add(new Queued { Device = device, Keys = new HashSet<Key>(((KeyboardState)(object)state).Keys) });
        }

        /// <summary>InputManager.EnableOrDisableDevice, with the scope Everywhere.</summary>
        public static void EnableDevice(InputDevice device)
        {
            if (Native.Editor.Quirk("enable-throws")) throw new InvalidOperationException("a script does not want it");
            s_Manager.EnableOrDisableDevice(device, true);
        }

        private static bool GameIsPlaying { get { return Native.Playing && !Native.Paused; } }

        private static bool Regardless
        {
            get
            {
                return Settings.backgroundBehavior == InputSettings.BackgroundBehavior.IgnoreFocus
                    && Settings.editorInputBehaviorInPlayMode
                        == InputSettings.EditorInputBehaviorInPlayMode.AllDeviceInputAlwaysGoesToGameView;
            }
        }

        private static bool GameHasFocus { get { return _hasFocus || Regardless; } }

        /// <summary>The native side calls for an update (InputManager.OnUpdate).</summary>
        internal static void NativeUpdate(string kind)
        {
            var type = (InputUpdateType)Enum.Parse(typeof(InputUpdateType), kind);
            Make();
            Focus(Native.Editor.Quirk("game-focused"));
            if (Native.Editor.Quirk("no-keyboard")) Devices.Clear();
            if (!GameIsPlaying && type != InputUpdateType.Editor) return;
            if (type != InputUpdateType.Editor && Native.Editor.Quirk("game-updates-no-input")) return;
            InputState.currentUpdateType = type;
            var focus = Settings.editorInputBehaviorInPlayMode;
            var background = Settings.backgroundBehavior;
            if (!EndsEarly(type, focus, background)) Process(type, focus, background);
            // Something resets the keyboard a few frames after a key went down.
            if (type != InputUpdateType.Editor) _framesDown = _game.Count == 0 ? 0 : _framesDown + 1;
            if (_framesDown == 4 && Native.Editor.Quirk("reset-keyboard-later")) _game = new HashSet<Key>();
            if (type != InputUpdateType.Editor) GameReads();
            if (type == InputUpdateType.Editor && GameIsPlaying) return;
            if (onAfterUpdate != null) onAfterUpdate();
        }

        private static void Make()
        {
            if (_isMade) return;
            _isMade = true;
            // InputManager.DeviceState has no values of controls: after a reload all keys are up.
            Devices.Add(new Keyboard());
            Devices[0].DisabledInFrontend = Native.Editor.Quirk("game-disables-keyboard");
            Actions[Key.Space] = new InputAction { name = "Jump", actionMap = Map };
            foreach (var key in new[] { Key.W, Key.A, Key.S, Key.D })
            {
                Actions[key] = new InputAction { name = "Move", actionMap = Map };
            }
        }

        private static bool EndsEarly(
            InputUpdateType type, InputSettings.EditorInputBehaviorInPlayMode focus,
            InputSettings.BackgroundBehavior background)
        {
            var isEditor = type == InputUpdateType.Editor;
            var always = focus == InputSettings.EditorInputBehaviorInPlayMode.AllDeviceInputAlwaysGoesToGameView;
            var flushes = !GameHasFocus && always
                && background == InputSettings.BackgroundBehavior.ResetAndDisableAllDevices;
            var ends = Queue.Count == 0 || flushes
                || ((!GameHasFocus || Regardless)
                    && ((background == InputSettings.BackgroundBehavior.ResetAndDisableAllDevices && !isEditor)
                        || (focus == InputSettings.EditorInputBehaviorInPlayMode.AllDevicesRespectGameViewFocus
                            && !isEditor)
                        || (background == InputSettings.BackgroundBehavior.IgnoreFocus && always && isEditor)))
                || (GameIsPlaying && GameHasFocus && isEditor);
            if (flushes) Queue.Clear();
            return ends;
        }

        private static void Process(
            InputUpdateType type, InputSettings.EditorInputBehaviorInPlayMode focus,
            InputSettings.BackgroundBehavior background)
        {
            foreach (var queued in Queue.ToArray())
            {
                // Left for an update of the editor.
                if (GameIsPlaying && !GameHasFocus && type != InputUpdateType.Editor
                    && focus == InputSettings.EditorInputBehaviorInPlayMode.PointersAndKeyboardsRespectGameViewFocus
                    && background != InputSettings.BackgroundBehavior.ResetAndDisableAllDevices) continue;
                Queue.Remove(queued);
                if (!queued.Device.enabled || Native.Editor.Quirk("script-handles-events")) continue;
                var before = Buffer;
                if (type == InputUpdateType.Editor) _editor = queued.Keys;
                else _game = queued.Keys;
                if (type != InputUpdateType.Editor) Act(before, queued.Keys);
            }
        }

        private static void Act(HashSet<Key> before, HashSet<Key> now)
        {
            foreach (var key in now.Except(before).Where(Actions.ContainsKey))
            {
                var action = Actions[key];
                action.activeControl = Keyboard.current.allKeys.First(control => control.keyCode == key);
                foreach (var change in new[] { InputActionChange.ActionStarted, InputActionChange.ActionPerformed })
                {
                    if (onActionChange != null) onActionChange(action, change);
                }
            }
        }

        // A script of the game, in its Update.
        private static string _read = "";

        private static void GameReads()
        {
            var keys = string.Join("+",
                _game.Select(key => key.ToString()).OrderBy(name => name, StringComparer.Ordinal));
            if (keys != _read) Native.Editor.Say("game-reads " + (keys.Length == 0 ? "nothing" : keys));
            _read = keys;
        }

        /// <summary>InputManager.OnFocusChanged, while the game plays.</summary>
        private static void Focus(bool focus)
        {
            if (focus == _hasFocus) return;
            _hasFocus = focus;
            Native.Editor.Say("game-focus " + (focus ? "gained" : "lost"));
            if (!Native.Playing || Settings.backgroundBehavior == InputSettings.BackgroundBehavior.IgnoreFocus) return;
            foreach (var device in Devices)
            {
                s_Manager.EnableOrDisableDevice(
                    device, focus, InputManager.DeviceDisableScope.TemporaryWhilePlayerIsInBackground);
            }
        }

        /// <summary>InputManager.LeavePlayMode.</summary>
        internal static void LeavePlayMode()
        {
            _game = new HashSet<Key>();
            Devices.ForEach(device => device.disabledWhileInBackground = false);
        }
    }
}

namespace UnityEngine.InputSystem.LowLevel
{
    [Flags]
    public enum InputUpdateType { None = 0, Dynamic = 1, Fixed = 2, BeforeRender = 4, Editor = 8, Manual = 16 }

    public static class InputState
    {
        public static InputUpdateType currentUpdateType { get; internal set; }
    }

    public struct KeyboardState
    {
        internal readonly Key[] Keys;

        public KeyboardState(params Key[] pressedKeys)
        {
            if (pressedKeys == null) throw new ArgumentNullException("pressedKeys");
            Keys = pressedKeys;
        }
    }
}

namespace UnityEngine.InputSystem.Editor
{
    /// <summary>Editor/Settings/EditorPlayerSettingHelpers.cs: what Active Input Handling says.</summary>
    internal static class EditorPlayerSettingHelpers
    {
        public static bool newSystemBackendsEnabled { get { return !Native.Editor.Quirk("old-input-handling"); } }
    }
}
