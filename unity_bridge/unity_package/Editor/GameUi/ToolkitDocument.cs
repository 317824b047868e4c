using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityEngine.UIElements;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>A component that shows elements of UI Toolkit: a <c>UIDocument</c>, or from 6000.5 on a
    /// <c>PanelRenderer</c>, which is found by its name and has the same members; its root is internal
    /// (PanelRenderer.bindings.cs, 6000.5 and 6000.7). Main thread.</summary>
    internal sealed class ToolkitDocument
    {
        private static readonly Type PanelRenderer =
            typeof(UIDocument).Assembly.GetType("UnityEngine.UIElements.PanelRenderer");

        private readonly Component _component;

        private ToolkitDocument(Component component)
        {
            _component = component;
        }

        public bool IsAlive => _component != null;

        public bool IsActive => IsAlive && _component.gameObject.activeInHierarchy
            && Members.Get(_component, "enabled") is true;

        /// <summary>Null while it is not loaded.</summary>
        public VisualElement Root => Members.Get(_component, "rootVisualElement") as VisualElement;

        /// <summary>Null without one, in which case nothing of it is shown.</summary>
        public PanelSettings Settings =>
            Members.Get(_component, "panelSettings") is PanelSettings settings && settings != null ? settings : null;

        public Transform Transform => _component.transform;

        public bool IsOther(ToolkitDocument other) => _component != other._component;

        /// <summary>Null for an object without one.</summary>
        public static ToolkitDocument FromObject(GameObject target)
        {
            var found = target == null ? null : target.GetComponent(typeof(UIDocument));
            found = found != null || target == null || PanelRenderer == null
                ? found
                : target.GetComponent(PanelRenderer);
            return found == null ? null : new ToolkitDocument(found);
        }

        /// <summary>Those of all scenes. Unity searches all loaded objects for them.</summary>
        public static List<ToolkitDocument> All() =>
            new[] { typeof(UIDocument), PanelRenderer }.Where(type => type != null)
            .SelectMany(type => Resources.FindObjectsOfTypeAll(type)).OfType<Component>()
            .Where(document => document != null && document.gameObject.scene.IsValid())
            .Select(document => new ToolkitDocument(document)).ToList();
    }
}
