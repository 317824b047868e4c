using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine.UIElements;

// UnityCsReference, 2021.3.58f1 ModuleOverrides/com.unity.ui/Core and 6000.7.0a1 Modules/UIElements/Core.
namespace UnityEngine
{
    internal static partial class World
    {
        /// <summary>Elements of UI Toolkit by the id that a line of the world gives them.</summary>
        public static readonly Dictionary<string, VisualElement> Elements = new Dictionary<string, VisualElement>();

        // panel ID|order|display|scale (a document that shares no panel)    element ID|ID of parent or
        // document|type|name|x,y,width,height of the panel|text off ID    ignore ID    hidden ID    clip ID    heard ID
        // (a click there is heard of)
        private static bool ApplyToolkit(string what, string[] words)
        {
            switch (what)
            {
                case "panel":
                    var document = DocumentOf(words[0]);
                    var settings = new PanelSettings { sortingOrder = float.Parse(words[1]),
                        targetDisplay = int.Parse(words[2]) };
                    document.panelSettings = settings;
                    Panel.Load(document, float.Parse(words[3], System.Globalization.CultureInfo.InvariantCulture));
                    return true;
                case "element":
                    VisualElement parent;
                    if (!Elements.TryGetValue(words[1], out parent)) parent = DocumentOf(words[1]).rootVisualElement;
                    var made = (VisualElement)Activator.CreateInstance(
                        Type.GetType("UnityEngine.UIElements." + words[2]));
                    made.name = words[3];
                    made.Area = AreaIn(words[4]);
                    if (made is TextElement && words.Length > 5) ((TextElement)made).text = words[5];
                    else if (words.Length > 5) made.GetType().GetProperty("label").SetValue(made, words[5], null);
                    parent.Add(made);
                    Elements[words[0]] = made;
                    return true;
                case "off": Elements[words[0]].SetEnabled(false); return true;
                case "ignore": Elements[words[0]].pickingMode = PickingMode.Ignore; return true;
                case "hidden": Elements[words[0]].resolvedStyle.display = DisplayStyle.None; return true;
                case "clip": Elements[words[0]].Clips = true; return true;
                case "leave": Elements[words[0]].RemoveFromHierarchy(); return true;
                case "heard": var heard = Elements[words[0]];
                heard.Register(typeof(ClickEvent), evt => Used(heard, "clicked"));
                return true;
                default: return false;
            }
        }

        private static IPanelComponent DocumentOf(string id)
        {
            return ((GameObject)ById[id]).Components.OfType<IPanelComponent>().First();
        }
    }
}

namespace UnityEngine.UIElements
{
    public enum PickingMode { Position, Ignore }

    public enum DisplayStyle { Flex, None }

    public interface IPanel
    {
        VisualElement visualTree { get; }

        VisualElement Pick(Vector2 point);
    }

    public class PanelSettings : ScriptableObject
    {
        public float sortingOrder { get; set; }
        public int targetDisplay { get; set; }
        public RenderTexture targetTexture { get; set; }
    }

    internal interface IPanelComponent
    {
        PanelSettings panelSettings { get; set; }
        VisualElement rootVisualElement { get; set; }
        bool IsOn { get; }
    }

    /// <summary>Its root is there while it is enabled and has PanelSettings, and ignores pointers
    /// (UIDocument.cs).</summary>
    [Module("uielements")]
    public sealed class UIDocument : MonoBehaviour, IPanelComponent
    {
        private PanelSettings _settings;

        public VisualElement rootVisualElement { get; private set; }

        VisualElement IPanelComponent.rootVisualElement
        {
            get { return rootVisualElement; }
            set { rootVisualElement = value; }
        }

        bool IPanelComponent.IsOn { get { return isActiveAndEnabled; } }

        public PanelSettings panelSettings
        {
            get { return _settings; }
            set
            {
                _settings = value;
                if (rootVisualElement == null) Panel.Load(this, 1);
            }
        }
    }

    /// <summary>New in 6000.5: a Renderer, whose root is internal
    /// (Modules/UIElements/Core/Native/Renderer/PanelRenderer.bindings.cs).</summary>
    [Module("uielements")]
    public sealed class PanelRenderer : Renderer, IPanelComponent
    {
        public bool enabled { get; set; } = true;

        public PanelSettings panelSettings { get; set; }

        internal VisualElement rootVisualElement { get; set; }

        VisualElement IPanelComponent.rootVisualElement
        {
            get { return rootVisualElement; }
            set { rootVisualElement = value; }
        }

