using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using UnityEngine;
using UnityEngine.UIElements;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>An element of UI Toolkit: its document's path, and <c>#name</c>, or <c>#index/index</c> for one whose
    /// name is not its own alone. It gets the events that Unity makes of the mouse
    /// (DefaultEventSystem.SendPositionBasedEvent). Main thread.</summary>
    internal sealed class ToolkitElement : UiElement
    {
        // VisualElement.worldClip: the part of the panel that scroll views and other clipping elements around it leave
        // (2021.3 to 6000.7, internal).
        private static readonly PropertyInfo Clip = typeof(VisualElement).GetProperty("worldClip", Members.Any);

        // Far outside of each panel: the pointer has left it.
        private static readonly Vector2 Away = new Vector2(-10000, -10000);

        private readonly VisualElement _element;

        public ToolkitElement(VisualElement element, string path) : base(path)
        {
            _element = element;
        }

        public VisualElement Element => _element;

        public override string Kind => IsText ? "Text" : _element.GetType().Name;

        public override string Label =>
            Members.Get(_element, "label") is string label && label.Trim().Length > 0 ? label.Trim()
            : TextIn(_element) ?? (string.IsNullOrEmpty(_element.name) ? Kind : _element.name);

        public override bool IsAlive => _element.panel != null;

        public override bool IsInteractable => _element.enabledInHierarchy;

        public override bool IsText => _element is Label label && label.text?.Trim().Length > 0 && !IsControl(_element);

        public override bool IsOf(string kind) =>
            IsNamed(_element.GetType(), kind) || (IsText && kind.EqualsAnyCase("Text"));

        public override Rect AreaOn(GameScreen screen)
        {
            if (_element.panel == null || !IsShown(_element))
            {
                return Rect.zero;
            }
            var area = Clip?.GetValue(_element) is Rect clip ? Common(_element.worldBound, clip) : _element.worldBound;
            return Common(screen.All, ToolkitPanels.ToScreen(_element.panel, screen, area));
        }

        public override bool IsHitBy(UiHit hit) =>
            hit.Picked != null && (hit.Picked == _element || _element.Contains(hit.Picked));

        public override bool? Click(UiHit hit, GameScreen screen)
        {
            var panel = hit.Picked.panel;
            var position = ToolkitPanels.ToPanel(panel, screen, hit.Position);
            var chain = new List<VisualElement>();
            for (var at = hit.Picked; at != null; at = at.hierarchy.parent)
            {
                chain.Add(at);
            }
            // Elements without a handler stop nothing, and one of the project's own need not stop anything either.
            // Which events a handler waits for is not known: Unity's Image, Foldout and ProgressBar have handlers of
            // their own that are not for pointers. What it has registered on the root and on scroll views handles no
            // clicks.
            var heard = chain.FindAll(
                link => link.hierarchy.parent != null && !IsScrolling(link) && link.enabledInHierarchy
                && (link.HasBubbleUpHandlers() || link.HasTrickleDownHandlers()));
            var isHandled = heard.Exists(IsControl);
            Send(panel, PointerMoveEvent.GetPooled(Mouse(EventType.MouseMove, position)));
            try
            {
                isHandled |= Send(panel, PointerDownEvent.GetPooled(Mouse(EventType.MouseDown, position)));
            }
            finally
            {
                isHandled |= Send(panel, PointerUpEvent.GetPooled(Mouse(EventType.MouseUp, position)));
                Send(panel, PointerMoveEvent.GetPooled(Mouse(EventType.MouseMove, Away)));
            }
            return isHandled ? true : heard.Count > 0 ? (bool?)null : false;
        }

        /// <summary>The controls in and below an element, each one before its parts.</summary>
        /// <param name="path">Of the document's object.</param>
        /// <returns>A null for every element that is none.</returns>
        public static IEnumerable<ToolkitElement> Controls(
            VisualElement top, ToolkitDocument document, string path, GameScreen screen)
        {
            var others = ToolkitPanels.RootsBesides(document, screen);
            var next = new Stack<(VisualElement Element, bool IsInside)>();
            next.Push((top, false));
            while (next.Count > 0)
            {
                var (element, isInside) = next.Pop();
                var isControl = IsControl(element) && (!isInside || IsField(element) || element is Button);
                var isText = !isInside && element is Label { text: { } text } && text.Trim().Length > 0;
                yield return isControl || isText
                    ? new ToolkitElement(element, PathOf(element, document.Root, path))
                    : null;
                for (var i = element.hierarchy.childCount - 1; i >= 0 && !(element is Scroller); i--)
                {
                    // A document within this one comes with its own object.
                    if (!others.Contains(element.hierarchy[i]))
                    {
                        next.Push((element.hierarchy[i], isInside || isControl));
                    }
                }
            }
        }

        /// <summary>The control that an element is a part of; without one the element itself.</summary>
        public static ToolkitElement ControlAround(VisualElement picked, GameScreen screen)
        {
            var control = picked;
            while (control != null && !IsControl(control))
            {
                control = control.hierarchy.parent;
            }
            // A part of a field that is a control by itself, such as the input of a text field.
            for (var above = control?.hierarchy.parent; above != null && !IsField(control) && !(control is Button);
                above = above.hierarchy.parent)
            {
                control = IsField(above) ? above : control;
            }
            control ??= picked;
            var document = ToolkitPanels.DocumentOf(control, screen);
            return new ToolkitElement(
                control, document == null
                ? null
                : PathOf(control, document.Root, ObjectPath.PathOf(document.Transform)));
        }

        /// <summary>What follows the # of a path, below the root of its document; null if nothing or not one alone is
        /// there.</summary>
        public static VisualElement Find(VisualElement root, string address)
        {
            if (address.All(c => char.IsDigit(c) || c == '/') && address.Length > 0)
            {
                var at = root;
                foreach (var part in address.Split('/'))
                {
                    at = at != null && int.TryParse(
                        part, NumberStyles.None, CultureInfo.InvariantCulture, out var index)
                        && index < at.hierarchy.childCount
                        ? at.hierarchy[index] : null;
                }
                return at;
            }
            var named = Below(root).Where(candidate => candidate.name == address).Take(2).ToList();
            return named.Count == 1 ? named[0] : null;
        }

        /// <summary>Every element below the root, for messages.</summary>
        public static IEnumerable<VisualElement> Below(VisualElement root)
        {
            var next = new Stack<VisualElement>(new[] { root });
            while (next.Count > 0)
            {
                var element = next.Pop();
                yield return element;
                for (var i = element.hierarchy.childCount - 1; i >= 0; i--)
                {
                    next.Push(element.hierarchy[i]);
                }
            }
        }

        public static string PathOf(VisualElement element, VisualElement root, string document)
        {
            var name = element.name ?? "";
            if (name.Length > 0 && !name.All(c => char.IsDigit(c) || c == '/') && Find(root, name) == element)
            {
                return document + "#" + name;
            }
            var indices = new List<string>();
            for (var at = element; at != null && at != root; at = at.hierarchy.parent)
            {
                indices.Insert(0, at.hierarchy.parent.hierarchy.IndexOf(at).ToString());
            }
            return document + "#" + string.Join("/", indices);
        }

        private static bool IsControl(VisualElement element) => element.focusable && !IsScrolling(element);

        private static bool IsScrolling(VisualElement element) => element is ScrollView || element is Scroller;

        private static bool IsField(VisualElement element) => Members.Bases(element.GetType())
            .Any(type => type.IsGenericType && type.GetGenericTypeDefinition() == typeof(BaseField<>));

        private static bool IsShown(VisualElement element)
        {
            if (!element.visible)
            {
                return false;
            }
            for (var at = element; at != null; at = at.hierarchy.parent)
            {
                if (at.resolvedStyle.display == DisplayStyle.None)
                {
                    return false;
                }
            }
            return true;
        }

        private static string TextIn(VisualElement element) =>
            Below(element).OfType<TextElement>().Select(label => (label.text ?? "").Trim())
            .FirstOrDefault(text => text.Length > 0);

        private static Event Mouse(EventType type, Vector2 position) =>
            new Event { type = type, mousePosition = position, button = 0, clickCount = 1 };

        // Whether a handler stopped it, or threw: Unity lets what it throws out of SendEvent
        // (EventDispatcher.ProcessEvent), uGUI logs it.
        private static bool Send(IPanel panel, EventBase made)
        {
            using (made)
            {
                try
                {
                    // A handler may have closed its document, and Unity sends nothing to a panel that was disposed of
                    // (BaseVisualElementPanel).
                    if (Members.Get(panel, "disposed") is true)
                    {
                        return false;
                    }
                    panel.visualTree.SendEvent(made);
                    return made.isPropagationStopped;
                }
                catch (Exception thrown)
                {
                    Debug.LogException(thrown);
                    return true;
                }
            }
        }
    }
}
