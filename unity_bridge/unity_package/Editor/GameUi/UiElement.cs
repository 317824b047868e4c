using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>A control of the running game. Main thread.</summary>
    internal abstract class UiElement
    {
        protected UiElement(string path)
        {
            Path = path;
        }

        /// <summary>As ui_click takes it; null for an object that has none.</summary>
        public string Path { get; }

        public abstract string Kind { get; }

        /// <summary>The text on it; without one its name.</summary>
        public abstract string Label { get; }

        /// <summary>Whether it is still there.</summary>
        public abstract bool IsAlive { get; }

        /// <summary>Whether the game has it switched on.</summary>
        public abstract bool IsInteractable { get; }

        /// <summary>It only says something.</summary>
        public virtual bool IsText => false;

        /// <summary>The part of the screen where it is seen; empty if it is nowhere.</summary>
        public abstract Rect AreaOn(GameScreen screen);

        /// <summary>Whether what is on top of a position is this element, or a part of it.</summary>
        public abstract bool IsHitBy(UiHit hit);

        /// <summary>Presses and releases the left button on it.</summary>
        /// <returns>Whether something handled it; null if that is not known.</returns>
        public abstract bool? Click(UiHit hit, GameScreen screen);

        /// <summary>Whether it has this kind, or derives from it.</summary>
        public abstract bool IsOf(string kind);

        /// <summary>What the answer of a command says of it, while it is still there.</summary>
        public JsonObject Describe() => new JsonObject { { "path", Path }, { "kind", Kind }, { "label", Label } };

        protected static bool IsNamed(Type type, string kind)
        {
            return Members.Bases(type).Any(named => named != typeof(object)
                && (named.Name.EqualsAnyCase(kind) || named.FullName.EqualsAnyCase(kind)));
        }

        /// <summary>The common part of two areas; empty if they have none.</summary>
        public static Rect Common(Rect one, Rect other) =>
            Rect.MinMaxRect(Math.Max(one.xMin, other.xMin), Math.Max(one.yMin, other.yMin),
            Math.Max(Math.Max(one.xMin, other.xMin), Math.Min(one.xMax, other.xMax)),
            Math.Max(Math.Max(one.yMin, other.yMin), Math.Min(one.yMax, other.yMax)));

        public static bool IsEmpty(Rect area) => area.width <= 0 || area.height <= 0;
    }

    /// <summary>What is on top of a position of the screen.</summary>
    internal sealed class UiHit
    {
        public UiHit(UiElement element, Vector2 position)
        {
            Element = element;
            Position = position;
        }

        /// <summary>The control that would react; without one the thing itself.</summary>
        public UiElement Element { get; }

        public Vector2 Position { get; }

        /// <summary>Of uGUI; null for an element of UI Toolkit.</summary>
        public UGuiHit UGui { get; set; }

        /// <summary>The innermost element of UI Toolkit; null for uGUI.</summary>
        public UnityEngine.UIElements.VisualElement Picked { get; set; }
    }

    /// <summary>Finds what a pointer would meet. Main thread.</summary>
    internal static class UiPointer
    {
        /// <summary>Null where nothing reacts to pointers.</summary>
        public static UiHit At(GameScreen screen, Vector2 position)
        {
            var toolkit = ToolkitPanels.At(screen, position, out var order);
            var ugui = UGuiElement.At(screen, position, toolkit == null ? (float?)null : order);
            return ugui ?? toolkit;
        }

        /// <summary>A position where the element is on top; null, and what is on top in its middle, if there is
        /// none.</summary>
        public static UiHit On(UiElement element, GameScreen screen, Rect area, out UiHit cover)
        {
            cover = null;
            var isFirst = true;
            foreach (var position in PositionsIn(area))
            {
                var hit = At(screen, position);
                if (hit != null && element.IsHitBy(hit))
                {
                    return hit;
                }
                cover = isFirst ? hit : cover ?? hit;
                isFirst = false;
            }
            return null;
        }

        private static IEnumerable<Vector2> PositionsIn(Rect area)
        {
            foreach (var (x, y) in new[] { (0.5f, 0.5f), (0.25f, 0.5f), (0.75f, 0.5f), (0.5f, 0.25f), (0.5f, 0.75f) })
            {
                yield return new Vector2(area.xMin + area.width * x, area.yMin + area.height * y);
            }
        }
    }
}
