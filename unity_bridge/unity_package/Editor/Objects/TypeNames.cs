using System;
using System.Collections.Generic;
using UnityEngine;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>Names of types as a person writes them: Unity's own namespaces are left out. Main thread.</summary>
    internal static class TypeNames
    {
        public const string MissingScript = "(missing script)";

        private static readonly Dictionary<Type, string> Known = new Dictionary<Type, string>();

        public static string NameOf(Type type)
        {
            if (!Known.TryGetValue(type, out var name))
            {
                Known[type] = name = Shortened(type);
            }
            return name;
        }

        /// <summary>The type and those that it derives from, the nearest first.</summary>
        public static IEnumerable<Type> WithBases(Type type)
        {
            for (; type != null; type = type.BaseType)
            {
                yield return type;
            }
        }

        private static string Shortened(Type type)
        {
            var name = (type.FullName ?? type.Name).Replace('+', '.');
            var prefix = Array.Find(new[] { "UnityEngine.", "UnityEditor." }, name.Begins) ?? "";
            return name.Substring(prefix.Length);
        }

        /// <param name="component">Null where its script is missing.</param>
        public static string NameOf(Component component) =>
            component == null ? MissingScript : NameOf(component.GetType());

        public static string NameOf(Object target) => NameOf(target.GetType());
    }
}
