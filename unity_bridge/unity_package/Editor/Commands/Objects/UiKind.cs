using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>
    /// A control of uGUI, made by the package's own <c>DefaultControls</c> (or <c>TMP_DefaultControls</c>), as its menu
    /// does (com.unity.ugui, MenuOptions.cs, 1.0 to 2.5). uGUI is a package, so its types have no names here. Main
    /// thread.
    /// </summary>
    internal sealed class UiKind : ObjectKind
    {
        private const string Package = "com.unity.ugui";

        // A field of Resources, and the sprite that the menu puts there.
        private static readonly Dictionary<string, string> Sprites = NameTable.Read(
            "UI/Skin/UISprite.psd: standard", "UI/Skin/Background.psd: background",
            "UI/Skin/InputFieldBackground.psd: inputField", "UI/Skin/Knob.psd: knob",
            "UI/Skin/Checkmark.psd: checkmark", "UI/Skin/DropdownArrow.psd: dropdown", "UI/Skin/UIMask.psd: mask");

        private readonly string _method;
        private bool _usesTextMeshPro;

        public UiKind(string name, string method) : base(name, Package)
        {
            _method = method;
        }

        /// <summary>The parent of a control: the one that was asked for, or a new Canvas below it if there is none
        /// above it. Without one, the first Canvas of the scene. The scenes get an EventSystem if they have none; a
        /// prefab does not.</summary>
        /// <param name="isAsked">Whether the call named a parent.</param>
        public GameObject CanvasFor(ChangeCall call, GameObject above, Scene scene, bool isAsked, ChangeReport report)
        {
            if (Name == "EventSystem")
            {
                return above;
            }
            if (!isAsked && above == null && Name != "Canvas" && FirstCanvas(scene) is { } first)
            {
                above = first;
                report.Remark("It is below " + ChangeTarget.PathOf(first) + ", the first Canvas of the scene. "
                    + "parent=/ gives it one of its own.");
            }
            if (Name != "Canvas" && !HasCanvasAbove(call, above))
            {
                var canvas = MakeCanvas(call, scene, "Canvas");
                CreateObject.PutBelow(call, canvas, above, scene, isNew: true);
                canvas.layer = UiLayer();
                if (above != null || scene.rootCount > 1)
                {
                    GameObjectUtility.EnsureUniqueNameForSibling(canvas);
                }
                AddRow(canvas, report);
                above = canvas;
            }
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            if (call.File == null && (stage == null || stage.scene != scene) && !HasEventSystem())
            {
                var system = MakeEventSystem(call, scene, "EventSystem");
                CreateObject.PutBelow(call, system, null, scene, isNew: true);
                AddRow(system, report);
            }
            return above;
        }

        public override GameObject Create(ChangeCall call, Scene scene, string name)
        {
            if (_method.Length == 0)
            {
                var made = Name == "Canvas" ? MakeCanvas(call, scene, name) : MakeEventSystem(call, scene, name);
                made.layer = Name == "Canvas" ? UiLayer() : 0;
                return made;
            }
            var controls = _usesTextMeshPro
                ? LoadedAssemblies.TypeNamed("TMPro.TMP_DefaultControls")
                : LoadedAssemblies.TypeNamed("UnityEngine.UI.DefaultControls");
            var method = controls.GetMethod(_method);
            var resources = Activator.CreateInstance(method.GetParameters()[0].ParameterType);
            var sprite = LoadedAssemblies.TypeNamed("UnityEngine.Sprite");
            foreach (var row in Sprites.Where(_ => sprite != null))
            {
                resources.GetType().GetField(row.Key)?.SetValue(
                    resources, AssetDatabase.GetBuiltinExtraResource(sprite, row.Value));
            }
            // They are plain objects without Undo: the creation of the root is what is undone.
            var created = (GameObject)method.Invoke(null, new[] { resources });
            return call.Edits.Created(created);
        }

        public override void Remark(GameObject created, ChangeReport report)
        {
            if (LabelOf(created) is { } label)
            {
                report.Remark("The text is a " + TypeNames.NameOf(label)
                    + (label.gameObject == created ? "." : " of " + ChangeTarget.PathOf(label) + "."));
            }
        }

        public override Component LabelOf(GameObject created) =>
            created.GetComponentsInChildren(typeof(Component), true)
            .LastOrDefault(component =>
                component.GetType().FullName is "UnityEngine.UI.Text" or "TMPro.TextMeshProUGUI");

        protected override void Resolve()
        {
            if (LoadedAssemblies.TypeNamed("UnityEngine.UI.DefaultControls") == null)
            {
                throw Missing(Package, "uGUI");
            }
            // Without its resources a text of TextMesh Pro has no font, and even to ask TMP_Settings for them opens a
            // window.
            _usesTextMeshPro = LoadedAssemblies.TypeNamed("TMPro.TMP_DefaultControls")
                ?.GetMethod(_method.Length == 0 ? "-" : _method) != null
                && AssetDatabase.FindAssets("t:TMP_Settings", null).Length > 0;
        }

        private static GameObject MakeCanvas(ChangeCall call, Scene scene, string name)
        {
            var made = Make(call, scene, name, "UnityEngine.Canvas", "UnityEngine.UI.CanvasScaler",
                "UnityEngine.UI.GraphicRaycaster");
            var canvas = (Canvas)made.GetComponent(typeof(Canvas));
            canvas.renderMode = RenderMode.ScreenSpaceOverlay;
            return made;
        }

        // With the module of the input system in use: that of the other one throws in each frame.
        private static GameObject MakeEventSystem(ChangeCall call, Scene scene, string name) =>
            Make(call, scene, name, "UnityEngine.EventSystems.EventSystem",
            InputKeyboard.IsInputSystemUsed && TypeNamed("UnityEngine.InputSystem.UI.InputSystemUIInputModule") != null
                ? "UnityEngine.InputSystem.UI.InputSystemUIInputModule"
                : "UnityEngine.EventSystems.StandaloneInputModule");

        private static GameObject Make(ChangeCall call, Scene scene, string name, params string[] components)
        {
            var made = call.Edits.Create(scene, name);
            foreach (var component in components)
            {
                ComponentCommands.AddTo(call, made, TypeNamed(component) ?? throw Missing(Package, component));
            }
            return made;
        }

        private static void AddRow(GameObject made, ChangeReport report)
        {
            var path = ChangeTarget.PathOf(made);
            report.Add(path, "path", null, path);
            report.Add(path, "components", null, ObjectNode.ComponentsOf(made));
            report.Touched(made);
        }

        // As the menu takes the one that is there (MenuOptions.GetOrCreateCanvasGameObject).
        private static GameObject FirstCanvas(Scene scene)
        {
            var all = scene.GetRootGameObjects().SelectMany(root => root.GetComponentsInChildren(typeof(Canvas), false))
                .Cast<Canvas>();
            var first = all.FirstOrDefault(canvas => canvas.gameObject.activeInHierarchy && canvas.isRootCanvas
                && canvas.renderMode != RenderMode.WorldSpace);
            return first == null ? null : first.gameObject;
        }

        // Of a prefab's file or stage, Unity itself shows a root with a RectTransform below a Canvas that is not in
        // it (PrefabStage, "Canvas (Environment)").
        private static bool HasCanvasAbove(ChangeCall call, GameObject above)
        {
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            var isOfPrefab = above != null && (call.Holds(above) || (stage != null && stage.scene == above.scene));
            if (isOfPrefab && above.transform.root is RectTransform)
            {
                return true;
            }
            for (var at = above == null ? null : above.transform; at != null; at = at.parent)
            {
                if (at.gameObject.GetComponent(typeof(Canvas)) != null)
                {
                    return true;
                }
            }
            return false;
        }

        private static bool HasEventSystem()
        {
            var type = TypeNamed("UnityEngine.EventSystems.EventSystem");
            return type != null && UnsavedWork.Scenes().Where(scene => scene.isLoaded)
                .SelectMany(scene => scene.GetRootGameObjects())
                .Any(root => root.GetComponentsInChildren(type, true).Length > 0);
        }

        private static int UiLayer() => LayerMask.NameToLayer("UI") is var layer && layer >= 0 ? layer : 0;
    }
}
