using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace UnityEditor
{
    /// <summary>What the native side knows of the types of this domain. Thread-safe, and complete once the domain is
    /// loaded. That it throws before is stricter than the sources up to 6000.7.0a1
    /// (Editor/Mono/TypeCache.bindings.cs).</summary>
    public static class TypeCache
    {
        internal static bool IsComplete;

        public static TypeCollection GetTypesDerivedFrom(Type parentType)
        {
            Require();
            return new TypeCollection(Types().Where(type => type != parentType && parentType.IsAssignableFrom(type)));
        }

        // Instance methods, and those that are not public, too; of an attribute also those with one that is derived
        // from it.
        public static MethodCollection GetMethodsWithAttribute(Type attrType)
        {
            Require();
            const BindingFlags any =
                BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
                | BindingFlags.DeclaredOnly;
            return new MethodCollection(
                Types().SelectMany(type => type.GetMethods(any)).Where(method => IsMarked(method, attrType)));
        }

        // The native side goes by the metadata, and finds a method also where the type of a parameter cannot be loaded.
        // Mono's reflection throws then, and does not report which attributes there are: such a method counts as found.
        private static bool IsMarked(MethodInfo method, Type attrType)
        {
            try
            {
                return method.IsDefined(attrType, false);
            }
            catch (System.IO.FileNotFoundException)
            {
                return true;
            }
        }

        // Nobody asks for types of the framework. The native side has tables of what it is asked for, while reflection
        // over the framework would take more of the processor than the whole rest of a reload.
        private static IEnumerable<Type> Types()
        {
            return AppDomain.CurrentDomain.GetAssemblies().Where(assembly => !IsFramework(assembly.GetName().Name))
                .SelectMany(assembly => assembly.GetTypes());
        }

        private static bool IsFramework(string name)
        {
            return name == "mscorlib" || name == "netstandard"
                || new[] { "System", "Mono", "Microsoft" }.Contains(name.Split('.')[0]);
        }

        private static void Require()
        {
            if (!IsComplete) throw new InvalidOperationException("Defer this query to a lifecycle callback");
        }

        public struct TypeCollection : IEnumerable<Type>
        {
            private readonly Type[] _types;

            internal TypeCollection(IEnumerable<Type> types)
            {
                _types = types.ToArray();
            }

            public int Count { get { return _types.Length; } }

            public IEnumerator<Type> GetEnumerator()
            {
                return ((IEnumerable<Type>)_types).GetEnumerator();
            }

            IEnumerator IEnumerable.GetEnumerator()
            {
                return GetEnumerator();
            }
        }

        public struct MethodCollection : IEnumerable<MethodInfo>
        {
            private readonly MethodInfo[] _methods;

            internal MethodCollection(IEnumerable<MethodInfo> methods)
            {
                _methods = methods.ToArray();
            }

            public int Count { get { return _methods.Length; } }

            public IEnumerator<MethodInfo> GetEnumerator()
            {
                return ((IEnumerable<MethodInfo>)_methods).GetEnumerator();
            }

            IEnumerator IEnumerable.GetEnumerator()
            {
                return GetEnumerator();
            }
        }
    }
}
