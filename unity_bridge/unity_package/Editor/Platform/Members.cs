using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityBridge.Platform
{
    /// <summary>Members by their names: internals of Unity, and what a project, or a version of Unity, need not
    /// have.</summary>
    internal static class Members
    {
        public const BindingFlags Any = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public
            | BindingFlags.NonPublic | BindingFlags.FlattenHierarchy;

        /// <summary>Null where there is no such method, or no type.</summary>
        public static MethodInfo Method(Type type, string name, params Type[] parameters) =>
            type?.GetMethod(name, Any, null, parameters, null);

        /// <summary>A static method without parameters; null where there is none of this kind.</summary>
        public static T Static<T>(Type type, string name)
            where T : Delegate =>
            Method(type, name) is { } method ? Delegate.CreateDelegate(typeof(T), method, false) as T : null;

        /// <summary>A type and those that it derives from, itself first.</summary>
        public static IEnumerable<Type> Bases(Type type)
        {
            for (; type != null; type = type.BaseType)
            {
                yield return type;
            }
        }

        /// <summary>The value of a property or a field, of a type a static one; null where there is none, or no
        /// owner.</summary>
        public static object Get(object owner, string name)
        {
            var type = owner as Type ?? owner?.GetType();
            var target = owner is Type ? null : owner;
            return type?.GetProperty(name, Any) is { } property
                ? property.GetValue(target, null)
                : type?.GetField(name, Any)?.GetValue(target);
        }
    }
}
