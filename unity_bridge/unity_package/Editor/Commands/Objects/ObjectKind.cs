using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityEngine.Rendering;
using UnityEngine.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>What <c>create_object</c> can make by a word, as Unity's menu <i>GameObject</i> makes it
    /// (GOCreationCommands.cs, 2021.3 to 6000.7). Main thread.</summary>
    internal class ObjectKind
    {
        private const string PhysicsModule = "com.unity.modules.physics";
        private const string Audio = "com.unity.modules.audio";

        private static readonly Dictionary<string, ObjectKind> All = new Dictionary<string, ObjectKind>
        {
            { "cube", Primitive("Cube") }, { "sphere", Primitive("Sphere") }, { "capsule", Primitive("Capsule") },
            { "cylinder", Primitive("Cylinder") }, { "plane", Primitive("Plane") }, { "quad", Primitive("Quad") },
            { "camera", new ObjectKind("Camera", Audio, "UnityEngine.Camera", "UnityEngine.AudioListener") },
            { "directional_light", new ObjectKind(
                "Directional Light", "", "UnityEngine.Light") { Rotation = new Vector3(50, -30, 0), _light =
                LightType.Directional } },
            { "point_light", new ObjectKind("Point Light", "", "UnityEngine.Light") { _light = LightType.Point } },
            { "spot_light", new ObjectKind(
                "Spot Light", "", "UnityEngine.Light") { Rotation = new Vector3(90, 0, 0), _light = LightType.Spot } },
            { "particle_system", new ObjectKind(
                "Particle System", "com.unity.modules.particlesystem", "UnityEngine.ParticleSystem") { Rotation =
                new Vector3(-90, 0, 0) } },
            { "audio_source", new ObjectKind("Audio Source", Audio, "UnityEngine.AudioSource") },
            { "sprite", new ObjectKind("Sprite", "", "UnityEngine.SpriteRenderer") },
            { "3d_text", new ObjectKind("Text", "com.unity.modules.textrendering", "UnityEngine.TextMesh",
            "UnityEngine.MeshRenderer") },
            { "canvas", new UiKind("Canvas", "") }, { "event_system", new UiKind("EventSystem", "") },
            { "panel", new UiKind("Panel", "CreatePanel") }, { "text", new UiKind("Text", "CreateText") },
            { "image", new UiKind("Image", "CreateImage") },
            { "button", new UiKind("Button", "CreateButton") },
            { "input_field", new UiKind("InputField", "CreateInputField") },
            { "toggle", new UiKind("Toggle", "CreateToggle") }, { "slider", new UiKind("Slider", "CreateSlider") },
        };

        // As other bridges and models call them.
        private static readonly Dictionary<string, string> OtherNames = NameTable.Read(
            "directional_light: light directional", "point_light: point", "spot_light: spot",
            "text: ui_text text_mesh_pro textmeshpro", "button: ui_button", "image: ui_image", "panel: ui_panel",
            "particle_system: particles", "audio_source: audio", "3d_text: text_mesh");

        private readonly string _package;
        private readonly string[] _components;
        private PrimitiveType? _primitive;
        private LightType? _light;
        private bool _isResolved;

        protected ObjectKind(string name, string package, params string[] components)
        {
            Name = name;
            _package = package;
            _components = components;
        }

        public string Name { get; }

        /// <summary>In degrees; null for none.</summary>
        public Vector3? Rotation { get; private set; }

        public List<Type> Components { get; private set; } = new List<Type>();

        /// <summary>The kind of that name, whose types are all there; null for an empty object.</summary>
        public static ObjectKind Find(string name)
        {
            var spelt = CommandDeclaration.SnakeCase(name.Replace(' ', '_').Replace('-', '_'));
            spelt = OtherNames.TryGetValue(spelt, out var other) ? other : spelt;
            if (spelt is "empty" or "empty_object" or "game_object" or "gameobject")
            {
                return null;
            }
            if (!All.TryGetValue(spelt, out var kind))
            {
                var nearest = All.Keys.Where(key => Spelling.IsSlip(spelt, key)).ToList();
                throw ChangeTarget.Refused("There is no kind " + Quoted.Text(name) + ". "
                    + (nearest.Count > 0 ? "The nearest are " + string.Join(", ", nearest) + "." : OnlyCSharp.Can)
                    + " The kinds are " + string.Join(", ", All.Keys) + ".");
            }
            kind.Resolve();
            return kind;
        }

        /// <summary>A new object, with Undo. Where Unity puts it is not where it has to stay.</summary>
        public virtual GameObject Create(ChangeCall call, Scene scene, string name)
        {
            if (_primitive is { } shape)
            {
                return call.Edits.CreatePrimitive(shape);
            }
            var created = call.Edits.Create(scene, name);
            ComponentCommands.AddTo(call, created, Components[0]);
            foreach (var type in Components.Skip(1))
            {
                call.Edits.AddComponent(created, type);
            }
            if (_light is { } light && created.GetComponent(typeof(Light)) is Light made)
            {
                made.type = light;
            }
            UseParticleMaterial(created);
            UseDefaultFont(created);
            return created;
        }

        /// <summary>Adds what a person would want to read about it.</summary>
        public virtual void Remark(GameObject created, ChangeReport report)
        {
        }

        /// <summary>The text that it shows; null for none.</summary>
        public virtual Component LabelOf(GameObject created) => null;

        protected virtual void Resolve()
        {
            // The types of a domain stay, and a batch asks two hundred times.
            if (_isResolved)
            {
                return;
            }
            // As Unity's menu: without the built-in package Audio, a camera has no listener.
            Components = _components.Select(TypeNamed).Where((type, place) => place == 0 || type != null).ToList();
            if (Components.Contains(null))
            {
                throw Missing(_package, _components[0]);
            }
            if (_primitive != null)
            {
                // CreatePrimitive adds them itself.
                Components.Clear();
            }
            _isResolved = true;
        }

        public static CommandRefused Missing(string package, string type) => Refuse.WithoutPackage(
            package, "The project has no " + type + ". Add the package " + package + " (packages action=add).");

        protected static Type TypeNamed(string name) =>
            TypeCache.GetTypesDerivedFrom(typeof(Component)).FirstOrDefault(type => type.FullName == name);

        private static ObjectKind Primitive(string name) =>
            new ObjectKind(name, PhysicsModule, "UnityEngine.BoxCollider")
        {
            _primitive = (PrimitiveType)Enum.Parse(typeof(PrimitiveType), name),
        };

        // As Unity's menu (GOCreationCommands.CreateText3D, 2021.3 to 6000.7): without the font's material the text is
        // magenta.
        private static void UseDefaultFont(GameObject created)
        {
            var text = created.GetComponents(typeof(Component))
                .FirstOrDefault(part => part.GetType().FullName == "UnityEngine.TextMesh");
            var font = text?.GetType().GetProperty("font");
            var standard = Members.Method(font?.PropertyType, "GetDefault")?.Invoke(null, null);
            if (standard == null)
            {
                return;
            }
            font.SetValue(text, standard, null);
            text.GetType().GetProperty("text")?.SetValue(text, "Hello World", null);
            created.GetComponents(typeof(Component)).OfType<MeshRenderer>().First().sharedMaterial =
                (Material)Members.Get(standard, "material");
        }

        // Unity's menu sets Material.GetDefaultParticleMaterial (GOCreationCommands.cs 2021.3.58f1:405,
        // 6000.7.0a1:488), which asks the pipeline in use (GraphicsSettings.bindings.cs); without the right one the
        // particles are magenta.
        private static void UseParticleMaterial(GameObject created)
        {
            var renderer = created.GetComponents(typeof(Component))
                .FirstOrDefault(component => component.GetType().FullName == "UnityEngine.ParticleSystemRenderer");
            if (renderer == null)
            {
                return;
            }
            var pipeline = GraphicsSettings.currentRenderPipeline;
            var material = pipeline != null ? pipeline.defaultParticleMaterial
                : AssetDatabase.GetBuiltinExtraResource(typeof(Material), "Default-ParticleSystem.mat");
            if (material != null)
            {
                renderer.GetType().GetProperty("sharedMaterial")?.SetValue(renderer, material, null);
            }
        }
    }
}
