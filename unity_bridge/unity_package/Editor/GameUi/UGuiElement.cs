using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>An object of a Canvas. Its events come in the order of StandaloneInputModule.ProcessMousePress and
    /// ReleaseMouse (com.unity.ugui 1.0.0 to 2.5.0), press and release in one update, so that nothing stays pressed.
    /// Main thread.</summary>
    internal sealed class UGuiElement : UiElement
    {
        // A label is on one of the first objects below its control.
        private const int MostSearched = 200;

        private readonly UGui _ugui;
        private readonly GameObject _object;
        private readonly Component _control;

        public UGuiElement(UGui ugui, GameObject target, string path) : base(path)
        {
            _ugui = ugui;
            _object = target;
            _control = ugui.ControlOf(target);
        }

        public override string Kind =>
            IsText ? "Text" : (_control != null ? _control : (object)Drawn(_object) ?? _object).GetType().Name;

        public override string Label => _object == null ? "" : TextBelow(_object.transform) ?? _object.name;

        public override bool IsAlive => _object != null && _object.activeInHierarchy;

        public override bool IsInteractable => _control != null && _ugui.IsInteractable(_control);

        /// <summary>Its Selectable or handler; null for an object that only shows something.</summary>
        public Component Control => _control;

        // The text of a control is its label, and not listed again.
        public override bool IsText => _control == null && _object != null && TextOf(_object) != null && !IsInControl();

        public override bool IsOf(string kind) =>
            _control != null
            ? IsNamed(_control.GetType(), kind)
            : IsText && kind.EqualsAnyCase("Text");

        /// <summary>What is on top, if that is of uGUI and no panel of UI Toolkit with this order lies above
        /// it.</summary>
        public static UiHit At(GameScreen screen, Vector2 position, float? panelOrder)
        {
            var ugui = UGui.OfProject;
            var eventSystem = ugui?.CurrentEventSystem;
            if (eventSystem == null)
            {
                return null;
            }
            var hit = ugui.RaycastAll(eventSystem, ugui.PointerAt(eventSystem, position), screen.Display)
                .Find(entry => !entry.IsPanel);
            // A panel is above a Canvas with the same number: its renderOrderPriority is close to the greatest there is
            // (PanelRaycaster).
            if (hit == null || panelOrder >= hit.SortOrder)
            {
                return null;
            }
            var click = ugui.HandlerOf("PointerClick", hit.Object);
            var press = ugui.HandlerOf("PointerDown", hit.Object);
            // A slider within a card that can be clicked as a whole.
            var isOwn = click != null && press != null && press.transform.IsChildOf(click.transform)
                && press.GetComponent(ugui.Selectable) != null;
            var control = (isOwn ? press : click ?? press) ?? hit.Object;
            return new UiHit(new UGuiElement(ugui, control, ObjectPath.PathOf(control.transform)),
                position) { UGui = hit };
        }

        public override Rect AreaOn(GameScreen screen)
        {
            if (!IsAlive || !(_object.transform is RectTransform own))
            {
                return Rect.zero;
            }
            var canvas = CanvasOf(own);
            if (canvas == null || !canvas.isActiveAndEnabled)
            {
                return Rect.zero;
            }
            canvas = canvas.rootCanvas;
            var camera = CameraOf(canvas);
            if (camera == null
                ? canvas.targetDisplay != screen.Display
                : camera.targetDisplay != screen.Display || camera.targetTexture != null)
            {
                return Rect.zero;
            }
            var area = Common(screen.All, AreaOf(own, camera));
            for (var above = own.parent; above != null && !IsEmpty(area); above = above.parent)
            {
                if (above is RectTransform mask && IsMask(above.gameObject))
                {
                    area = Common(area, AreaOf(mask, camera));
                }
            }
            return area;
        }

        public override bool IsHitBy(UiHit hit) => hit.UGui != null && _object != null
            && (hit.UGui.Object.transform.IsChildOf(_object.transform)
                || (hit.Element is UGuiElement other && other._object == _object));

        public override bool? Click(UiHit hit, GameScreen screen)
        {
            var eventSystem = _ugui.CurrentEventSystem;
            var over = hit.UGui.Object;
            var pointer = _ugui.PointerAt(eventSystem, hit.Position);
            var entered = new List<GameObject>();
            GameObject pressed = null;
            GameObject clicked = null;
            var isHandled = false;
            Prepare(pointer, hit);
            try
            {
                for (var above = over.transform; above != null; above = above.parent)
                {
                    entered.Add(above.gameObject);
                }
                entered.ForEach(target => _ugui.Execute("PointerEnter", target, pointer));
                DeselectOthers(eventSystem, over, pointer);
                // As ExecuteEvents.ExecuteHierarchy, which throws if the handler destroys its object at once.
                pressed = entered.Find(target => _ugui.Execute("PointerDown", target, pointer));
                clicked = _ugui.HandlerOf("PointerClick", over);
                // Also by one that destroyed itself in its handler.
                isHandled = !ReferenceEquals(pressed, null) || clicked != null;
                pressed = pressed == null ? clicked : pressed;
                UGui.Set(pointer, "pointerPress", pressed);
                UGui.Set(pointer, "rawPointerPress", over);
                UGui.Set(pointer, "pointerClick", clicked);
                var dragged = _ugui.HandlerOf("Drag", over);
                UGui.Set(pointer, "pointerDrag", dragged);
                _ugui.Execute("InitializePotentialDrag", dragged, pointer);
            }
            finally
            {
                // Whatever the press did: objects that it destroyed get nothing any more.
                _ugui.Execute("PointerUp", pressed, pointer);
                if (clicked != null && _ugui.HandlerOf("PointerClick", over) == clicked)
                {
                    _ugui.Execute("PointerClick", clicked, pointer);
                }
                entered.ForEach(target => _ugui.Execute("PointerExit", target, pointer));
            }
            return isHandled;
        }

        private static void Prepare(object pointer, UiHit hit)
        {
            UGui.Set(pointer, "pointerCurrentRaycast", hit.UGui.Result);
            UGui.Set(pointer, "pointerPressRaycast", hit.UGui.Result);
            UGui.Set(pointer, "pressPosition", hit.Position);
            UGui.Set(pointer, "pointerEnter", hit.UGui.Object);
            UGui.Set(pointer, "eligibleForClick", true);
            UGui.Set(pointer, "useDragThreshold", true);
            UGui.Set(pointer, "clickCount", 1);
            UGui.Set(pointer, "clickTime", Time.unscaledTime);
        }

        // PointerInputModule.DeselectIfSelectionChanged.
        private void DeselectOthers(UnityEngine.Object eventSystem, GameObject over, object pointer)
        {
            if (_ugui.HandlerOf("Select", over) != Members.Get(eventSystem, "currentSelectedGameObject") as GameObject)
            {
                UGui.Call(eventSystem, "SetSelectedGameObject", null, pointer);
            }
        }

        private static Component Drawn(GameObject target) => target == null ? null
            : Array.Find(target.GetComponents(typeof(Component)),
                component => component != null && UGui.OfProject.Graphic.IsInstanceOfType(component));

        private static Canvas CanvasOf(Transform target)
        {
            for (; target != null; target = target.parent)
            {
                if (target.gameObject.GetComponent(typeof(Canvas)) is Canvas canvas && canvas != null)
                {
                    return canvas;
                }
            }
            return null;
        }

        // GraphicRaycaster.eventCamera.
        private static Camera CameraOf(Canvas canvas)
        {
            if (canvas.renderMode == RenderMode.ScreenSpaceOverlay
                || (canvas.renderMode == RenderMode.ScreenSpaceCamera && canvas.worldCamera == null))
            {
                return null;
            }
            return canvas.worldCamera != null ? canvas.worldCamera : Camera.main;
        }

        private static Rect AreaOf(RectTransform target, Camera camera)
        {
            var corners = new Vector3[4];
            target.GetWorldCorners(corners);
            if (camera != null)
            {
                for (var i = 0; i < corners.Length; i++)
                {
                    corners[i] = camera.WorldToScreenPoint(corners[i]);
                    if (corners[i].z < 0)
                    {
                        // Behind the camera.
                        return Rect.zero;
                    }
                }
            }
            return Rect.MinMaxRect(corners.Min(corner => corner.x), corners.Min(corner => corner.y),
                corners.Max(corner => corner.x),
                corners.Max(corner => corner.y));
        }

        private static bool IsMask(GameObject target) => Array.Exists(target.GetComponents(typeof(Component)),
            component => component != null && component is Behaviour { isActiveAndEnabled: true }
                && (IsNamed(component.GetType(), "UnityEngine.UI.Mask")
                    || IsNamed(component.GetType(), "UnityEngine.UI.RectMask2D")));

        private bool IsInControl()
        {
            for (var above = _object.transform.parent; above != null; above = above.parent)
            {
                if (_ugui.ControlOf(above.gameObject) != null)
                {
                    return true;
                }
            }
            return false;
        }

        // Of uGUI and of TextMesh Pro; null for none.
        private static string TextOf(GameObject target)
        {
            foreach (var one in target.GetComponents(typeof(Component)))
            {
                if (one != null && (IsNamed(one.GetType(), "UnityEngine.UI.Text")
                    || IsNamed(one.GetType(), "TMPro.TMP_Text"))
                    && Members.Get(one, "text") is string text && text.Trim().Length > 0)
                {
                    return text.Trim();
                }
            }
            return null;
        }

        // A hidden caption says nothing.
        private static string TextBelow(Transform top)
        {
            var next = new Queue<Transform>(new[] { top });
            for (var i = 0; i < MostSearched && next.Count > 0; i++)
            {
                var at = next.Dequeue();
                if (!at.gameObject.activeInHierarchy)
                {
                    continue;
                }
                if (TextOf(at.gameObject) is { } text)
                {
                    return text;
                }
                for (var child = 0; child < at.childCount; child++)
                {
                    next.Enqueue(at.GetChild(child));
                }
            }
            return null;
        }
    }
}
