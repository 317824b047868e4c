using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine.SceneManagement;

namespace UnityEngine
{
    /// <summary>An object that was destroyed equals null, and throws at every other access (UnityEngineObject.bindings.cs).</summary>
    public partial class Object
    {
        private FieldList _fields;
        private string _name = "";

        internal bool IsDestroyed, IsBroken;
        internal long LocalId;
        internal string AssetPath = "";

        internal FieldList Fields { get { return _fields ?? (_fields = FieldList.Of(this)); } }

        public string name { get { Access("Object.name"); return Named._name; } }

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
            if (IsDestroyed) throw new MissingReferenceException("The object of type '" + GetType().Name + "' has been destroyed but you are still trying to access it.");
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
    }

    /// <summary>Runtime/Export/Scripting/GameObject.bindings.cs. A component whose script is missing is null in its lists.</summary>
    public sealed partial class GameObject : Object
    {
        internal readonly string SceneFile;
        internal readonly Transform Own = new Transform();
        internal readonly List<Component> Components = new List<Component>();
        internal bool IsOff;

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
        public bool isStatic { get { Access("GameObject.isStatic"); return false; } }
        public int layer { get { Access("GameObject.layer"); return 0; } }
        public string tag { get { Access("GameObject.tag"); return "Untagged"; } }
        public Scene scene { get { Access("GameObject.scene"); return new Scene(SceneFile.Length == 0 ? null : SceneFile); } }

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
            return Components.Where(component => ReferenceEquals(component, null) || type.IsInstanceOfType(component)).ToArray();
        }

        public void GetComponents(Type type, List<Component> results)
        {
            results.Clear();
            results.AddRange(GetComponents(type));
        }

        internal void Add(string component)
        {
            Component made = null;
            switch (component)
            {
                case "missing": break;
                case "Light": made = new Light(); break;
                case "BoxCollider": made = new BoxCollider(); break;
                case "Enemy": made = new Game.Enemy(); break;
                default: Native.Editor.Say("FAILED world has no component " + component); break;
            }
            if (!ReferenceEquals(made, null))
            {
                made.Owner = this;
                made.LocalId = LocalId * 100 + Components.Count;
            }
            Components.Add(made);
        }

        internal void Destroy()
        {
            foreach (var child in Own.Children.ToArray()) child.Owner.Destroy();
            if (Own.Above != null) Own.Above.Children.Remove(Own);
            else World.Roots[SceneFile].Remove(this);
            foreach (var component in Components.Where(component => !ReferenceEquals(component, null))) component.IsDestroyed = true;
            IsDestroyed = true;
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
        public static string LayerToName(int layer)
        {
            Native.RequireMainThread("LayerMask.LayerToName");
            return layer == 0 ? "Default" : "";
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
    }

    /// <summary>An asset of the project's own kind.</summary>
    public class Data : UnityEngine.ScriptableObject
    {
    }
}
