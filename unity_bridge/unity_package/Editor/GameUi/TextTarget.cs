using System;
using System.Globalization;
using System.Linq;
using UnityEngine;
using UnityEngine.UIElements;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>A field that a player types into. Main thread.</summary>
    internal abstract class TextTarget
    {
        public abstract bool IsAlive { get; }

        public abstract bool IsReadOnly { get; }

        /// <summary>Whether it takes what is typed now.</summary>
        public abstract bool HasFocus { get; }

        /// <summary>What is in it, as the game sees it.</summary>
        public abstract string Value { get; }

        /// <summary>The text as the field's own type; null for one that does not fit.</summary>
        public abstract object Convert(string text);

        public abstract void Enter(object value);

        /// <summary>Gives the focus back, which ends the editing.</summary>
        public abstract void Leave();

        /// <summary>Null for an element that takes no text.</summary>
        public static TextTarget FromElement(UiElement element)
        {
            if (element is UGuiElement { Control: { } control }
                && (control.GetType().GetProperty("onEndEdit") != null && Members.Get(control, "text") is string))
            {
                return new UGuiField(control);
            }
            return element is ToolkitElement { Element: var field } && ToolkitField.IsOne(field)
                ? new ToolkitField(field)
                : null;
        }

        /// <summary>InputField, or TMP_InputField, which has the same members (com.unity.textmeshpro 3.0,
        /// com.unity.ugui 2.5).</summary>
        private sealed class UGuiField : TextTarget
        {
            private readonly Component _field;
            private bool _hadFocus;

            public UGuiField(Component field)
            {
                _field = field;
            }

            public override bool IsAlive => _field != null;

            public override bool IsReadOnly => Members.Get(_field, "readOnly") is true;

            public override bool HasFocus => _hadFocus = Members.Get(_field, "isFocused") is true;

            public override string Value => Members.Get(_field, "text") as string;

            public override object Convert(string text) => text;

            // The field applies its own limits, and raises onValueChanged.
            public override void Enter(object value)
            {
                UGui.Set(_field, "text", value);
                if (!_hadFocus)
                {
                    // The game gave it no focus, so nothing ends it; its listeners wait for that end all the same.
                    UGui.Call(Members.Get(_field, "onEndEdit"), "Invoke", Value);
                }
            }

            public override void Leave()
            {
                var eventSystem = UGui.OfProject.CurrentEventSystem;
                if (eventSystem != null && _field != null
                    && Members.Get(eventSystem, "currentSelectedGameObject") as GameObject == _field.gameObject)
                {
                    UGui.Call(eventSystem, "SetSelectedGameObject", new object[] { null });
                }
            }
        }

        /// <summary>TextField, and the fields of numbers, which are of the same base.</summary>
        private sealed class ToolkitField : TextTarget
        {
            private readonly VisualElement _field;

            public ToolkitField(VisualElement field)
            {
                _field = field;
            }

            public override bool IsAlive => _field.panel != null;

            public override bool IsReadOnly => Members.Get(_field, "isReadOnly") is true;

            // It has it from the press on.
            public override bool HasFocus => true;

            public override string Value =>
                System.Convert.ToString(Members.Get(_field, "value"), CultureInfo.InvariantCulture);

            // The same name from 2021.3 to 6000.7.
            public static bool IsOne(VisualElement element) =>
                Members.Bases(element.GetType()).Any(type => type.Name == "TextInputBaseField`1");

            public override object Convert(string text)
            {
                try
                {
                    return System.Convert.ChangeType(
                        text, _field.GetType().GetProperty("value").PropertyType, CultureInfo.InvariantCulture);
                }
                catch (Exception unfit) when (unfit is FormatException or OverflowException or InvalidCastException)
                {
                    return null;
                }
            }

            // It sends a ChangeEvent.
            public override void Enter(object value) => UGui.Set(_field, "value", value);

            public override void Leave() => _field.Blur();
        }
    }
}
