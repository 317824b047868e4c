using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    /// <summary>The public types of the loaded assemblies, by name. Metadata only: no code of a type runs. Main
    /// thread.</summary>
    internal static class ApiIndex
    {
        private static readonly HashSet<Assembly> Known = new HashSet<Assembly>();
        private static readonly Dictionary<string, List<Type>> ByName =
            new Dictionary<string, List<Type>>(StringComparer.OrdinalIgnoreCase);
        private static readonly List<Type> Searched = new List<Type>();

        /// <summary>Those whose members are searched by words; .NET's own are found by the type's name.</summary>
        public static IReadOnlyList<Type> OfUnityAndProject => Searched;

        public static IEnumerable<Assembly> Unread() =>
            LoadedAssemblies.All.Where(assembly => !assembly.IsDynamic && !Known.Contains(assembly)).ToList();

        public static void Read(Assembly assembly)
        {
            if (!Known.Add(assembly))
            {
                return;
            }
            Type[] types;
            try
            {
                types = assembly.GetTypes();
            }
            catch (ReflectionTypeLoadException unreadable)
            {
                types = unreadable.Types;
            }
            var isNets = IsNets(assembly.GetName().Name);
            foreach (var type in types.Where(type => type != null && type.IsVisible))
            {
                if (!isNets)
                {
                    Searched.Add(type);
                }
                Add(ApiText.ShortName(type), type);
                Add(ApiText.FullName(type), type);
            }
        }

        /// <summary>The types with that full or short name, in this case of letters if there are such.</summary>
        public static List<Type> Named(string name)
        {
            var found = ByName.TryGetValue(name, out var types) ? types : new List<Type>();
            var exact = found.FindAll(type => ApiText.ShortName(type) == name || ApiText.FullName(type) == name);
            return exact.Count > 0 ? exact : found;
        }

        /// <summary>Neither Unity's nor .NET's.</summary>
        public static bool IsOfProject(Type type)
        {
            var name = type.Assembly.GetName().Name;
            return !IsNets(name) && !name.Begins("UnityEngine")
                && !name.Begins("UnityEditor")
                && !name.Begins("Unity.");
        }

        private static bool IsNets(string assembly) => assembly is "mscorlib" or "netstandard" or "System"
            || assembly.Begins("System.")
            || assembly.Begins("Mono.")
            || assembly.Begins("Microsoft.");

        private static void Add(string name, Type type)
        {
            if (!ByName.TryGetValue(name, out var types))
            {
                ByName[name] = types = new List<Type>();
            }
            if (!types.Contains(type))
            {
                types.Add(type);
            }
        }
    }

    /// <summary>The serialized fields of a component or a ScriptableObject of the project, by the names that set_fields
    /// takes.</summary>
    internal static class ApiFields
    {
        private const BindingFlags Own =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

        /// <summary>Null for another class.</summary>
        public static List<string> NamesOf(Type type)
        {
            var isSerialized =
                typeof(MonoBehaviour).IsAssignableFrom(type) || typeof(ScriptableObject).IsAssignableFrom(type);
            if (!isSerialized || !ApiIndex.IsOfProject(type))
            {
                return null;
            }
            var fields = new List<string>();
            for (var at = type; at != null && ApiIndex.IsOfProject(at); at = at.BaseType)
            {
                fields.InsertRange(0, at.GetFields(Own).Where(IsSerialized)
                    .Select(field => field.Name + ": " + ApiText.TypeText(field.FieldType)));
            }
            return fields;
        }

        // The rules of Unity's serializer (manual, "Script serialization rules").
        private static bool IsSerialized(FieldInfo field)
        {
            var attributes = CustomAttributeData.GetCustomAttributes(field)
                .Select(attribute => attribute.AttributeType.Name).ToList();
            if (field.IsInitOnly || field.IsNotSerialized)
            {
                return false;
            }
            return attributes.Contains("SerializeReference")
                || ((field.IsPublic || attributes.Contains("SerializeField")) && CanBe(field.FieldType, true));
        }

        private static bool CanBe(Type type, bool mayBeList)
        {
            var item = ArgumentType.ItemOf(type);
            if (item != null)
            {
                return mayBeList && CanBe(item, false);
            }
            return type.IsPrimitive || type.IsEnum || type == typeof(string)
                || typeof(UnityEngine.Object).IsAssignableFrom(type)
                || (!type.IsAbstract && !typeof(Delegate).IsAssignableFrom(type)
                    && !type.FullName.Begins("System.")
                    && (type.IsSerializable || !ApiIndex.IsOfProject(type)));
        }
    }
}
