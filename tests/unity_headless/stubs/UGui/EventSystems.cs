using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine.UI;

// com.unity.ugui 2.5.0 (Unity 6000.5) and 1.0.0, Runtime/EventSystem: what a pointer meets, and in which order its
// events come.
namespace UnityEngine.EventSystems
{
    public interface IEventSystemHandler { }
    public interface IPointerEnterHandler : IEventSystemHandler { void OnPointerEnter(PointerEventData eventData); }
    public interface IPointerExitHandler : IEventSystemHandler { void OnPointerExit(PointerEventData eventData); }
    public interface IPointerDownHandler : IEventSystemHandler { void OnPointerDown(PointerEventData eventData); }
    public interface IPointerUpHandler : IEventSystemHandler { void OnPointerUp(PointerEventData eventData); }
    public interface IPointerClickHandler : IEventSystemHandler { void OnPointerClick(PointerEventData eventData); }
    public interface IInitializePotentialDragHandler : IEventSystemHandler
    {
        void OnInitializePotentialDrag(PointerEventData eventData);
    }
    public interface IDragHandler : IEventSystemHandler { void OnDrag(PointerEventData eventData); }
    public interface ISelectHandler : IEventSystemHandler { void OnSelect(BaseEventData eventData); }
    public interface IDeselectHandler : IEventSystemHandler { void OnDeselect(BaseEventData eventData); }

    public abstract class UIBehaviour : MonoBehaviour
    {
        public virtual bool IsActive() { return isActiveAndEnabled; }
    }

    public class BaseEventData
    {
        private readonly EventSystem _eventSystem;

        public BaseEventData(EventSystem eventSystem) { _eventSystem = eventSystem; }

        public bool used { get; private set; }

        public void Use() { used = true; }
    }

    public class PointerEventData : BaseEventData
    {
        public enum InputButton { Left, Right, Middle }

        private GameObject _pressed;

        public PointerEventData(EventSystem eventSystem) : base(eventSystem) { }

        public GameObject pointerEnter { get; set; }
        public GameObject lastPress { get; private set; }
        public GameObject rawPointerPress { get; set; }
        public GameObject pointerDrag { get; set; }
        public GameObject pointerClick { get; set; }
        public RaycastResult pointerCurrentRaycast { get; set; }
        public RaycastResult pointerPressRaycast { get; set; }
        public bool eligibleForClick { get; set; }
        public int displayIndex { get; set; }
        public int pointerId { get; set; }
        public Vector2 position { get; set; }
        public Vector2 pressPosition { get; set; }
        public float clickTime { get; set; }
        public int clickCount { get; set; }
        public bool useDragThreshold { get; set; }
        public InputButton button { get; set; }

        public GameObject pointerPress
        {
            get { return _pressed; }
            set { lastPress = _pressed; _pressed = value; }
        }
    }

    public class StandaloneInputModule : UIBehaviour { }

    public struct RaycastResult
    {
        public GameObject gameObject { get; set; }
        public BaseRaycaster module;
        public float distance;
        public float index;
        public int depth;
        public int sortingOrder;
    }

    public abstract class BaseRaycaster : UIBehaviour
    {
        public abstract void Raycast(PointerEventData eventData, List<RaycastResult> resultAppendList);
        public abstract Camera eventCamera { get; }
        public virtual int sortOrderPriority { get { return int.MinValue; } }
        public virtual int renderOrderPriority { get { return int.MinValue; } }
    }

    public sealed class EventSystem : UIBehaviour
    {
        private bool _selecting;

        /// <summary>The first that was enabled; null without one.</summary>
        public static EventSystem current
        {
            get
            {
                return World.Everything().SelectMany(one => one.Components).OfType<EventSystem>()
                    .FirstOrDefault(one => one.isActiveAndEnabled);
            }
        }

        public GameObject currentSelectedGameObject { get; private set; }

        public void SetSelectedGameObject(GameObject selected)
        {
            SetSelectedGameObject(selected, new BaseEventData(this));
        }

        public void SetSelectedGameObject(GameObject selected, BaseEventData pointer)
        {
            if (_selecting)
            {
                Debug.LogError("Attempting to select " + selected + "while already selecting an object.");
                return;
            }
            if (selected == currentSelectedGameObject) return;
            _selecting = true;
            ExecuteEvents.Execute(currentSelectedGameObject, pointer, ExecuteEvents.deselectHandler);
            currentSelectedGameObject = selected;
            ExecuteEvents.Execute(currentSelectedGameObject, pointer, ExecuteEvents.selectHandler);
            _selecting = false;
        }

        public void RaycastAll(PointerEventData eventData, List<RaycastResult> raycastResults)
        {
            Native.RequireMainThread("EventSystem.RaycastAll");
            raycastResults.Clear();
            foreach (var module in World.Everything().SelectMany(one => one.Components).OfType<BaseRaycaster>()
                .Where(one => one.IsActive()).ToList())
            {
                module.Raycast(eventData, raycastResults);
            }
            raycastResults.Sort(Compare);
        }

