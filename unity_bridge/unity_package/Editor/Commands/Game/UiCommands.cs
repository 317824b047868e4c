using System;
using System.Collections;
using System.Diagnostics;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Objects;
using UnityBridge.Framework;
using UnityBridge.GameUi;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Uses the user interface of the running game as a player does: through the EventSystem and the events of
    /// UI Toolkit (SPEC §16.5).</summary>
    /// <remarks>Press and release are one step, so that no end of the command leaves anything pressed.</remarks>
    internal static class UiCommands
    {
        // A field takes the focus in the game's next frame (InputField.LateUpdate), if there is one.
        private const long FrameWithinMs = 500;

        [BridgeCommand("ui_click",
            "Clicks in the running game: an element by its path in inspect what: ui, or x and y of a Game view "
            + "picture (of width and height).",
            Keywords = "button")]
        private static IEnumerator Click(
            CommandCall call, string path = "", float? x = null, float? y = null, int? width = null, int? height = null)
        {
            Refuse.OutsideGame("click");
            var isPosition = x != null && y != null;
            if (string.IsNullOrEmpty(path)
                ? !isPosition || (width == null) != (height == null) || width < 1 || height < 1
                : (x ?? y ?? width ?? height) != null)
            {
                throw Refuse.Argument(
                    "ui_click takes a path, or x and y in a picture of the Game view; width and height go with x and "
                    + "y. Nothing was clicked.");
            }
            UiHit hit = null;
            JsonObject answer = null;
            yield return InFrame("click", screen =>
            {
                hit = isPosition ? At(screen, x.Value, y.Value, width ?? screen.PictureWidth,
                    height ?? screen.PictureHeight, width != null) : On(Find(call, path), screen);
                answer = Press(hit, screen);
            });
            yield return NextFrame();
            yield return Complete(answer, hit);
        }

        [BridgeCommand("ui_text",
            "Puts a text into an input field of the running game, by its path in inspect what: ui, and ends editing.")]
        private static IEnumerator Text(CommandCall call, string path, string text)
        {
            Refuse.OutsideGame("enter the text");
            UiHit hit = null;
            JsonObject answer = null;
            TextTarget field = null;
            object value = null;
            yield return InFrame("enter the text", screen =>
            {
                var element = Find(call, path);
                field = TextTarget.FromElement(element)
                    ?? throw Refuse.Argument(
                        Quoted.Text(element.Path) + " is a " + element.Kind
                        + ", which takes no text. Nothing was changed.");
                if (field.IsReadOnly)
                {
                    throw new CommandRefused(
                        "not_interactable", Quoted.Text(element.Path)
                        + " is read-only in the game. Nothing was changed.");
                }
                value = field.Convert(text ?? "")
                    ?? throw Refuse.Argument(
                        Quoted.Text(element.Path) + " is a " + element.Kind + ", and '" + Quoted.Text(text)
                    + "' is no value for it. Nothing was changed.");
                hit = On(element, screen);
                answer = Press(hit, screen);
            });
            try
            {
                var since = Stopwatch.StartNew();
                while (field.IsAlive && !field.HasFocus && since.ElapsedMilliseconds < FrameWithinMs)
                {
                    EditorApplication.QueuePlayerLoopUpdate();
                    yield return null;
                }
                if (!field.IsAlive)
                {
                    throw Refuse.Failed("nothing_there",
                        "The field went away when it was clicked, so it did not get the text.");
                }
                SentInput.Note("ui_text " + path);
                LetGame(() => field.Enter(value));
            }
            finally
            {
                LetGame(field.Leave);
            }
            yield return NextFrame();
            answer["text"] = field.IsAlive ? field.Value : null;
            yield return Complete(answer, hit);
        }

        private static IEnumerator InFrame(string what, Action<GameScreen> act)
        {
            using var frame = new GameFrame(screen => GameFrame.Once(() =>
            {
                // It may have been paused while the frame was waited for.
                Refuse.OutsideGame(what);
                act(screen);
            }));
            while (!frame.Advance())
            {
                yield return null;
            }
            Refuse.For(frame.Refusal);
        }

        // Unity logs what a listener throws while a player types (ExecuteEvents.Execute), and the field stays usable.
        private static void LetGame(Action change)
        {
            try
            {
                change();
            }
            catch (Exception thrown)
            {
                UnityEngine.Debug.LogException(thrown);
            }
        }

        // What a handler destroys is there until the game's frame ends (Object.Destroy), and a scene that it loads
        // comes with the next one.
        private static IEnumerator NextFrame()
        {
            var frame = Time.frameCount;
            for (var since = Stopwatch.StartNew(); Time.frameCount == frame && since.ElapsedMilliseconds < FrameWithinMs
                && EditorReadiness.WhyNotInGame("") == null;)
            {
                EditorApplication.QueuePlayerLoopUpdate();
                yield return null;
            }
        }

        private static UiElement Find(CommandCall call, string path)
        {
            var place = UiPlace.Find(call, path ?? "", out var fault);
            if (fault != null)
            {
                throw Refuse.Argument(Quoted.Text(path) + ": " + fault + " Nothing was done.");
            }
            if (place.Element != null)
            {
                return new ToolkitElement(
                    place.Element, ToolkitElement.PathOf(place.Element, place.Document.Root, place.Path));
            }
            if (UGui.OfProject is { } ugui && place.Node.Object != null && place.Node.Object.transform is RectTransform)
            {
                return new UGuiElement(ugui, place.Node.Object, place.Path);
            }
            throw Refuse.Argument(Quoted.Text(path) + " is not an element of a user interface" + (place.Document == null
                ? ". inspect what: ui lists those that can be used."
                : ", but its document: add # and an element, as inspect what: ui lists them.") + " Nothing was done.");
        }

        private static UiHit At(GameScreen screen, double x, double y, int width, int height, bool isGiven)
        {
            if (isGiven ? !screen.IsShapeOf(width, height) : screen.HasChanged)
            {
                throw new CommandRefused(
                    "view_changed", "The Game view now has " + screen.PictureWidth + " x " + screen.PictureHeight
                    + " pixels in a picture of the default size, another shape than the picture had. Take a new "
                    + "picture, and click in that. Nothing was clicked.");
            }
            if (!(x >= 0 && y >= 0 && x < width && y < height))
            {
                throw Refuse.Argument("x and y are pixels of a picture of " + width + " x " + height
                    + ", from the top left. Nothing was clicked.");
            }
            // The middle of the pixel.
            var hit = UiPointer.At(screen, screen.FromPicture(x + 0.5, y + 0.5, width, height));
            if (hit == null)
            {
                RequireEventSystem();
                throw new CommandRefused("nothing_there",
                    "Nothing at that position takes part in pointer events. inspect what: ui lists what can be used. "
                    + "Nothing was clicked.");
            }
            return RequireInteractable(hit);
        }

        private static UiHit On(UiElement element, GameScreen screen)
        {
            var area = element.AreaOn(screen);
            if (UiElement.IsEmpty(area))
            {
                throw new CommandRefused(
                    "nothing_there", Quoted.Text(element.Path)
                    + " is not seen in the Game view: it is inactive, outside of the view, "
                    + "clipped, or on another display. Scroll to it, or open what it is in. Nothing was done.");
            }
            var hit = UiPointer.On(element, screen, area, out var cover);
            if (hit != null)
            {
                return RequireInteractable(hit, element);
            }
            if (cover == null)
            {
                if (element is UGuiElement)
                {
                    RequireEventSystem();
                }
                throw new CommandRefused(
                    "nothing_there", Quoted.Text(element.Path)
                    + " is drawn, but takes no part in pointer events: it has no raycast target, "
                    + "its Canvas no raycaster, or its picking is off. Nothing was done.");
            }
            var name = cover.Element.Path ?? cover.Element.Label;
            var refusal = Refusal.NotExecuted(
                "covered", Quoted.Text(element.Path) + " is covered by " + Quoted.Text(name)
                + ", which would get the click. Close that, or click it. Nothing was done.");
            refusal.Details["covered_by"] = name;
            throw new CommandRefused(refusal);
        }

        private static UiHit RequireInteractable(UiHit hit, UiElement named = null)
        {
            // What only shows something can be switched off by what it is a part of. A click on it alone reaches
            // nothing.
            var control = named is null or UGuiElement { Control: null } ? hit.Element : named;
            var isOff = control is UGuiElement { Control: null } ? false : !control.IsInteractable;
            return !isOff ? hit : throw new CommandRefused(
                "not_interactable", Quoted.Text(control.Path ?? control.Label)
                + " is switched off by the game, so it would not react. Nothing was done.");
        }

        private static void RequireEventSystem()
        {
            if (UGui.OfProject != null && UGui.OfProject.CurrentEventSystem == null)
            {
                throw new CommandRefused("no_event_system",
                    "The scenes have no active EventSystem, so nothing of uGUI reacts to pointers. Add one "
                    + "(GameObject > UI > Event System). Nothing was done.");
            }
        }

        private static JsonObject Press(UiHit hit, GameScreen screen)
        {
            // Before it: a click may destroy what it hits.
            var answer = new JsonObject { { "hit", hit.Element.Describe() } };
            SentInput.Note("ui_click " + hit.Element.Path);
            answer["handled"] = hit.Element.Click(hit, screen);
            answer["at"] = screen.ToPicture(hit.Position);
            return answer;
        }

        private static JsonObject Complete(JsonObject answer, UiHit hit)
        {
            if (!hit.Element.IsAlive)
            {
                answer["gone"] = true;
            }
            return answer;
        }
    }
}
