using System.Collections;
using System.Collections.Generic;
using Scratch.Editor;
using UnityEditor;
using UnityEngine;
using UnityEngine.EventSystems;
using UnityEngine.UI;
using UnityEngine.UIElements;

namespace Scratch.Ui
{
    /// <summary>A user interface that the running game makes: a Canvas with an EventSystem, and a document of UI
    /// Toolkit.</summary>
    public static class GameUi
    {
        // What a Canvas and a panel need to be laid out and drawn.
        private const int Updates = 60;

        private static readonly List<string> Used = new List<string>();

        [BridgeCommand("scratch_ui", "Makes a user interface in the running game.")]
        private static IEnumerator Make()
        {
            Used.Clear();
            new GameObject("Events", typeof(EventSystem), typeof(StandaloneInputModule));
            var canvas = new GameObject("Canvas", typeof(Canvas), typeof(GraphicRaycaster));
            ((Canvas)canvas.GetComponent(typeof(Canvas))).renderMode = RenderMode.ScreenSpaceOverlay;
            MakeButton(canvas, "Start", 0.4f, 0.4f, 0.6f, 0.5f);
            MakeButton(canvas, "Off", 0.7f, 0.4f, 0.9f, 0.5f).interactable = false;
            MakeButton(canvas, "Below", 0.4f, 0.1f, 0.6f, 0.2f);
            var leaves = MakeButton(canvas, "Leaves", 0.7f, 0.7f, 0.9f, 0.8f);
            leaves.onClick.AddListener(() => Object.Destroy(leaves.gameObject));
            Place(canvas, "Curtain", 0.35f, 0.05f, 0.65f, 0.25f).AddComponent(typeof(UnityEngine.UI.Image));
            var name = Place(canvas, "Name", 0.7f, 0.1f, 0.9f, 0.2f);
            name.AddComponent(typeof(UnityEngine.UI.Image));
            var field = (InputField)name.AddComponent(typeof(InputField));
            field.textComponent = MakeText(name, "");
            field.onEndEdit.AddListener(text => Used.Add("name " + text));
            MakeDocument();
            for (var i = 0; i < Updates; i++)
            {
                EditorApplication.QueuePlayerLoopUpdate();
                yield return null;
            }
            yield return "made";
        }

        [BridgeCommand("scratch_ui_used", "What was used of it, in order.", Write = false)]
        private static List<string> WhatWasUsed()
        {
            return Used;
        }

        private static UnityEngine.UI.Button MakeButton(
            GameObject canvas, string label, float left, float bottom, float right, float top)
        {
            var made = Place(canvas, label, left, bottom, right, top);
            made.AddComponent(typeof(UnityEngine.UI.Image));
            var button = (UnityEngine.UI.Button)made.AddComponent(typeof(UnityEngine.UI.Button));
            button.onClick.AddListener(() => Used.Add(label));
            MakeText(made, label);
            return button;
        }

        private static Text MakeText(GameObject parent, string words)
        {
            var text = (Text)Place(parent, "Text", 0, 0, 1, 1).AddComponent(typeof(Text));
            text.font = Font.CreateDynamicFontFromOSFont("Arial", 16);
            text.text = words;
            return text;
        }

        // In parts of what it is in.
        private static GameObject Place(
            GameObject parent, string name, float left, float bottom, float right, float top)
        {
            var made = new GameObject(name, typeof(RectTransform));
            var rect = (RectTransform)made.transform;
            rect.SetParent(parent.transform, false);
            rect.anchorMin = new Vector2(left, bottom);
            rect.anchorMax = new Vector2(right, top);
            rect.offsetMin = Vector2.zero;
            rect.offsetMax = Vector2.zero;
            return made;
        }

        private static void MakeDocument()
        {
            var hud = new GameObject("Hud");
            var document = (UIDocument)hud.AddComponent(typeof(UIDocument));
            document.panelSettings = ScriptableObject.CreateInstance<PanelSettings>();
            var go = new UnityEngine.UIElements.Button(() => Used.Add("go")) { name = "go", text = "Go" };
            Put(go, 20);
            var off = new UnityEngine.UIElements.Button(() => Used.Add("off")) { name = "off", text = "Off" };
            off.SetEnabled(false);
            Put(off, 80);
            var word = new TextField { name = "word", label = "Word" };
            word.RegisterValueChangedCallback(change => Used.Add("word " + change.newValue));
            Put(word, 140);
            foreach (var element in new VisualElement[] { go, off, word })
            {
                document.rootVisualElement.Add(element);
            }
        }

        private static void Put(VisualElement element, float top)
        {
            element.style.position = Position.Absolute;
            element.style.left = 20;
            element.style.top = top;
            element.style.width = 160;
            element.style.height = 40;
        }
    }
}
