using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityEngine
{
    public enum PrimitiveType { Sphere, Capsule, Cylinder, Cube, Plane, Quad }

    public sealed partial class GameObject
    {
        /// <summary>In the active scene, with a collider, and without Undo (GameObject.bindings.cs).</summary>
        public void SetActive(bool value) { Access("GameObject.SetActive"); IsOff = !value; }
        public static GameObject CreatePrimitive(PrimitiveType type)
        {
            return new GameObject(type.ToString(), typeof(MeshFilter), typeof(MeshRenderer), typeof(BoxCollider));
        }
    }

    public enum LightType { Spot, Directional, Point, Area }

    public partial class Light { public LightType type { get; set; } }

    public class Renderer : Component
    {
        /// <summary>Its own, since it is no Behaviour (GraphicsRenderers.bindings.cs); as Collider has one.</summary>
        public bool enabled { get; set; }
        public int sortingLayerID { get; set; }
        public Material sharedMaterial
        {
            get
            {
                var all = Fields.Root.Find("m_Materials");
                return all.Size == 0 ? null : all.At(1).Value as Material;
            }
            set { var all = Fields.Root.Find("m_Materials"); all.Resize(1); all.At(1).Value = value; }
        }
        /// <summary>In edit mode it makes a copy that nobody owns, with an error in the console (manual,
        /// Renderer.material).</summary>
        public Material material
        {
            get { Native.Editor.Say("VIOLATION Renderer.material makes a copy in edit mode"); return sharedMaterial; }
        }
    }

    public class MeshFilter : Component { }

    public class MeshRenderer : Renderer { }

    public class SpriteRenderer : Renderer { }

    [Module("particlesystem")]
    public class ParticleSystemRenderer : Renderer { }

    [Module("particlesystem")]
    [RequireComponent(typeof(ParticleSystemRenderer))]
    public class ParticleSystem : Component { }

    [Module("audio")]
    public class AudioListener : Behaviour { }

    [Module("audio")]
    public class AudioSource : Behaviour
    {
        public void Play() { }
        public void Stop() { }
    }

    [Module("physics")]
    public partial class Rigidbody : Component { }

    public class Sprite : Object { }

    public partial class Transform
    {
        public Vector3 localPosition
        {
            get { return Vector("m_LocalPosition"); }
            set { Set("m_LocalPosition", value.x, value.y, value.z); }
        }
        public Vector3 localScale
        {
            get { return Vector("m_LocalScale"); }
            set { Set("m_LocalScale", value.x, value.y, value.z); }
        }
        /// <summary>Kept as a quaternion.</summary>
        public Vector3 localEulerAngles
        {
            get { return localRotation.eulerAngles; }
            set
            {
                Native.Editor.Say("turned " + Owner.RawName + " " + value.x + " " + value.y + " " + value.z);
                var turn = Quaternion.Euler(value.x, value.y, value.z);
                Set("m_LocalRotation", turn.x, turn.y, turn.z, turn.w);
            }
        }

        private Vector3 Vector(string field)
        {
            Access("Transform." + field);
            var numbers = (float[])Fields.Root.Find(field).Value;
            return new Vector3(numbers[0], numbers[1], numbers[2]);
        }

        private void Set(string field, params float[] numbers)
        {
            Access("Transform." + field);
            Fields.Root.Find(field).Value = numbers;
        }
    }

    /// <summary>Runtime/Export/Shaders/Shader.bindings.cs. In the editor Find finds every imported shader; null for an
    /// unknown name.</summary>
    public sealed class Shader : Object
    {
        internal string[] Properties = new string[0];
        internal bool HasError;

        internal static readonly Shader[] All =
        {
            Of("Standard", "_Color:Color", "_MainTex:Texture", "_Metallic:Range", "_Offset:Vector", "_Count:Int",
                "_Glossiness:Range", "_BumpMap:Texture",
                "_EmissionColor:Color:HDR"),
            // Lit.shader of com.unity.render-pipelines.universal: _Color and _MainTex are obsolete and hidden.
            Of("Universal Render Pipeline/Lit", "_BaseMap:Texture:MainTexture", "_BaseColor:Color:MainColor",
                "_Smoothness:Range", "_Metallic:Range",
                "_BumpMap:Texture", "_EmissionColor:Color:HDR", "_MainTex:Texture:HideInInspector",
                "_Color:Color:HideInInspector"),
            // [Toggle(_RIM_ON)] _Rim
            Of("Game/Toggled", "_Rim:Float"),
            Of("Broken/Shader", "_Color:Color"),
        };

        private static Shader Of(string name, params string[] properties)
        {
            var made = new Shader { Properties = properties, HasError = name.StartsWith("Broken") };
            made.SetName(name);
            return made;
        }

        public bool isSupported { get { return !HasError; } }
        public static Shader Find(string name)
        {
            World.Read("Shader.Find");
            return All.FirstOrDefault(one => one.RawName == name);
        }
        public int GetPropertyCount() { return Properties.Length; }
        // -1 for a name that it has not (Shader.bindings.cs).
        public int FindPropertyIndex(string propertyName)
        {
            return Array.FindIndex(Properties, property => property.Split(':')[0] == propertyName);
        }
        public string GetPropertyName(int propertyIndex) { return Properties[propertyIndex].Split(':')[0]; }
        public Rendering.ShaderPropertyType GetPropertyType(int propertyIndex)
        {
            return (Rendering.ShaderPropertyType)Enum.Parse(
                typeof(Rendering.ShaderPropertyType), Properties[propertyIndex].Split(':')[1]);
        }
        public Rendering.ShaderPropertyFlags GetPropertyFlags(int propertyIndex)
        {
            var words = Properties[propertyIndex].Split(':');
            return words.Length < 3
                ? 0
                : (Rendering.ShaderPropertyFlags)Enum.Parse(typeof(Rendering.ShaderPropertyFlags), words[2]);
        }
    }

    /// <summary>Runtime/Export/Shaders/Material.bindings.cs. A property that the shader has not is kept, and an error
    /// in the console.</summary>
    public class Material : Object
    {
        private Dictionary<string, object> _values = new Dictionary<string, object>();

        public Material(Shader shader) { this.shader = shader; }

        public Shader shader { get; set; }
        public int renderQueue { get; set; } = -1;
        public bool enableInstancing { get; set; }
        public Vector2 mainTextureScale { get; set; }

        private readonly HashSet<string> _keywords = new HashSet<string>();

        public string[] shaderKeywords
        {
            get { Access("Material.shaderKeywords"); return _keywords.ToArray(); }
            set { _keywords.Clear(); _keywords.UnionWith(value); }
        }
        public bool IsKeywordEnabled(string keyword)
        {
            Access("Material.IsKeywordEnabled");
            return _keywords.Contains(keyword);
        }
        public void EnableKeyword(string keyword) { Access("Material.EnableKeyword"); _keywords.Add(keyword); }
        public void DisableKeyword(string keyword) { Access("Material.DisableKeyword"); _keywords.Remove(keyword); }

        /// <summary>As Unity's ShaderGUI of its shaders does: what has no keyword is not drawn.</summary>
        internal void Validate()
        {
            if (_values.ContainsKey("_EmissionColor")) _keywords.Add("_EMISSION");
        }

        internal void Draw()
        {
            if (!HasProperty("_Rim")) return;
            if (GetFloat("_Rim") > 0) _keywords.Add("_RIM_ON");
            else _keywords.Remove("_RIM_ON");
        }

        internal Dictionary<string, object> Values { get { return _values; } set { _values = value; } }

        public bool HasProperty(string name) { return shader.Properties.Any(one => one.Split(':')[0] == name); }
        public string GetTag(string tag, bool searchFallbacks, string defaultValue)
        {
            return shader.RawName.StartsWith("Universal") ? "UniversalPipeline" : defaultValue;
        }
        public Color GetColor(string name) { return Get(name, new Color { r = 1, g = 1, b = 1, a = 1 }); }
        public void SetColor(string name, Color value) { Set(name, value); }
        public Vector4 GetVector(string name) { return Get(name, new Vector4()); }
        public void SetVector(string name, Vector4 value) { Set(name, value); }
        public float GetFloat(string name) { return Get(name, 0f); }
        public void SetFloat(string name, float value) { Set(name, value); }
        public int GetInteger(string name) { return Get(name, 0); }
        public void SetInteger(string name, int value) { Set(name, value); }
        public Texture GetTexture(string name) { return Get<Texture>(name, null); }
        public void SetTexture(string name, Texture value) { Set(name, value); }

        private T Get<T>(string name, T fallback)
        {
            Access("Material.Get");
            object value;
            return _values.TryGetValue(name, out value) ? (T)value : fallback;
        }

        private void Set(string name, object value)
        {
            Access("Material.Set");
            if (!HasProperty(name))
            {
                Debug.LogError("Material '" + RawName + "' with Shader '" + shader.RawName
                    + "' doesn't have a property '" + name + "'");
            }
            _values[name] = value;
        }
    }

    internal static partial class World
    {
        /// <summary>An asset that a script has made is the one of its path now; what was there is gone (manual,
        /// AssetDatabase.CreateAsset).</summary>
        public static void Add(string path, Object asset)
        {
            Remove(path);
            asset.AssetPath = path;
            asset.LocalId = 11400000;
            Register(path, asset);
        }

        public static void Remove(string path)
        {
            Object there;
            if (!AssetByPath.TryGetValue(path, out there)) return;
            Assets.Remove(there);
            AssetByPath.Remove(path);
            AssetByGuid.Remove(GuidOf(path));
            there.AssetPath = "";
        }

        /// <summary>A scene that is opened alone has the objects of its file, and nothing of what was not
        /// saved.</summary>
        public static void Reopen(string path)
        {
            Object first;
            if (!ById.TryGetValue("in " + path, out first)) return;
            foreach (var root in Roots.Keys.ToList().SelectMany(RootsOf)) root.Destroy();
            ById["in " + path] = Make(path, first.RawName, "");
        }

        public static GameObject Duplicate(GameObject source)
        {
            var made = Copy(source, source.SceneFile, source.Own.Above == null ? null : source.Own.Above.Owner);
            Keep(source, made);
            return made;
        }

        // A copy of an instance is an instance of the same prefab, and a plain object's is plain.
        private static void Keep(GameObject from, GameObject to)
        {
            to.Source = from.Source;
            for (var i = 0; i < from.Own.Children.Count; i++)
            {
                Keep(from.Own.Children[i].Owner, to.Own.Children[i].Owner);
            }
        }

        public static void Rename(string scene, string now)
        {
            List<GameObject> roots;
            if (!Roots.TryGetValue(scene, out roots)) return;
            Roots.Remove(scene);
            Roots[now] = roots;
            foreach (var root in roots) root.EnterScene(now);
        }
    }

    public abstract partial class Native
    {
        /// <summary>NewScene and SaveScene: which scenes are open, and whether they have changes.</summary>
        public abstract void NewScene(bool alone);
        public abstract void SavedScene(string before, string path);
        public abstract void CleanScene(string path);
    }
}

