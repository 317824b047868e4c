using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Objects
{
    /// <summary>Something with children: all scenes, a scene, an object.</summary>
    internal abstract class HierarchyNode
    {
        public abstract string Name { get; }

        public abstract int ChildCount { get; }

        /// <summary>Null for one that is gone.</summary>
        public abstract HierarchyNode Child(int index);

        /// <summary>Of the first so many children those that are not gone.</summary>
        public IEnumerable<HierarchyNode> Children(int most = int.MaxValue) =>
            Enumerable.Range(0, Math.Min(ChildCount, most)).Select(Child).Where(child => child != null);

        /// <summary>Its members of an item, besides its path.</summary>
        public virtual void Describe(JsonObject item)
        {
        }

        /// <summary>Null for what is no object.</summary>
        public virtual GameObject Object => null;
    }

    internal sealed class AllScenesNode : HierarchyNode
    {
        private readonly List<OpenScene> _scenes;

        public AllScenesNode(List<OpenScene> scenes)
        {
            _scenes = scenes;
        }

        public override string Name => "";

        public override int ChildCount => _scenes.Count;

        public override HierarchyNode Child(int index) => new SceneNode(_scenes[index]);
    }

    internal sealed class SceneNode : HierarchyNode
    {
        private readonly OpenScene _scene;
        private GameObject[] _roots;

        public SceneNode(OpenScene scene)
        {
            _scene = scene;
        }

        public string Path => _scene.Path;

        // As in the path, which distinguishes equal names.
        public override string Name => string.IsNullOrEmpty(_scene.Scene.name) ? "Untitled" : _scene.Scene.name;

        public override int ChildCount => Roots.Length;

        public override HierarchyNode Child(int index) =>
            Roots[index] == null ? null : new ObjectNode(Roots[index].transform);

        public override void Describe(JsonObject item)
        {
            item["scene"] = _scene.Scene.path ?? "";
            item["loaded"] = _scene.Scene.isLoaded;
        }

        // One call; asking for each by its index would build the list again every time.
        private GameObject[] Roots =>
            _roots ??= _scene.Scene.isLoaded ? _scene.Scene.GetRootGameObjects() : new GameObject[0];
    }

    internal sealed class ObjectNode : HierarchyNode
    {
        private const int MaxComponents = 100;

        private static readonly List<Component> Components = new List<Component>();

        private readonly Transform _transform;

        public ObjectNode(Transform transform)
        {
            _transform = transform;
        }

        public override string Name => _transform.name;

        public override GameObject Object => _transform == null ? null : _transform.gameObject;

        public override int ChildCount => _transform == null ? 0 : _transform.childCount;

        public override HierarchyNode Child(int index) =>
            index < ChildCount ? new ObjectNode(_transform.GetChild(index)) : null;

        public override void Describe(JsonObject item)
        {
            DescribeActive(item, Object);
            item["components"] = ComponentsOf(Object);
        }

        public static void DescribeActive(JsonObject item, GameObject target)
        {
            item["active"] = target.activeInHierarchy;
            if (target.activeSelf != target.activeInHierarchy)
            {
                item["active_self"] = target.activeSelf;
            }
        }

        public static List<object> ComponentsOf(GameObject target)
        {
            target.GetComponents(typeof(Component), Components);
            var names = Cut.List(Components.Select(component => TypeNames.NameOf(component)), MaxComponents);
            Components.Clear();
            return names;
        }
    }
}
