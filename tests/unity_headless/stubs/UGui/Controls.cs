using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine.EventSystems;

// com.unity.ugui 2.5.0, Runtime/UI/Core.
namespace UnityEngine.UI
{
    public abstract class Graphic : UIBehaviour
    {
        public bool raycastTarget { get; set; } = true;

        internal RectTransform Rect { get { return Owner.Own as RectTransform; } }

        /// <summary>The place in which its Canvas draws it; -1 if that does not.</summary>
        public int depth
        {
            get
            {
                var canvas = CanvasOf(Owner);
                return canvas == null || !canvas.isActiveAndEnabled || !isActiveAndEnabled
                    ? -1
                    : Below(canvas.rootCanvas.Owner).ToList().IndexOf(this);
            }
        }

        internal static Canvas CanvasOf(GameObject target)
        {
            for (var at = target.Own; !ReferenceEquals(at, null); at = at.Above)
            {
                var canvas = at.Owner.Components.OfType<Canvas>().FirstOrDefault();
                if (!ReferenceEquals(canvas, null)) return canvas;
            }
            return null;
        }

        internal static IEnumerable<Graphic> Below(GameObject top)
        {
            return top.Components.OfType<Graphic>()
                .Concat(top.Own.Children.ToList().SelectMany(child => Below(child.Owner)));
        }

        // Graphic.Raycast: masks and groups above it let no position through that they do not cover or block.
        internal bool Raycast(Vector2 position, Camera camera)
        {
            var ignoresGroups = false;
            for (var at = Owner.Own; !ReferenceEquals(at, null); at = at.Above)
            {
                var isOwnCanvas = false;
                foreach (var component in at.Owner.Components.OfType<Behaviour>())
                {
                    var group = component as CanvasGroup;
                    isOwnCanvas |= component is Canvas && ((Canvas)component).overrideSorting;
                    if (!ReferenceEquals(group, null) && group.enabled && !ignoresGroups)
                    {
                        ignoresGroups = group.ignoreParentGroups;
                        if (!group.blocksRaycasts) return false;
                    }
                    if ((component is Mask || component is RectMask2D) && component.isActiveAndEnabled
                        && !RectTransformUtility.RectangleContainsScreenPoint(
                            (RectTransform)at, position, camera)) return false;
                }
                if (isOwnCanvas) break;
            }
            return true;
        }
    }

    public class Image : Graphic { }

    public class Text : Graphic
    {
        public string text { get; set; } = "";
        public Font font { get; set; }
    }

    public class Mask : UIBehaviour { }

    public class RectMask2D : UIBehaviour { }

    /// <summary>GraphicRaycaster.Raycast, without what lies in front of a Canvas of the world.</summary>
    public class GraphicRaycaster : BaseRaycaster
    {
        private Canvas Own { get { return Owner.Components.OfType<Canvas>().FirstOrDefault(); } }

        private bool IsOverlay { get { return Own.renderMode == RenderMode.ScreenSpaceOverlay; } }

        public override int sortOrderPriority { get { return IsOverlay ? Own.sortingOrder : base.sortOrderPriority; } }

        public override int renderOrderPriority
        {
            get
            {
                return IsOverlay ? World.Everything().ToList().IndexOf(Own.rootCanvas.Owner) : base.renderOrderPriority;
            }
        }

        public override Camera eventCamera
        {
            get
            {
                return IsOverlay || (Own.renderMode == RenderMode.ScreenSpaceCamera && Own.worldCamera == null)
                    ? null
                    : Own.worldCamera ?? Camera.main;
            }
        }

        public override void Raycast(PointerEventData eventData, List<RaycastResult> resultAppendList)
        {
            if (Own == null) return;
            var camera = eventCamera;
            if ((camera == null ? Own.targetDisplay : camera.targetDisplay) != Display.activeEditorGameViewTarget)
            {
                return;
            }
            var position = eventData.position;
            if (position.x < 0 || position.x > Screen.width || position.y < 0 || position.y > Screen.height) return;
            var hit = Graphic.Below(Owner)
                .Where(one => Graphic.CanvasOf(one.Owner) == Own && one.raycastTarget && one.depth != -1
                && RectTransformUtility.RectangleContainsScreenPoint(one.Rect, position, camera)
                && one.Raycast(position, camera)).OrderByDescending(one => one.depth);
            foreach (var graphic in hit)
            {
                var index = resultAppendList.Count;
                resultAppendList.Add(new RaycastResult { gameObject = graphic.Owner, module = this,
                    depth = graphic.depth, index = index, sortingOrder = Own.sortingOrder });
            }
        }
    }

