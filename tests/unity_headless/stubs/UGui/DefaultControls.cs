using System;
using UnityEngine;

// com.unity.ugui 2.5.0, Runtime/UI/Core/DefaultControls.cs: plain objects in the active scene, without Undo.
namespace UnityEngine.UI
{
    public class CanvasScaler : EventSystems.UIBehaviour { }

    public static class DefaultControls
    {
        public struct Resources
        {
            public Sprite standard, background, inputField, knob, checkmark, dropdown, mask;
        }

        public static GameObject CreatePanel(Resources resources) { return Root("Panel", typeof(Image)); }
        public static GameObject CreateImage(Resources resources) { return Root("Image", typeof(Image)); }
        public static GameObject CreateText(Resources resources)
        {
            return Labelled(Root("Text (Legacy)", typeof(Text)), "New Text");
        }
        public static GameObject CreateSlider(Resources resources) { return Root("Slider", typeof(Slider)); }
        public static GameObject CreateToggle(Resources resources)
        {
            return With(Root("Toggle", typeof(Toggle)), "Label", "Toggle");
        }
        public static GameObject CreateInputField(Resources resources)
        {
            return With(Root("InputField (Legacy)", typeof(Image), typeof(InputField)), "Text (Legacy)", "");
        }
        public static GameObject CreateButton(Resources resources)
        {
            return With(Root("Button (Legacy)", typeof(Image), typeof(Button)), "Text (Legacy)", "Button");
        }

        private static GameObject Root(string name, params Type[] components)
        {
            var made = new GameObject(name, typeof(RectTransform));
            foreach (var type in components) made.AddComponent(type);
            return made;
        }

        private static GameObject With(GameObject owner, string name, string text)
        {
            Labelled(Root(name, typeof(Text)), text).transform.SetParent(owner.transform, false);
            return owner;
        }

        private static GameObject Labelled(GameObject owner, string text)
        {
            var label = (Text)owner.GetComponent(typeof(Text));
            label.Fields.Set("m_Text", "String", "string", text);
            return owner;
        }
    }
}