namespace UnityEngine.Rendering
{
    public enum ShaderPropertyType { Color, Vector, Float, Range, Texture, Int }

    [Flags]
    public enum ShaderPropertyFlags { None = 0, HideInInspector = 1, HDR = 16, MainTexture = 128, MainColor = 256 }

    public class RenderPipelineAsset : ScriptableObject
    {
        public virtual Shader defaultShader { get { return Shader.Find("Universal Render Pipeline/Lit"); } }
        public virtual Material defaultMaterial { get { return null; } }
        public virtual Material defaultParticleMaterial { get { return null; } }
    }

    public class UniversalRenderPipelineAsset : RenderPipelineAsset
    {
        private static Material _particles;

        public override Material defaultParticleMaterial
        {
            get
            {
                if (ReferenceEquals(_particles, null))
                    _particles = new Material(
                        Shader.Find("Universal Render Pipeline/Lit")) { AssetPath =
                        "Packages/com.unity.universal/ParticlesUnlit.mat" };
                _particles.SetName("ParticlesUnlit");
                return _particles;
            }
        }
    }

    public sealed partial class GraphicsSettings : Object
    {
        public static RenderPipelineAsset renderPipelineAsset { get; set; }

        public static RenderPipelineAsset currentRenderPipeline
        {
            get
            {
                Native.RequireMainThread("GraphicsSettings.currentRenderPipeline");
                return Native.Editor.Quirk("universal") ? new UniversalRenderPipelineAsset() : null;
            }
        }
    }
}
