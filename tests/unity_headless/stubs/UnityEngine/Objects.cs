using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine.SceneManagement;

namespace UnityEngine
{
    /// <summary>Since 6000.3 (Runtime/Export/Scripting/UnityEngineObject.bindings.cs). Equal to its default value,
    /// None, or an object's.</summary>
    [Obsolete("The package is compiled in 2021.3, too.", true)]
    public struct EntityId
    {
        internal string Id;
    }

    /// <summary>An object that was destroyed equals null, and throws at every other access
    /// (UnityEngineObject.bindings.cs).</summary>
    public partial class Object
    {
        private FieldList _fields;
        private string _name = "";

        internal bool IsDestroyed, IsBroken;
        internal long LocalId;
        internal string AssetPath = "";

        internal FieldList Fields
        {
            get { return _fields ?? (_fields = FieldList.Of(this)); }
            set { _fields = value; }
        }

        public string name
        {
            get { Access("Object.name"); return Named._name; }
            set { Access("Object.name"); Named._name = value; }
        }

        internal string RawName { get { return _name; } }

        [Obsolete("The package is compiled in 2021.3, too.", true)]
        public EntityId GetEntityId()
        {
            Access("Object.GetEntityId");
            return new EntityId { Id = World.ById.First(pair => ReferenceEquals(pair.Value, this)).Key };
        }

        /// <summary>A component has the name of its object.</summary>
        internal virtual Object Named { get { return this; } }

        internal void SetName(string value)
        {
            _name = value;
        }

        internal void Access(string api)
        {
            World.Read(api);
            if (IsBroken) throw new UnityException("broken for the test");
            if (IsDestroyed)
            {
                throw new MissingReferenceException(
                    "The object of type '" + GetType().Name
                    + "' has been destroyed but you are still trying to access it.");
            }
        }

        public static bool operator ==(Object x, Object y)
        {
            var xIsNull = ReferenceEquals(x, null) || x.IsDestroyed;
            var yIsNull = ReferenceEquals(y, null) || y.IsDestroyed;
            return xIsNull || yIsNull ? xIsNull && yIsNull : ReferenceEquals(x, y);
        }

        public static bool operator !=(Object x, Object y)
        {
            return !(x == y);
        }

        public override bool Equals(object other)
        {
            return ReferenceEquals(this, other);
        }

        public override int GetHashCode()
        {
            return System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(this);
        }
    }

    public partial class Component : Object
    {
        internal GameObject Owner;

        internal override Object Named { get { return Owner; } }

        /// <summary>Not one that another component needs (manual, RequireComponent).</summary>
        internal override void Destroyed()
        {
            if (this is Transform || Owner.Components.Any(
                other => other != null && other != this
                && other.GetType().GetCustomAttributes(typeof(RequireComponent), true)
                .Cast<RequireComponent>().Any(one => one.m_Type0.IsInstanceOfType(this))))
            {
                Debug.LogError("Can't remove " + GetType().Name + " because another component depends on it");
                return;
            }
            Owner.Components.Remove(this);
            IsDestroyed = true;
        }

        public GameObject gameObject { get { Access("Component.gameObject"); return Owner; } }
        public Transform transform { get { Access("Component.transform"); return Owner.Own; } }
    }

    public partial class Behaviour : Component
    {
    }

    public partial class MonoBehaviour : Behaviour
    {
    }

    public partial class Light : Behaviour
    {
    }