        bool IPanelComponent.IsOn
        {
            get { return enabled && !IsDestroyed && Owner != null && Owner.activeInHierarchy; }
        }
    }

    /// <summary>UIElementsRuntimeUtility.cs: the panel that gets the pointer's events first is the last one. Of the
    /// same order, it is the one that was created last (SortPanels).</summary>
    internal static class UIElementsRuntimeUtility
    {
        internal static List<Panel> GetSortedPlayerPanels()
        {
            return Panel.Created.Where(one => !one.disposed).OrderBy(one => one.Document.panelSettings.sortingOrder)
                .ToList();
        }
    }

    public static class RuntimePanelUtils
    {
        /// <summary>From pixels that count from the top of the screen.</summary>
        public static Vector2 ScreenToPanel(IPanel panel, Vector2 screenPosition)
        {
            var scale = ((Panel)panel).Scale;
            return new Vector2(screenPosition.x / scale, screenPosition.y / scale);
        }
    }

    internal sealed class Panel : IPanel
    {
        public static readonly List<Panel> Created = new List<Panel>();

        /// <summary>PointerDeviceState: of all panels.</summary>
        public static int Pressed;

        public readonly IPanelComponent Document;
        public readonly float Scale;
        public VisualElement Captured, ClickTarget, Over;

        public static void Load(IPanelComponent document, float scale)
        {
            document.rootVisualElement = new VisualElement { pickingMode = PickingMode.Ignore };
            document.rootVisualElement.Area = new Rect(0, 0, Screen.ViewWidth / scale, Screen.ViewHeight / scale);
            new Panel(document, scale).visualTree.Add(document.rootVisualElement);
        }

        private Panel(IPanelComponent document, float scale)
        {
            Created.RemoveAll(one => ReferenceEquals(one.Document, document));
            Created.Add(this);
            Document = document;
            Scale = scale;
            visualTree = new VisualElement { pickingMode = PickingMode.Ignore, Own = this };
            visualTree.Area = new Rect(0, 0, Screen.ViewWidth / scale, Screen.ViewHeight / scale);
            // What Unity itself registers on the root.
            visualTree.Register(typeof(PointerDownEvent), evt => { });
        }

        public VisualElement visualTree { get; private set; }

        /// <summary>With the last document that it shows (PanelSettings.DetachUIDocument).</summary>
        internal bool disposed { get { return !Document.IsOn; } }

        public VisualElement Pick(Vector2 point)
        {
            Native.RequireMainThread("IPanel.Pick");
            return Pick(visualTree, point);
        }

        // Panel.PerformPick: depth first, the last child first. An element that is switched off is picked all the same.
        private static VisualElement Pick(VisualElement element, Vector2 point)
        {
            if (element.resolvedStyle.display == DisplayStyle.None) return null;
            var isInside = element.worldBound.Contains(point);
            if (!isInside && element.Clips) return null;
            for (var i = element.hierarchy.childCount - 1; i >= 0; i--)
            {
                var below = Pick(element.hierarchy[i], point);
                if (below != null) return below;
            }
            return isInside && element.visible && element.pickingMode == PickingMode.Position ? element : null;
        }

        internal void Dispatch(EventBase evt)
        {
            // "All kinds of exceptions" (EventDispatcher.ProcessEvent, 6000.5).
            if (disposed) Native.Editor.Say("VIOLATION an event for a panel that was disposed of");
            var pointer = evt as IPointed;
            var target = evt.Target ?? Captured ?? (pointer == null ? null : Pick(pointer.At));
            if (evt is PointerMoveEvent) Over = pointer.At.x < 0 ? null : target;
            if (evt is PointerDownEvent) { Pressed++; ClickTarget = target; }
            if (evt is PointerUpEvent) Pressed--;
            if (target != null) target.Propagate(evt);
            // ClickDetector.SendClickEvent: to what both have in common, if the pointer is on it still.
            if (evt is PointerUpEvent && target != null && ClickTarget != null && target.panel == this
                && ClickTarget.panel == this)
            {
                var under = Pick(pointer.At);
                if (under != null && (target == under || target.Contains(under)))
                {
                    using (var click = new ClickEvent { Target = ClickTarget.Contains(target) ? ClickTarget : target })
                    {
                        Dispatch(click);
                    }
                }
            }
            if (evt is PointerDownEvent && target != null && target.panel == this) target.TakeFocus();
        }
    }

    internal interface IPointed
    {
        Vector2 At { get; }
    }

