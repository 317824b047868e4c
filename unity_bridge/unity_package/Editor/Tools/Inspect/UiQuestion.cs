using System;
using System.Collections;
using System.Collections.Generic;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.GameUi;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>The controls and texts that are seen in the Game view, of uGUI and UI Toolkit, in the order of the
    /// hierarchy (SPEC §16.4).</summary>
    internal sealed class UiQuestion : Question
    {
        private readonly InspectQuery _query;
        private readonly UiFilter _filter;
        private readonly List<UiElement> _elements = new List<UiElement>();
        private GameScreen _screen;
        private bool _hasCanvas;

        public UiQuestion(InspectQuery query)
        {
            _query = query;
            _filter = new UiFilter(query.Query ?? "");
        }

        /// <summary>The picture that the rectangles refer to.</summary>
        public override void AddTo(JsonObject answer)
        {
            answer["width"] = _screen.PictureWidth;
            answer["height"] = _screen.PictureHeight;
        }

        public override IEnumerable<Found> Walk(int[] from)
        {
            // A paused game can be looked at.
            Refused = EditorApplication.isPlaying ? null : EditorReadiness.WhyNotInGame("look at its user interface");
            if (Refused != null)
            {
                yield break;
            }
            var found = new List<Found>();
            using (var frame = new GameFrame(screen => Read(screen, from[0], found)))
            {
                while (!frame.Advance())
                {
                    yield return null;
                }
                Refused = frame.Refusal;
            }
            if (Refused != null || Fault != null)
            {
                yield break;
            }
            _screen.NoteShown();
            Total = _elements.Count;
            foreach (var one in found)
            {
                yield return one;
            }
        }

        // In frames of the game: all elements, and the items of the page that begins there. The one behind it shows
        // that there is another page.
        private IEnumerator Read(GameScreen screen, int from, List<Found> found)
        {
            _screen = screen;
            foreach (var step in Collect())
            {
                yield return step;
            }
            Hint = _hasCanvas && UGui.OfProject?.CurrentEventSystem == null
                ? "The scenes have no active EventSystem, so nothing of uGUI can be used."
                : null;
            for (var i = from; i < _elements.Count && found.Count <= _query.Limit; i++)
            {
                if (_elements[i].IsAlive && ItemOf(_elements[i]) is { } item)
                {
                    found.Add(new Found(item, _elements[i].Path ?? _elements[i].Label, i));
                }
                yield return null;
            }
        }

        private IEnumerable<Found> Collect()
        {
            if (_query.Path == null)
            {
                foreach (var scene in OpenScenes.All())
                {
                    foreach (var step in CollectBelow(new SceneNode(scene), scene.Path))
                    {
                        yield return step;
                    }
                }
                yield break;
            }
            var place = UiPlace.Find(new CommandCall(), _query.Path, out var fault);
            Fault = fault;
            if (fault != null)
            {
                yield break;
            }
            foreach (var step in place.Element == null
                ? CollectBelow(place.Node, place.Path)
                : CollectIn(place.Document, place.Element, place.Path))
            {
                yield return step;
            }
        }

        private IEnumerable<Found> CollectBelow(HierarchyNode top, string path)
        {
            var levels = new Stack<(HierarchyNode Node, string Path, EqualNames Names, int Next)>();
            levels.Push((top, path, new EqualNames(), 0));
            foreach (var step in CollectAt(top.Object, path))
            {
                yield return step;
            }
            while (levels.Count > 0)
            {
                var (node, above, names, next) = levels.Pop();
                if (next >= node.ChildCount)
                {
                    continue;
                }
                levels.Push((node, above, names, next + 1));
                var child = node.Child(next);
                yield return null;
                if (child?.Object == null)
                {
                    continue;
                }
                var below = ObjectPath.Join(above, child.Name, names.Next(child.Name));
                if (!child.Object.activeInHierarchy)
                {
                    continue;
                }
                levels.Push((child, below, new EqualNames(), 0));
                foreach (var step in CollectAt(child.Object, below))
                {
                    yield return step;
                }
            }
        }

        private IEnumerable<Found> CollectAt(GameObject target, string path)
        {
            if (target == null)
            {
                yield break;
            }
            if (UGui.OfProject is { } ugui && new UGuiElement(ugui, target, path) is var control
                && (control.Control != null || control.IsText) && Take(control))
            {
                _hasCanvas |= control.Control != null;
                yield return null;
            }
            if (ToolkitDocument.FromObject(target) is { Root: { } root } document)
            {
                foreach (var step in CollectIn(document, root, path))
                {
                    yield return step;
                }
            }
        }

        private IEnumerable<Found> CollectIn(
            ToolkitDocument document, UnityEngine.UIElements.VisualElement top, string path)
        {
            if (!ToolkitPanels.IsShown(document, _screen))
            {
                yield break;
            }
            foreach (var element in ToolkitElement.Controls(top, document, path, _screen))
            {
                if (element != null)
                {
                    Take(element);
                }
                yield return null;
            }
        }

        private bool Take(UiElement element)
        {
            if (!_filter.Fits(element) || UiElement.IsEmpty(element.AreaOn(_screen)))
            {
                return false;
            }
            _elements.Add(element);
            return true;
        }

        private JsonObject ItemOf(UiElement element)
        {
            var area = element.AreaOn(_screen);
            if (UiElement.IsEmpty(area))
            {
                return null;
            }
            var item = element.Describe();
            if (!_screen.IsWhole)
            {
                Hint = "The game is paused and its view is not drawn, so what covers an element is not known.";
                item["interactable"] = element.IsInteractable;
                item["rect"] = _screen.ToPicture(area);
                return item;
            }
            if (element.IsText)
            {
                item["rect"] = _screen.ToPicture(area);
                return item;
            }
            var hit = UiPointer.On(element, _screen, area, out var cover);
            // One that no pointer reaches cannot be used either.
            item["interactable"] = element.IsInteractable && (hit != null || cover != null);
            item["rect"] = _screen.ToPicture(area);
            if (hit == null && cover != null)
            {
                item["covered_by"] = cover.Element.Path ?? cover.Element.Label;
            }
            return item;
        }
    }

    /// <summary>Words that a label contains, and <c>t:kind</c>; all of them have to fit.</summary>
    internal sealed class UiFilter
    {
        private readonly List<string> _words = new List<string>();
        private readonly List<string> _kinds = new List<string>();

        public UiFilter(string query)
        {
            foreach (var word in query.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries))
            {
                var isKind = word.Begins("t:");
                (isKind ? _kinds : _words).Add(isKind ? word.Substring(2) : word);
            }
        }

        public bool Fits(UiElement element)
        {
            var label = _words.Count == 0 ? "" : element.Label;
            return _words.TrueForAll(label.ContainsAnyCase)
                && _kinds.TrueForAll(element.IsOf);
        }
    }
}