    /// <summary>Runtime/Export/Scripting/AttributeHelperEngine.cs and the attributes it reads.</summary>
    [AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
    public sealed class RequireComponent : Attribute
    {
        public Type m_Type0, m_Type1, m_Type2;

        public RequireComponent(Type requiredComponent)
        {
            m_Type0 = requiredComponent;
        }
    }

    [AttributeUsage(AttributeTargets.Class, Inherited = false)]
    public sealed class DisallowMultipleComponent : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Class)]
    public class ExcludeFromObjectFactoryAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeReference : Attribute
    {
    }

    [Module("physics")]
    public partial class Collider : Component
    {
    }

    public partial class BoxCollider : Collider
    {
    }

    /// <summary>Runtime/Transform/ScriptBindings/Transform.bindings.cs.</summary>
    public partial class Transform : Component
    {
        internal readonly List<Transform> Children = new List<Transform>();
        internal Transform Above;

        public int childCount { get { Access("Transform.childCount"); return Children.Count; } }
        public Transform root
        {
            get
            {
                Access("Transform.root");
                var at = this;
                while (!ReferenceEquals(at.Above, null)) at = at.Above;
                return at;
            }
        }
        public Transform parent { get { Access("Transform.parent"); return Above; } }

        public Transform GetChild(int index)
        {
            Access("Transform.GetChild");
            if (index < 0 || index >= Children.Count) throw new UnityException("Transform child out of bounds");
            return Children[index];
        }

        public int GetSiblingIndex()
        {
            Access("Transform.GetSiblingIndex");
            return Above != null ? Above.Children.IndexOf(this) : Array.IndexOf(World.RootsOf(Owner.SceneFile), Owner);
        }

        public void SetSiblingIndex(int index)
        {
            Access("Transform.SetSiblingIndex");
            Place(Above, Owner.SceneFile, index);
        }

        public void SetAsLastSibling()
        {
            SetSiblingIndex(int.MaxValue);
        }

        /// <summary>True for itself, too.</summary>
        public bool IsChildOf(Transform parent)
        {
            Access("Transform.IsChildOf");
            var at = this;
            while (!ReferenceEquals(at, null) && !ReferenceEquals(at, parent)) at = at.Above;
            return !ReferenceEquals(at, null);
        }

        /// <summary>Takes it from its place, and puts it below another object or at the root of a scene. An index of
        /// -1: only taken.</summary>
        internal void Place(Transform parent, string scene, int index)
        {
            if (!ReferenceEquals(Above, null)) Above.Children.Remove(this);
            else if (World.Roots.ContainsKey(Owner.SceneFile)) World.Roots[Owner.SceneFile].Remove(Owner);
            if (index < 0) return;
            Above = parent;
            Owner.EnterScene(ReferenceEquals(parent, null) ? scene : parent.Owner.SceneFile);
            if (!ReferenceEquals(parent, null)) parent.Children.Insert(Math.Min(index, parent.Children.Count), this);
            else
            {
                List<GameObject> roots;
                if (!World.Roots.TryGetValue(scene, out roots)) World.Roots[scene] = roots = new List<GameObject>();
                roots.Insert(Math.Min(index, roots.Count), Owner);
            }
        }
    }

    /// <summary>Runtime/Transform/ScriptBindings/RectTransform.bindings.cs. Added to an object, it takes the place of
    /// its Transform.</summary>
    public sealed partial class RectTransform : Transform
    {
    }

    /// <summary>Runtime/Export/Scripting/GameObject.bindings.cs. A component whose script is missing is null in its
    /// lists.</summary>
    public sealed partial class GameObject : Object
    {
        internal string SceneFile;
        internal Transform Own = new Transform();
        internal readonly List<Component> Components = new List<Component>();
        internal bool IsOff;
        internal int Layer;
        internal string Tag = "Untagged";
        internal uint StaticFlags;
        /// <summary>The object of the prefab's file that this is an instance of, or null.</summary>
        internal GameObject Source;
        /// <summary>In contents that were loaded apart: the object of the file that it is, or null for a new
        /// one.</summary>
        internal GameObject Original;

        internal GameObject(string sceneFile, GameObject parent, string name)
        {
            SetName(name);
            SceneFile = parent == null ? sceneFile : parent.SceneFile;
            AssetPath = parent == null ? "" : parent.AssetPath;
            Own.Owner = this;
            Components.Add(Own);
            Own.Above = parent == null ? null : parent.Own;
            if (parent != null) parent.Own.Children.Add(Own);
            else if (sceneFile.Length > 0) Root(sceneFile);
        }

        public Transform transform { get { Access("GameObject.transform"); return Own; } }
        public bool activeSelf { get { Access("GameObject.activeSelf"); return !IsOff; } }
        public bool isStatic { get { Access("GameObject.isStatic"); return StaticFlags != 0; } }
        public int layer
        {
            get { Access("GameObject.layer"); return Layer; }
            set { Access("GameObject.layer"); Layer = value; }
        }
        public string tag { get { Access("GameObject.tag"); return Tag; } }
        public Scene scene
        {
            get { Access("GameObject.scene"); return new Scene(SceneFile.Length == 0 ? null : SceneFile); }
        }

        public bool activeInHierarchy
        {
            get
            {
                Access("GameObject.activeInHierarchy");
                var at = Own;
                while (!ReferenceEquals(at, null) && !at.Owner.IsOff) at = at.Above;
                return ReferenceEquals(at, null);
            }
        }

        public Component[] GetComponents(Type type)
        {
            Access("GameObject.GetComponents");
            return Components.Where(component => ReferenceEquals(component, null) || type.IsInstanceOfType(component))
                .ToArray();
        }

        public void GetComponents(Type type, List<Component> results)
        {
            results.Clear();
            results.AddRange(GetComponents(type));
        }

        public Component[] GetComponentsInChildren(Type type, bool includeInactive)
        {
            return GetComponents(type)
                .Concat(Own.Children.SelectMany(child => child.Owner.GetComponentsInChildren(type, includeInactive)))
                .Where(component => !ReferenceEquals(component, null)).ToArray();
        }

        internal void Add(string component)
        {
            var type = component == "missing"
                ? null
                : Type.GetType("UnityEngine." + component) ?? Type.GetType("Game." + component)
                ?? Type.GetType(component)
                ?? AppDomain.CurrentDomain.GetAssemblies().Select(assembly => assembly.GetType(component))
                .FirstOrDefault(found => found != null);
            if (type == null && component != "missing") Native.Editor.Say("FAILED world has no component " + component);
            if (type == null) Components.Add(null);
            else Add(type);
        }

        internal Component Add(Type type)
        {
            var made = (Component)Activator.CreateInstance(type);
            made.Owner = this;
            made.LocalId = LocalId * 100 + Components.Count;
            var rect = made as RectTransform;
            if (ReferenceEquals(rect, null)) Components.Add(made);
            else Become(rect);
            return made;
        }

        // The former transform is gone, and its children have the new one for a parent.
        internal void Become(Transform made)
        {
            var old = Own;
            made.Above = old.Above;
            if (!ReferenceEquals(old.Above, null)) old.Above.Children[old.Above.Children.IndexOf(old)] = made;
            foreach (var child in old.Children) child.Above = made;
            made.Children.Clear();
            made.Children.AddRange(old.Children);
            Components[Components.IndexOf(old)] = made;
            old.IsDestroyed = true;
            made.IsDestroyed = false;
            Own = made;
        }

        internal void EnterScene(string scene)
        {
            SceneFile = scene;
            foreach (var child in Own.Children) child.Owner.EnterScene(scene);
        }

        /// <summary>What SerializedObject has applied, or Undo has brought back.</summary>
        internal void TakeFields()
        {
            Layer = (int)(long)Fields.Root.Find("m_Layer").Value;
            SetName((string)Fields.Root.Find("m_Name").Value);
            Tag = (string)Fields.Root.Find("m_TagString").Value;
            IsOff = !(bool)Fields.Root.Find("m_IsActive").Value;
            StaticFlags = (uint)(long)Fields.Root.Find("m_StaticEditorFlags").Value;
        }

        internal void Destroy()
        {
            Mark(true);
            Own.Place(null, SceneFile, -1);
        }

        /// <summary>It and everything below it is there again, or gone.</summary>
        internal void Mark(bool isDestroyed)
        {
            foreach (var child in Own.Children) child.Owner.Mark(isDestroyed);
            foreach (var component in Components.Where(component => !ReferenceEquals(component, null)))
            {
                component.IsDestroyed = isDestroyed;
            }
            IsDestroyed = isDestroyed;
        }

        private void Root(string sceneFile)
        {
            List<GameObject> roots;
            if (!World.Roots.TryGetValue(sceneFile, out roots)) World.Roots[sceneFile] = roots = new List<GameObject>();
            roots.Add(this);
        }
    }

    public struct LayerMask
    {
        /// <summary>Those of the TagManager. 3 and from 6 on they are the project's (TagManagerInspector.cs).</summary>
        internal static string[] Names =
            "Default,TransparentFX,Ignore Raycast,,Water,UI".Split(',').Concat(Enumerable.Repeat("", 26)).ToArray();

        public static string LayerToName(int layer)
        {
            Native.RequireMainThread("LayerMask.LayerToName");
            return Names[layer];
        }

        /// <summary>-1 for a name that no layer has.</summary>
        public static int NameToLayer(string layerName)
        {
            Native.RequireMainThread("LayerMask.NameToLayer");
            return layerName == "" ? -1 : Array.IndexOf(Names, layerName);
        }
    }

    internal sealed class Folder : Object
    {
    }

    internal sealed class SceneFile : Object
    {
    }
}

