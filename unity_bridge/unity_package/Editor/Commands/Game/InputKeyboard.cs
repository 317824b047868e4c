using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>A key of the Input System: a place on the keyboard, named as on a US one.</summary>
    internal sealed class InputKey
    {
        private readonly object _control;
        private readonly PropertyInfo _isPressed;

        public InputKey(object control)
        {
            _control = control;
            _isPressed = control.GetType().GetProperty("isPressed");
            Name = Members.Get(control, "name") as string;
            Code = Members.Get(control, "keyCode");
            Label = Members.Get(control, "displayName") as string;
        }

        /// <summary>As in a path of the Input System: <c>leftShift</c>, <c>1</c>.</summary>
        public string Name { get; }

        /// <summary>A value of the enum Key.</summary>
        public object Code { get; }

        /// <summary>What is printed on it, by the layout of the keyboard.</summary>
        public string Label { get; }

        /// <summary>In the state that belongs to the present update.</summary>
        public bool IsDown => (bool)_isPressed.GetValue(_control, null);

        public bool Is(object control) => ReferenceEquals(_control, control);

        /// <summary>Whether it is meant by a name of the enum or of the control.</summary>
        public bool IsMeant(string name) => Name.EqualsAnyCase(name)
            || Code.ToString().EqualsAnyCase(name);

        public JsonObject ToJson()
        {
            var json = new JsonObject { { "key", Name } };
            if (!string.IsNullOrEmpty(Label) && !Label.EqualsAnyCase(Name))
            {
                json["label"] = Label;
            }
            return json;
        }
    }

    /// <summary>The keyboard of the Input System, found by reflection: the package is no dependency. Main
    /// thread.</summary>
    /// <remarks>
    /// Read in com.unity.inputsystem 1.11 (InputSystem/InputManager.cs, InputSystem.cs, InputSettings.cs,
    /// Devices/Keyboard.cs, Devices/InputDevice.cs). Keys are bits, so only a state of the whole keyboard can be queued
    /// (QueueDeltaStateEvent refuses bit fields). By default events of a keyboard go to the editor while the Game view
    /// has no focus, and a keyboard is disabled when the game loses it. So while keys are held two settings say that
    /// all input goes to the game. They are changed in memory, in no file.
    /// </remarks>
    internal sealed class InputKeyboard
    {
        private const string Space = "UnityEngine.InputSystem.";
        private const int NearestShown = 3;

        private readonly Type _system;
        private readonly object _device;
        private readonly Type _keyType;
        private readonly ConstructorInfo _state;
        private readonly MethodInfo _queue;
        private readonly PropertyInfo _updateType;
        private readonly List<InputKey> _keys;
        private readonly List<Action> _undo = new List<Action>();
        private object _settings;

        private InputKeyboard(Assembly code, object device)
        {
            _system = Needed(code.GetType(Space + "InputSystem"), "InputSystem");
            _device = device;
            _keyType = Needed(code.GetType(Space + "Key"), "Key");
            var state = Needed(code.GetType(Space + "LowLevel.KeyboardState"), "KeyboardState");
            _state = Needed(state.GetConstructor(new[] { _keyType.MakeArrayType() }), "KeyboardState(Key[])");
            _queue = Needed(_system.GetMethods().FirstOrDefault(IsQueue), "QueueStateEvent").MakeGenericMethod(state);
            _updateType = Needed(code.GetType(Space + "LowLevel.InputState")?.GetProperty("currentUpdateType"),
                "InputState.currentUpdateType");
            _keys = ((IEnumerable)Needed(device.GetType().GetProperty("allKeys"), "Keyboard.allKeys")
                .GetValue(device, null))
                .Cast<object>().Where(control => control != null).Select(control => new InputKey(control)).ToList();
        }

        /// <summary>Whether the project has the Input System, and has it enabled.</summary>
        public static bool IsInputSystemUsed =>
            LoadedAssemblies.All.FirstOrDefault(assembly => assembly.GetName().Name == "Unity.InputSystem") is { } code
            && IsEnabled(code);

        /// <summary>The keyboard that the game reads as the current one. Throws <see cref="CommandRefused"/> if there
        /// is none.</summary>
        public static InputKeyboard Find()
        {
            var code = LoadedAssemblies.All.FirstOrDefault(assembly => assembly.GetName().Name == "Unity.InputSystem");
            if (code == null || !IsEnabled(code))
            {
                throw new CommandRefused("input_manager",
                    (code == null
                    ? "Add the package Input System: packages action=add packages=[\"com.unity.inputsystem\"]."
                    : "Enable the Input System in Project Settings > Player > Active Input Handling.")
                    + " No API sends keys to the old Input Manager; ui_click and ui_text work there.");
            }
            var device = Needed(code.GetType(Space + "Keyboard")?.GetProperty("current"), "Keyboard.current")
                .GetValue(null, null);
            if (device == null)
            {
                throw new CommandRefused(
                    "nothing_there",
                    "The Input System has no keyboard. Connect one, or call the game's code with a command of your "
                    + "own.");
            }
            var keyboard = new InputKeyboard(code, device);
            if (!keyboard.Flag("enabled") && !keyboard.Flag("disabledWhileInBackground"))
            {
                throw new CommandRefused(
                    "not_interactable",
                    "A script has disabled the keyboard (InputSystem.DisableDevice). Enable it, then press again.");
            }
            return keyboard;
        }

        public string Name => Members.Get(_device, "name") as string ?? "Keyboard";

        /// <summary>It was not removed.</summary>
        public bool IsThere => Flag("added");

        /// <summary>Whether the update that runs, or ran last, was one of the game and not of the editor, which have a
        /// state each.</summary>
        public bool IsUpdateOfGame => _updateType.GetValue(null, null).ToString() is "Dynamic" or "Fixed" or "Manual";

        public List<InputKey> KeysOf(IEnumerable<string> names) => names.Select(KeyOf).Distinct().ToList();

        /// <summary>These keys are down and all others up, from the next update on. All input goes to the game, until
        /// <see cref="TakeBack"/>.</summary>
        public void Queue(List<InputKey> keys)
        {
            GiveToGame();
            var codes = Array.CreateInstance(_keyType, keys.Count);
            for (var i = 0; i < keys.Count; i++)
            {
                codes.SetValue(keys[i].Code, i);
            }
            _queue.Invoke(null, new[] { _device, _state.Invoke(new object[] { codes }), -1.0 });
        }

        /// <param name="afterUpdate">After each update of the Input System, until <see cref="TakeBack"/>.</param>
        /// <param name="action">An input action was started or performed, by a control.</param>
        public void Watch(Action afterUpdate, Action<string, object> action)
        {
            Subscribe("onAfterUpdate", afterUpdate);
            Subscribe("onActionChange", ActionHandler(action));
        }

        /// <summary>Everything is as it was before.</summary>
        public void TakeBack()
        {
            _undo.ForEach(Guard.Run);
            _undo.Clear();
        }

        // Again for the release if a script has replaced the settings since the press: it would not reach the game
        // otherwise.
        private void GiveToGame()
        {
            var settings = Members.Get(_system, "settings");
            if (ReferenceEquals(settings, _settings))
            {
                return;
            }
            _settings = settings;
            Set(settings, "backgroundBehavior", "IgnoreFocus");
            Set(settings, "editorInputBehaviorInPlayMode", "AllDeviceInputAlwaysGoesToGameView");
            if (Flag("disabledWhileInBackground"))
            {
                _undo.Add(DisableInBackground);
            }
            // One that was disabled when the game lost the focus; during an update of the editor its "enabled" says
            // true all the same.
            _system.GetMethod("EnableDevice")?.Invoke(null, new[] { _device });
        }

        // As the package does it when the game loses the focus (InputManager.OnFocusChanged): with some settings, what
        // a person types into the editor reaches the game otherwise.
        private void DisableInBackground()
        {
            var manager = Members.Get(_system, "s_Manager");
            var disable = manager?.GetType().GetMethod("EnableOrDisableDevice", Members.Any);
            var scope = disable?.GetParameters().ElementAtOrDefault(2)?.ParameterType;
            if (scope != null && IsThere && !UnityEngine.Application.isFocused)
            {
                disable.Invoke(manager, new[] { _device, false,
                    Enum.Parse(scope, "TemporaryWhilePlayerIsInBackground") });
            }
        }

        private InputKey KeyOf(string name)
        {
            var found = _keys.Find(key => key.IsMeant(name)) ?? _keys.Find(key => key.Code.Equals(CodeOf(name)));
            if (found != null)
            {
                return found;
            }
            var printed = _keys.Find(key => key.Label.EqualsAnyCase(name));
            throw Refuse.Argument("The Input System has no key " + Quoted.Text(name)
                + ". Keys are places on a US keyboard"
                + (printed == null
                    ? "; the nearest are " + Spelling.Nearest(name, _keys.Select(key => key.Name), NearestShown)
                    : "; on this one " + Quoted.Text(printed.Label) + " is the key " + printed.Name) + ".");
        }

        // Some keys have several names in the enum, as LeftApple and LeftWindows.
        private object CodeOf(string name)
        {
            var known = Enum.GetNames(_keyType)
                .FirstOrDefault(label => label.EqualsAnyCase(name));
            return known == null ? null : Enum.Parse(_keyType, known);
        }

        // The package's own question (Editor/Settings/EditorPlayerSettingHelpers.cs). Where it cannot be asked, what
        // the game sees shows it.
        private static bool IsEnabled(Assembly code) =>
            Members.Get(code.GetType(Space + "Editor.EditorPlayerSettingHelpers"), "newSystemBackendsEnabled")
            is not false;

        private bool Flag(string name) => Members.Get(_device, name) is true;

        private static bool IsQueue(MethodInfo method) =>
            method.Name == "QueueStateEvent" && method.IsGenericMethodDefinition && method.GetParameters().Length == 3;

        private void Subscribe(string name, Delegate handler)
        {
            var found = _system.GetEvent(name);
            if (found != null && handler != null)
            {
                found.AddEventHandler(null, handler);
                _undo.Add(() => found.RemoveEventHandler(null, handler));
            }
        }

        private void Set(object settings, string name, string word)
        {
            var property = settings?.GetType().GetProperty(name);
            if (property == null || !Enum.GetNames(property.PropertyType).Contains(word))
            {
                return;
            }
            var before = property.GetValue(settings, null);
            var wanted = Enum.Parse(property.PropertyType, word);
            if (!before.Equals(wanted))
            {
                _undo.Add(() =>
                {
                    // What a script has set meanwhile stays.
                    if (wanted.Equals(property.GetValue(settings, null)))
                    {
                        property.SetValue(settings, before, null);
                    }
                });
                property.SetValue(settings, wanted, null);
            }
        }

        // Of the type Action<object, InputActionChange>, which only reflection knows.
        private Delegate ActionHandler(Action<string, object> action)
        {
            var type = _system.GetEvent("onActionChange")?.EventHandlerType;
            var arguments = type?.GetGenericArguments();
            return arguments?.Length != 2 ? null : Delegate.CreateDelegate(type, new ActionWatch(action),
                typeof(ActionWatch).GetMethod(nameof(ActionWatch.Note)).MakeGenericMethod(arguments[1]));
        }

        private static T Needed<T>(T member, string name)
            where T : class => member ?? throw new CommandRefused("input_manager",
            "This version of the Input System has no " + name + ", so its keyboard cannot be driven.");

        private sealed class ActionWatch
        {
            private readonly Action<string, object> _action;

            public ActionWatch(Action<string, object> action)
            {
                _action = action;
            }

            public void Note<T>(object what, T change)
            {
                if (change.ToString() is "ActionStarted" or "ActionPerformed")
                {
                    Guard.Run(() => _action(NameOf(what), Members.Get(what, "activeControl")));
                }
            }

            private static string NameOf(object action)
            {
                var name = Members.Get(action, "name") as string;
                return Members.Get(Members.Get(action, "actionMap"), "name") is string map ? map + "/" + name : name;
            }
        }
    }
}