    /// <summary>From a pool: once it is disposed of it says nothing of what became of it.</summary>
    public abstract class EventBase : IDisposable
    {
        private bool _isDisposed, _isStopped;

        internal VisualElement Target;

        public bool isPropagationStopped
        {
            get
            {
                if (_isDisposed) Native.Editor.Say("VIOLATION an event is read after it went back to its pool");
                return _isStopped;
            }
        }

        public void StopImmediatePropagation() { _isStopped = true; }

        public void Dispose() { _isDisposed = true; }
    }

    public abstract class PointerEventBase<T> : EventBase, IPointed where T : PointerEventBase<T>, new()
    {
        private Vector2 _at;

        Vector2 IPointed.At { get { return _at; } }

        /// <summary>Of an IMGUI event whose position is that of the panel (PointerEvents.cs, GetPooled).</summary>
        public static T GetPooled(Event systemEvent)
        {
            if (systemEvent.type != EventType.MouseDown && systemEvent.type != EventType.MouseUp
                && systemEvent.type != EventType.MouseMove)
            {
                Native.Editor.Say("VIOLATION Unexpected event type: " + systemEvent.type);
            }
            var made = new T();
            made._at = systemEvent.mousePosition;
            return made;
        }
    }

    public sealed class PointerDownEvent : PointerEventBase<PointerDownEvent> { }

    public sealed class PointerUpEvent : PointerEventBase<PointerUpEvent> { }

    public sealed class PointerMoveEvent : PointerEventBase<PointerMoveEvent> { }

    public sealed class ClickEvent : PointerEventBase<ClickEvent> { }

    public enum Position { Relative, Absolute }

    /// <summary>Numbers, where Unity has lengths that numbers convert to.</summary>
    public sealed class Style
    {
        public Position position { get; set; }
        public float left { get; set; }
        public float top { get; set; }
        public float width { get; set; }
        public float height { get; set; }
    }

    public sealed class ResolvedStyle
    {
        public DisplayStyle display { get; internal set; }
    }

    public class VisualElement
    {
        private readonly List<VisualElement> _children = new List<VisualElement>();
        private readonly Dictionary<Type, Action<EventBase>> _callbacks = new Dictionary<Type, Action<EventBase>>();
        private VisualElement _above;
        private bool _isOff;

        private Rect _given;

        internal bool Clips;
        internal Panel Own;

        /// <summary>As a line of the world gives it; else where its style puts it.</summary>
        internal Rect Area
        {
            get { return style.width > 0 ? new Rect(style.left, style.top, style.width, style.height) : _given; }
            set { _given = value; }
        }

        public Style style { get; } = new Style();

        public struct Hierarchy
        {
            private readonly VisualElement _owner;

            internal Hierarchy(VisualElement owner) { _owner = owner; }

            public VisualElement parent { get { return _owner._above; } }
            public int childCount { get { return _owner._children.Count; } }
            public VisualElement this[int key] { get { return _owner._children[key]; } }

            public int IndexOf(VisualElement element) { return _owner._children.IndexOf(element); }
        }

        public string name { get; set; } = "";
        public bool focusable { get; set; }
        public bool visible { get; set; } = true;
        public PickingMode pickingMode { get; set; }
        public ResolvedStyle resolvedStyle { get; } = new ResolvedStyle();
        public Hierarchy hierarchy { get { return new Hierarchy(this); } }
        public Rect worldBound { get { return Area; } }
        public bool enabledInHierarchy { get { return !_isOff && (_above == null || _above.enabledInHierarchy); } }
        public IPanel panel
        {
            get
            {
                var top = this;
                while (top._above != null) top = top._above;
                // A document that is switched off takes its elements out of the panel.
                return top.Own == null || (top != this && top.Own.disposed) ? null : top.Own;
            }
        }

        // VisualElement.worldClip, internal in each version.
        internal Rect worldClip
        {
            get
            {
                var clip = _above == null ? Area : _above.worldClip;
                if (!Clips) return clip;
                var x = Math.Max(clip.xMin, Area.xMin);
                var y = Math.Max(clip.yMin, Area.yMin);
                return new Rect(x, y, Math.Max(0, Math.Min(clip.xMax, Area.xMax) - x),
                    Math.Max(0, Math.Min(clip.yMax, Area.yMax) - y));
            }
        }

        public void SetEnabled(bool value) { _isOff = !value; }

        public void Add(VisualElement child)
        {
            child._above = this;
            _children.Add(child);
        }