namespace Game
{
    /// <summary>A script of the project.</summary>
    public class Enemy : UnityEngine.MonoBehaviour
    {
        private int _rage = 7;
        private Lazy _lazy = new Lazy();
        private readonly System.Collections.Generic.List<int> _wounds =
            new System.Collections.Generic.List<int> { 1, 2 };
        public int Armor { get; set; } = 3;
        public int Rage { get { throw new InvalidOperationException("a getter was called"); } }

        public void Roar() { }
        public void Hurt(int points) { _rage += points; }
        public void Follow(UnityEngine.GameObject target) { }
        public void Many(int one, int other) { }
        public static void Wipe() { }

        /// <summary>To read it is to run code of the project.</summary>
        private sealed class Lazy : System.Collections.Generic.IEnumerable<int>
        {
            public System.Collections.Generic.IEnumerator<int> GetEnumerator()
            {
                throw new InvalidOperationException("a collection was walked");
            }
            System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator()
            {
                throw new InvalidOperationException("a collection was walked");
            }
            public override string ToString() { throw new InvalidOperationException("a text was made"); }
        }
    }

    /// <summary>Needs another component, and there can be only one.</summary>
    [UnityEngine.RequireComponent(typeof(UnityEngine.BoxCollider))]
    [UnityEngine.DisallowMultipleComponent]
    public class Wheel : UnityEngine.MonoBehaviour
    {
    }

