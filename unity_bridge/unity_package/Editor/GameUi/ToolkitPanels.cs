using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEngine;
using UnityEngine.UIElements;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>The documents of UI Toolkit that are on the screen, and the way from its pixels to theirs. Main
    /// thread.</summary>
    internal static class ToolkitPanels
    {
        // UIElementsRuntimeUtility.GetSortedPlayerPanels: by their order and the time when they were made, those in
        // front last (2021.3 to 6000.7, internal).
        private static readonly MethodInfo Sorted = Members.Method(
            typeof(UIDocument).Assembly.GetType("UnityEngine.UIElements.UIElementsRuntimeUtility"),
            "GetSortedPlayerPanels");

        /// <summary>Those that are drawn on this display, those above others first. Panels in the world and in textures
        /// are not among them.</summary>
        public static List<ToolkitDocument> DocumentsOn(GameScreen screen)
        {
            var panels = Sorted?.Invoke(null, null) as IList;
            return screen.Documents.Where(document => IsShown(document, screen))
                .OrderByDescending(document => document.Settings.sortingOrder)
                .ThenByDescending(document => panels?.IndexOf(document.Root.panel)).ToList();
        }

        public static bool IsShown(ToolkitDocument document, GameScreen screen) =>
            document.IsActive && document.Settings != null
            && document.Root?.panel != null && document.Settings.targetTexture == null
            && document.Settings.targetDisplay == screen.Display
            && !IsInWorld(document.Settings);

        /// <summary>What is on top of the panels at a position; null for nothing.</summary>
        /// <param name="order">The order of its panel among others.</param>
        public static UiHit At(GameScreen screen, Vector2 position, out float order)
        {
            var seen = new HashSet<IPanel>();
            foreach (var document in DocumentsOn(screen))
            {
                var panel = document.Root.panel;
                order = document.Settings.sortingOrder;
                if (seen.Add(panel) && panel.Pick(ToPanel(panel, screen, position)) is { } picked)
                {
                    return new UiHit(ToolkitElement.ControlAround(picked, screen), position) { Picked = picked };
                }
            }
            order = 0;
            return null;
        }

        /// <summary>Panels count from the top (PanelRaycaster.Raycast), in pixels of their own, which PanelSettings
        /// scale.</summary>
        public static Vector2 ToPanel(IPanel panel, GameScreen screen, Vector2 position) =>
            RuntimePanelUtils.ScreenToPanel(panel, new Vector2(position.x, screen.Height - position.y));

        public static Rect ToScreen(IPanel panel, GameScreen screen, Rect area)
        {
            var zero = RuntimePanelUtils.ScreenToPanel(panel, Vector2.zero);
            var end = RuntimePanelUtils.ScreenToPanel(panel, new Vector2(screen.Width, screen.Height));
            var x = screen.Width / (end.x - zero.x);
            var y = screen.Height / (end.y - zero.y);
            return Rect.MinMaxRect((area.xMin - zero.x) * x, screen.Height - (area.yMax - zero.y) * y,
                (area.xMax - zero.x) * x, screen.Height - (area.yMin - zero.y) * y);
        }

        /// <summary>The document that an element belongs to; null for one outside of all documents, such as the list of
        /// an open dropdown.</summary>
        public static ToolkitDocument DocumentOf(VisualElement element, GameScreen screen) => screen.Documents
            .Where(document => document.Root != null && (document.Root == element || document.Root.Contains(element)))
            // A document within another one contains less.
            .OrderByDescending(document => Depth(document.Root)).FirstOrDefault();

        /// <summary>The roots of all other documents: one may lie within this one.</summary>
        public static HashSet<VisualElement> RootsBesides(ToolkitDocument document, GameScreen screen) =>
            new HashSet<VisualElement>(screen.Documents
            .Where(other => other.IsOther(document) && other.Root != null).Select(other => other.Root));

        private static int Depth(VisualElement element)
        {
            var depth = 0;
            for (; element != null; element = element.hierarchy.parent)
            {
                depth++;
            }
            return depth;
        }

        // PanelSettings.renderMode is new in 6000.2.
        private static bool IsInWorld(PanelSettings settings) =>
            Members.Get(settings, "renderMode")?.ToString() == "WorldSpace";
    }
}