        // RaycastComparer, without sorting layers and groups.
        private static int Compare(RaycastResult lhs, RaycastResult rhs)
        {
            if (lhs.module != rhs.module)
            {
                var left = lhs.module.eventCamera;
                var right = rhs.module.eventCamera;
                if (left != null && right != null && left.depth != right.depth)
                {
                    return left.depth < right.depth ? 1 : -1;
                }
                if (lhs.module.sortOrderPriority != rhs.module.sortOrderPriority)
                {
                    return rhs.module.sortOrderPriority.CompareTo(lhs.module.sortOrderPriority);
                }
                if (lhs.module.renderOrderPriority != rhs.module.renderOrderPriority)
                {
                    return rhs.module.renderOrderPriority.CompareTo(lhs.module.renderOrderPriority);
                }
            }
            if (lhs.sortingOrder != rhs.sortingOrder) return rhs.sortingOrder.CompareTo(lhs.sortingOrder);
            if (lhs.depth != rhs.depth && lhs.module == rhs.module) return rhs.depth.CompareTo(lhs.depth);
            if (lhs.distance != rhs.distance) return lhs.distance.CompareTo(rhs.distance);
            return lhs.index.CompareTo(rhs.index);
        }
    }

    /// <summary>An exception of a handler is logged, and the next one is called (ExecuteEvents.Execute).</summary>
    public static class ExecuteEvents
    {
        public delegate void EventFunction<T1>(T1 handler, BaseEventData eventData);

        public static EventFunction<IPointerEnterHandler> pointerEnterHandler
        {
            get { return (handler, data) => handler.OnPointerEnter((PointerEventData)data); }
        }
        public static EventFunction<IPointerExitHandler> pointerExitHandler
        {
            get { return (handler, data) => handler.OnPointerExit((PointerEventData)data); }
        }
        public static EventFunction<IPointerDownHandler> pointerDownHandler
        {
            get { return (handler, data) => handler.OnPointerDown((PointerEventData)data); }
        }
        public static EventFunction<IPointerUpHandler> pointerUpHandler
        {
            get { return (handler, data) => handler.OnPointerUp((PointerEventData)data); }
        }
        public static EventFunction<IPointerClickHandler> pointerClickHandler
        {
            get { return (handler, data) => handler.OnPointerClick((PointerEventData)data); }
        }
        public static EventFunction<IInitializePotentialDragHandler> initializePotentialDrag
        {
            get { return (handler, data) => handler.OnInitializePotentialDrag((PointerEventData)data); }
        }

        public static EventFunction<ISelectHandler> selectHandler
        {
            get { return (handler, data) => handler.OnSelect(data); }
        }
        public static EventFunction<IDeselectHandler> deselectHandler
        {
            get { return (handler, data) => handler.OnDeselect(data); }
        }

        // Overloads of the same name that take no type, as Unity has them.
        private static void Execute(IPointerDownHandler handler, BaseEventData eventData) { }

        public static bool Execute<T>(GameObject target, BaseEventData eventData, EventFunction<T> functor)
            where T : IEventSystemHandler
        {
            var handlers = HandlersOf<T>(target);
            foreach (var handler in handlers)
            {
                try
                {
                    functor((T)handler, eventData);
                }
                catch (Exception thrown)
                {
                    Debug.LogException(thrown);
                }
            }
            return handlers.Count > 0;
        }

        public static GameObject ExecuteHierarchy<T>(
            GameObject root, BaseEventData eventData, EventFunction<T> callbackFunction) where T : IEventSystemHandler
        {
            foreach (var transform in Upwards(root))
            {
                // Asked again after the event, and a handler may have destroyed it.
                if (Execute(transform.gameObject, eventData, callbackFunction)) return transform.gameObject;
            }
            return null;
        }

        public static GameObject GetEventHandler<T>(GameObject root) where T : IEventSystemHandler
        {
            return Upwards(root).Select(transform => transform.gameObject)
                .FirstOrDefault(target => HandlersOf<T>(target).Count > 0);
        }

        // The chain as it was when the event began (GetEventChain).
        private static List<Transform> Upwards(GameObject root)
        {
            var chain = new List<Transform>();
            if (root == null) return chain;
            for (var at = root.transform; at != null; at = at.parent) chain.Add(at);
            return chain;
        }

        // GetEventList: of an active object, those that are enabled.
        private static List<IEventSystemHandler> HandlersOf<T>(GameObject target)
        {
            if (target == null || !target.activeInHierarchy) return new List<IEventSystemHandler>();
            return target.GetComponents(typeof(Component))
                .Where(one => one is T && (!(one is Behaviour) || ((Behaviour)one).isActiveAndEnabled))
                .Cast<IEventSystemHandler>().ToList();
        }
    }
}