    /// <summary>Has colours in a structure and in lists.</summary>
    public class Painter : UnityEngine.MonoBehaviour
    {
        [Serializable]
        public struct Palette
        {
            public UnityEngine.Color dim;
            [UnityEngine.ColorUsage(true, true)] public UnityEngine.Color bright;
        }

        public Palette palette;
        public System.Collections.Generic.List<Palette> palettes;
    }

    public abstract class Vehicle : UnityEngine.MonoBehaviour
    {
    }

    /// <summary>What managed references refer to.</summary>
    [Serializable]
    public class Spell
    {
        public int power;
        [UnityEngine.SerializeReference] public Spell next;
    }

    [Serializable]
    public class Fireball : Spell
    {
        public string words = "";
        public float heat;
    }

    /// <summary>Fits no field of spells.</summary>
    [Serializable]
    public class Potion
    {
    }

    /// <summary>Unity serializes it with a warning (manual, MakeSerializable).</summary>
    public class Unmarked
    {
    }

    /// <summary>An asset of the project's own kind.</summary>
    public class Data : UnityEngine.ScriptableObject
    {
    }
}

namespace Rival
{
    /// <summary>Has a name that a script in another namespace has, too.</summary>
    public class Enemy : UnityEngine.MonoBehaviour
    {
    }
}
