using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Objects;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>The objects of the open scenes and the references that their components have, in small steps. Main
    /// thread.</summary>
    internal static class OpenObjects
    {
        // What makes an object what it is, and refers to nothing that somebody chose.
        private static readonly HashSet<string> Structure = new HashSet<string>(
            ("m_GameObject m_Component m_Father m_Children m_CorrespondingSourceObject m_PrefabInstance "
            + "m_PrefabAsset m_PrefabInternal m_PrefabParentObject").Split(' '));

        /// <summary>Parents first; every null is a step.</summary>
        public static IEnumerable<GameObject> Walk(List<Objects.OpenScene> scenes, IProgress<float> progress)
        {
            var roots = scenes.SelectMany(open => open.Scene.GetRootGameObjects()).ToList();
            for (var i = 0; i < roots.Count; i++)
            {
                progress?.Report(i / (float)roots.Count);
                var levels = new Stack<(HierarchyNode Parent, int Next)>();
                if (roots[i] != null)
                {
                    yield return roots[i];
                    levels.Push((new ObjectNode(roots[i].transform), 0));
                }
                while (levels.Count > 0)
                {
                    var (parent, next) = levels.Pop();
                    if (next < parent.ChildCount)
                    {
                        levels.Push((parent, next + 1));
                        if (parent.Child(next) is { Object: { } owner } child)
                        {
                            yield return owner;
                            levels.Push((child, 0));
                        }
                    }
                    yield return null;
                }
            }
        }

        /// <summary>The fields that refer to an object, hidden ones too: the same property, moved on; every null is a
        /// step.</summary>
        public static IEnumerable<SerializedProperty> References(Object part)
        {
            if (part == null)
            {
                yield break;
            }
            using var serialized = new SerializedObject(part);
            using var field = serialized.GetIterator();
            var seen = new HashSet<long>();
            for (var enters = true; part != null && field.Next(enters);)
            {
                var kind = field.propertyType;
                enters = kind == SerializedPropertyType.ManagedReference ? seen.Add(field.managedReferenceId)
                    : kind == SerializedPropertyType.Generic && !IsListOfValues(field);
                yield return kind == SerializedPropertyType.ObjectReference && !Structure.Contains(field.name) ? field
                    : null;
            }
        }

        public static bool IsPrefabMissing(GameObject owner)
        {
            var parent = owner.transform.parent;
            return PrefabUtility.IsPrefabAssetMissing(owner)
                && (parent == null || !PrefabUtility.IsPrefabAssetMissing(parent.gameObject));
        }

        // A mesh or a map of tiles has lists of a million numbers.
        private static bool IsListOfValues(SerializedProperty field)
        {
            if (!field.isArray || field.arraySize == 0)
            {
                return false;
            }
            using var first = field.GetArrayElementAtIndex(0);
            return first.propertyType is not (SerializedPropertyType.Generic or SerializedPropertyType.ManagedReference
                or SerializedPropertyType.ObjectReference);
        }
    }
}