        public void RemoveFromHierarchy()
        {
            _above._children.Remove(this);
            _above = null;
        }

        public bool Contains(VisualElement child)
        {
            for (; child != null; child = child._above) if (child == this) return true;
            return false;
        }

        public bool HasBubbleUpHandlers() { return _callbacks.Count > 0; }

        public bool HasTrickleDownHandlers() { return false; }

        public void SendEvent(EventBase e)
        {
            Native.RequireMainThread("VisualElement.SendEvent");
            if (panel != null) ((Panel)panel).Dispatch(e);
        }

        public void Blur() { World.React("blur " + World.IdOf(this)); }

        internal void Register(Type kind, Action<EventBase> callback) { _callbacks[kind] = callback; }

        // Disabled elements get no pointer events, and those above them do (EventPropagation.SkipDisabledElements).
        // What a handler throws leaves SendEvent: EventDispatcher.cs catches an ExitGUIException only (2021.3 to
        // 6000.7: nothing else in Core/Events does).
        internal void Propagate(EventBase evt)
        {
            for (var at = this; at != null && !evt.isPropagationStopped; at = at._above)
            {
                Action<EventBase> callback;
                if (!at.enabledInHierarchy || !at._callbacks.TryGetValue(evt.GetType(), out callback)) continue;
                callback(evt);
            }
        }

        internal virtual void TakeFocus()
        {
            for (var at = this; at != null; at = at._above)
            {
                if (at.focusable && at.enabledInHierarchy) { Native.Editor.Say("focused " + World.IdOf(at)); return; }
            }
        }

        /// <summary>Clickable: it stops the press and captures the pointer, and the release on it counts.</summary>
        internal void MakeClickable(Action clicked)
        {
            Register(typeof(PointerDownEvent), evt =>
            {
                ((Panel)panel).Captured = this;
                evt.StopImmediatePropagation();
            });
            Register(typeof(PointerUpEvent), evt =>
            {
                var own = (Panel)panel;
                if (own.Captured != this) return;
                own.Captured = null;
                evt.StopImmediatePropagation();
                var under = own.Pick(((IPointed)evt).At);
                if (under != null && Contains(under)) clicked();
            });
        }
    }

    public class TextElement : VisualElement
    {
        public string text { get; set; } = "";
    }

    public class Label : TextElement { }

    public class Button : TextElement
    {
        public Button() : this(() => { })
        {
        }

        public Button(Action clickEvent)
        {
            focusable = true;
            MakeClickable(() =>
            {
                World.Used(this, "clicked");
                clickEvent();
            });
        }
    }

    public abstract class BaseField<TValueType> : VisualElement
    {
        private TValueType _value;

        protected BaseField()
        {
            focusable = true;
        }

        // Null at first: Mono 6 crashes in the second domain that runs a lambda in the constructor of a generic class.
        internal Action<ChangeEvent<TValueType>> Changed;

        public string label { get; set; } = "";

        /// <summary>Sends a ChangeEvent if it is another one.</summary>
        public virtual TValueType value
        {
            get { return _value; }
            set
            {
                if (Equals(_value, value)) return;
                _value = value;
                World.Used(this, "changed " + value);
                if (Changed != null) Changed(new ChangeEvent<TValueType> { newValue = value });
            }
        }
    }

    public sealed class ChangeEvent<T>
    {
        public T newValue { get; internal set; }
    }

    public static class INotifyValueChangedExtensions
    {
        public static void RegisterValueChangedCallback<T>(this BaseField<T> control, Action<ChangeEvent<T>> callback)
        {
            control.Changed += callback;
        }
    }

    public class Toggle : BaseField<bool>
    {
        public Toggle()
        {
            MakeClickable(() => value = !value);
        }
    }

    /// <summary>The part of it that takes the focus is an element of its own (TextInputFieldBase.cs).</summary>
    public abstract class TextInputBaseField<TValueType> : BaseField<TValueType>
    {
        protected TextInputBaseField()
        {
            Add(new TextElement { name = "unity-text-input", focusable = true, pickingMode = PickingMode.Ignore });
        }

        public bool isReadOnly { get; set; }
    }

    public class TextField : TextInputBaseField<string> { }

    public class IntegerField : TextInputBaseField<int> { }

    public class ScrollView : VisualElement
    {
        public ScrollView()
        {
            // Unity registers handlers of its own on it.
            Register(typeof(PointerDownEvent), evt => { });
        }
    }

    public class Scroller : VisualElement { }
}