    /// <summary>A press selects it; the press of one that is off does nothing (Selectable.OnPointerDown).</summary>
    public class Selectable : UIBehaviour, IPointerDownHandler, IPointerUpHandler, IPointerEnterHandler,
    IPointerExitHandler, ISelectHandler, IDeselectHandler
    {
        private bool _isDown, _isInside;

        public bool interactable { get; set; } = true;

        public virtual bool IsInteractable()
        {
            for (var at = Owner.Own; !ReferenceEquals(at, null); at = at.Above)
            {
                foreach (var group in at.Owner.Components.OfType<CanvasGroup>())
                {
                    if (group.enabled && !group.interactable) return false;
                    if (group.ignoreParentGroups) return interactable;
                }
            }
            return interactable;
        }

        public virtual void OnPointerDown(PointerEventData eventData)
        {
            if (eventData.button != PointerEventData.InputButton.Left) return;
            if (IsInteractable() && EventSystem.current != null)
            {
                EventSystem.current.SetSelectedGameObject(gameObject, eventData);
            }
            _isDown = true;
            World.Pressed(this);
        }

        public virtual void OnPointerUp(PointerEventData eventData) { _isDown = false; }

        public virtual void OnPointerEnter(PointerEventData eventData) { _isInside = true; }

        public virtual void OnPointerExit(PointerEventData eventData) { _isInside = false; }

        public virtual void OnSelect(BaseEventData eventData) { }

        public virtual void OnDeselect(BaseEventData eventData) { }

        internal override void InFrame()
        {
            if (_isDown || _isInside) Native.Editor.Say("VIOLATION a pointer is still on " + World.IdOf(this));
        }
    }

    public class Button : Selectable, IPointerClickHandler
    {
        public sealed class ButtonClickedEvent
        {
            internal UnityEngine.Events.UnityAction Heard = () => { };

            public void AddListener(UnityEngine.Events.UnityAction call) { Heard += call; }
        }

        public ButtonClickedEvent onClick { get; } = new ButtonClickedEvent();

        public virtual void OnPointerClick(PointerEventData eventData)
        {
            if (!IsActive() || !IsInteractable()) return;
            World.Used(this, "clicked");
            onClick.Heard();
        }
    }

    public class Toggle : Selectable, IPointerClickHandler
    {
        public bool isOn { get; set; }

        public virtual void OnPointerClick(PointerEventData eventData)
        {
            if (!IsActive() || !IsInteractable()) return;
            isOn = !isOn;
            World.Used(this, "switched " + (isOn ? "on" : "off"));
        }
    }

    public class StringEvent
    {
        private UnityEngine.Events.UnityAction<string> _heard = text => { };

        public void AddListener(UnityEngine.Events.UnityAction<string> call) { _heard += call; }

        public void Invoke(string arg0) { _heard(arg0); }
    }

    /// <summary>What InputField and TMP_InputField do alike, which have no such base. A click activates it in the next
    /// frame, and it takes input until it is deselected (InputField.LateUpdate, OnDeselect).</summary>
    public abstract class TypedField : Selectable, IPointerClickHandler
    {
        private string _text = "";
        private bool _activates;

        protected TypedField()
        {
            onEndEdit.AddListener(text => World.Used(this, "ended " + text));
        }

        public StringEvent onEndEdit { get; } = new StringEvent();
        public Text textComponent { get; set; }
        public bool readOnly { get; set; }
        public bool isFocused { get; private set; }
        public int characterLimit { get; set; }

        public string text
        {
            get { return _text; }
            set
            {
                var taken = (value ?? "").Replace("\n", "");
                taken = characterLimit > 0 && taken.Length > characterLimit
                    ? taken.Substring(0, characterLimit)
                    : taken;
                if (taken == _text) return;
                _text = taken;
                World.Used(this, "changed " + _text);
            }
        }

        public virtual void OnPointerClick(PointerEventData eventData) { _activates = IsActive() && IsInteractable(); }

        public override void OnDeselect(BaseEventData eventData)
        {
            if (!isFocused) return;
            isFocused = false;
            onEndEdit.Invoke(_text);
        }

        internal override void InFrame()
        {
            base.InFrame();
            if (_activates && !Native.Editor.Quirk("no-focus")) isFocused = true;
            _activates = false;
        }
    }

    public class InputField : TypedField { }

    public class Slider : Selectable { }
}

namespace TMPro
{
    public abstract class TMP_Text : UnityEngine.UI.Graphic
    {
        public string text { get; set; } = "";
    }

    public class TextMeshProUGUI : TMP_Text { }

    public class TMP_InputField : UnityEngine.UI.TypedField { }
}

namespace UnityEngine.UIElements
{
    /// <summary>Stands for a whole panel in the results of the EventSystem: above each Canvas of the same
    /// order.</summary>
    public class PanelRaycaster : BaseRaycaster
    {
        public override Camera eventCamera { get { return null; } }
        public override int sortOrderPriority { get { return 0; } }
        public override int renderOrderPriority { get { return int.MaxValue; } }

        public override void Raycast(PointerEventData eventData, List<RaycastResult> resultAppendList)
        {
            resultAppendList.Add(new RaycastResult { gameObject = Owner, module = this,
                index = resultAppendList.Count });
        }
    }
}
