using System;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityBridge.Tools
{
    /// <summary>Names of types as a person writes them: Unity's own namespaces are left out.</summary>
    internal static class TypeNames
    {
        public const string MissingScript = "(missing script)";

        public static string Of(Type type)
        {
            var name = (type.FullName ?? type.Name).Replace('+', '.');
            foreach (var prefix in new[] { "UnityEngine.", "UnityEditor." })
            {
                if (name.StartsWith(prefix, StringComparison.Ordinal))
                {
                    return name.Substring(prefix.Length);
                }
            }
            return name;
        }

        /// <param name="component">Null where its script is missing.</param>
        public static string Of(Component component) => component == null ? MissingScript : Of(component.GetType());

        public static string Of(Object target) => Of(target.GetType());
    }
}
