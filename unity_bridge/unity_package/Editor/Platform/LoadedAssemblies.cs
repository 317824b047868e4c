using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace UnityBridge.Platform
{
    /// <summary>The assemblies of this domain. The only file that uses what Unity's code-reload analyzers
    /// forbid.</summary>
    /// <remarks>From 6000.6 on they warn of <c>AppDomain</c>, <c>Assembly.Load</c> and <c>Assembly.Location</c>
    /// (UAC0005, 0006, 0007, 0020, 0023 in CustomScriptAssembly.cs), because with CoreCLR old generations of the code
    /// stay in the process, and code is loaded from memory. <c>UnityEngine.Assemblies.CurrentAssemblies</c> is public
    /// from 6000.5 on (CurrentAssemblies.cs, 6000.7.0a1), so it is found by its name.</remarks>
    internal static class LoadedAssemblies
    {
        private static readonly Func<IEnumerable<Assembly>> GetAll =
            Find("CurrentAssemblies", "GetLoadedAssemblies",
                typeof(Func<IEnumerable<Assembly>>)) as Func<IEnumerable<Assembly>>;
        private static readonly Func<Assembly, string> GetPath = Find(
            "AssemblyExtension", "GetLoadedAssemblyPath", typeof(Func<Assembly, string>)) as Func<Assembly, string>;
        private static readonly Func<byte[], byte[], Assembly> LoadBytes =
            Find("CurrentAssemblies", "LoadFromBytes",
                typeof(Func<byte[], byte[], Assembly>)) as Func<byte[], byte[], Assembly>;

#pragma warning disable UAC0005, UAC0006, UAC0007, UAC0020, UAC0023
        public static IEnumerable<Assembly> All => GetAll != null ? GetAll() : AppDomain.CurrentDomain.GetAssemblies();

        /// <summary>The type with that full name; null if no assembly has it.</summary>
        public static Type TypeNamed(string name) =>
            All.Select(assembly => assembly.GetType(name)).FirstOrDefault(type => type != null);

        /// <summary>The file of an assembly; empty if it has none.</summary>
        public static string PathOf(Assembly assembly) =>
            assembly.IsDynamic ? "" : (GetPath != null ? GetPath(assembly) : assembly.Location) ?? "";

        /// <param name="symbols">Null for none.</param>
        public static Assembly Load(byte[] assembly, byte[] symbols) =>
            LoadBytes != null
            ? LoadBytes(assembly, symbols)
            : symbols == null
            ? Assembly.Load(assembly)
            : Assembly.Load(assembly, symbols);
#pragma warning restore UAC0005, UAC0006, UAC0007, UAC0020, UAC0023

        // Null where this Unity has no such method.
        private static Delegate Find(string type, string name, Type wanted)
        {
            var owner = typeof(UnityEngine.Object).Assembly.GetType("UnityEngine.Assemblies." + type);
            foreach (var method in owner?.GetMethods(Members.Any) ?? new MethodInfo[0])
            {
                if (method.Name == name && Delegate.CreateDelegate(wanted, method, false) is { } found)
                {
                    return found;
                }
            }
            return null;
        }
    }
}
