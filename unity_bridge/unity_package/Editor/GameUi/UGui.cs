using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.ExceptionServices;
using UnityEngine;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.GameUi
{
    /// <summary>
    /// The package com.unity.ugui by the names of its members, because a project need not have it: version 1.0.0 (Unity
    /// 2021.3) to 2.5.0 (6000.5), and TextMesh Pro. Main thread.
    /// </summary>
    internal sealed class UGui
    {
        // PointerInputModule.kMouseLeftId.
        private const int LeftMouseButton = -1;

        private static readonly Lazy<UGui> Known = new Lazy<UGui>(Find);

        private readonly Type _eventSystem;
        private readonly Type _pointer;
        private readonly Type _result;
        private readonly Type _executor;
        private readonly Dictionary<string, Type> _handlers = new Dictionary<string, Type>();

        private UGui(Assembly assembly)
        {
            _eventSystem = assembly.GetType("UnityEngine.EventSystems.EventSystem", true);
            _pointer = assembly.GetType("UnityEngine.EventSystems.PointerEventData", true);
            _result = assembly.GetType("UnityEngine.EventSystems.RaycastResult", true);
            _executor = assembly.GetType("UnityEngine.EventSystems.ExecuteEvents", true);
            Selectable = assembly.GetType("UnityEngine.UI.Selectable", true);
            Graphic = assembly.GetType("UnityEngine.UI.Graphic", true);
            foreach (var name in ("PointerEnter PointerExit PointerDown PointerUp PointerClick "
                + "InitializePotentialDrag Drag Select").Split(' '))
            {
                _handlers[name] = assembly.GetType("UnityEngine.EventSystems.I" + name + "Handler", true);
            }
        }

        /// <summary>Null if the project does not have the package.</summary>
        public static UGui OfProject => Known.Value;

        public Type Selectable { get; }

        public Type Graphic { get; }

        /// <summary>The one that handles input now; null if the scenes have none that is enabled.</summary>
        public Object CurrentEventSystem =>
            Members.Get(_eventSystem, "current") as Object is { } current && current != null ? current : null;

        /// <summary>Whether pointers can do something with the component by itself.</summary>
        public bool IsControl(Component component) =>
            Selectable.IsInstanceOfType(component) || _handlers["PointerClick"].IsInstanceOfType(component)
            || _handlers["PointerDown"].IsInstanceOfType(component);

        /// <summary>What the setter throws arrives as it is.</summary>
        public static void Set(object target, string name, object value)
        {
            var setter = target.GetType().GetProperty(name, Members.Any)?.GetSetMethod(true);
            if (setter != null)
            {
                Invoke(setter, target, new[] { value });
            }
        }

        /// <summary>Calls the method with that name and those types of arguments. What it throws arrives as it
        /// is.</summary>
        public static object Call(object target, string name, params object[] arguments)
        {
            var method = target.GetType().GetMethods(Members.Any)
                .First(method => method.Name == name && !method.IsGenericMethodDefinition && Takes(method, arguments));
            return Invoke(method, target, arguments);
        }

        /// <summary>A left mouse button at a position of the screen.</summary>
        public object PointerAt(Object eventSystem, Vector2 position)
        {
            var pointer = Activator.CreateInstance(_pointer, eventSystem);
            Set(pointer, "pointerId", LeftMouseButton);
            Set(pointer, "position", position);
            return pointer;
        }

        /// <summary>What lies below the pointer, the topmost first, on that display.</summary>
        public List<UGuiHit> RaycastAll(Object eventSystem, object pointer, int display)
        {
            var results = (IList)Activator.CreateInstance(typeof(List<>).MakeGenericType(_result));
            // Raycasters take the display from it: the Game view that had the focus last
            // (MultipleDisplayUtilities.GetRelativeMousePositionForRaycast).
            var active = typeof(Display).GetProperty("activeEditorGameViewTarget", Members.Any);
            var before = active?.GetValue(null);
            active?.SetValue(null, display);
            Set(pointer, "displayIndex", display);
            try
            {
                Call(eventSystem, "RaycastAll", pointer, results);
            }
            finally
            {
                active?.SetValue(null, before);
            }
            return results.Cast<object>().Select(result => new UGuiHit(result)).Where(
                hit => hit.Object != null && hit.Module != null).ToList();
        }

        /// <summary>The object itself or the nearest one above it with an active component that handles the event; null
        /// for none.</summary>
        public GameObject HandlerOf(string handler, GameObject target) =>
            target == null ? null : Invoke(
                Generic("GetEventHandler", 1, handler), null, new object[] { target }) as GameObject;

        /// <summary>Sends an event to the components of an object. False if none takes it. Their exceptions are logged
        /// (ExecuteEvents.Execute).</summary>
        public bool Execute(string handler, GameObject target, object data) =>
            target != null && Invoke(
                Generic("Execute", 3, handler), null, new[] { target, data, Functor(handler) }) is true;

        /// <summary>The component that makes an object a control, a Selectable before others; null for none.</summary>
        public Component ControlOf(GameObject target)
        {
            var controls = target.GetComponents(typeof(Component))
                .Where(component => component != null && IsControl(component)
                    && !(component is Behaviour { isActiveAndEnabled: false }))
                .ToList();
            return controls.Find(Selectable.IsInstanceOfType) ?? controls.FirstOrDefault();
        }

        /// <summary>False for a Selectable that it itself, or a CanvasGroup above it, has switched off.</summary>
        public bool IsInteractable(Component control) =>
            !Selectable.IsInstanceOfType(control) || Call(control, "IsInteractable") is true;

        private static UGui Find()
        {
            var assembly = LoadedAssemblies.All.FirstOrDefault(assembly => assembly.GetName().Name == "UnityEngine.UI");
            return assembly == null ? null : new UGui(assembly);
        }

        private static bool Takes(MethodInfo method, object[] arguments)
        {
            var parameters = method.GetParameters();
            return parameters.Length == arguments.Length
                && parameters.Select((parameter, place) => arguments[place] == null
                ? !parameter.ParameterType.IsValueType
                : parameter.ParameterType.IsInstanceOfType(arguments[place])).All(fits => fits);
        }

        private MethodInfo Generic(string name, int parameters, string handler) => _executor.GetMethods(Members.Any)
            .First(method => method.Name == name && method.IsGenericMethodDefinition
                && method.GetParameters().Length == parameters)
            .MakeGenericMethod(_handlers[handler]);

        // ExecuteEvents.pointerDownHandler, and initializePotentialDrag.
        private object Functor(string handler)
        {
            var name = char.ToLowerInvariant(handler[0]) + handler.Substring(1);
            return Members.Get(_executor, name + "Handler") ?? Members.Get(_executor, name);
        }

        private static object Invoke(MethodInfo method, object target, object[] arguments)
        {
            try
            {
                return method.Invoke(target, arguments);
            }
            catch (TargetInvocationException thrown) when (thrown.InnerException != null)
            {
                ExceptionDispatchInfo.Capture(thrown.InnerException).Throw();
                throw;
            }
        }
    }

    /// <summary>One result of a raycast.</summary>
    internal sealed class UGuiHit
    {
        public UGuiHit(object result)
        {
            Result = result;
            Object = Members.Get(result, "gameObject") as GameObject;
            Module = Members.Get(result, "module") as Component;
        }

        /// <summary>Unity's RaycastResult.</summary>
        public object Result { get; }

        public GameObject Object { get; }

        public Component Module { get; }

        /// <summary>Stands for a whole panel of UI Toolkit, which is asked itself.</summary>
        public bool IsPanel => Module.GetType().Name == "PanelRaycaster";

        /// <summary>The order among overlays: a Canvas's sortingOrder, or the least number for what is no overlay
        /// (GraphicRaycaster.sortOrderPriority).</summary>
        public int SortOrder => Members.Get(Module, "sortOrderPriority") is int order ? order : int.MinValue;
    }
}
