using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;

namespace UnityEngine
{
    /// <summary>Components that a built-in package has. In a project without that package none can be added, and code
    /// that names one does not compile (manual, "Disable a built-in package"; CS1069 as in reports). A project without
    /// a manifest gets one with all of them.</summary>
    [AttributeUsage(AttributeTargets.Class)]
    internal sealed class ModuleAttribute : Attribute
    {
        private static readonly Dictionary<string, string[]> Needs = new Dictionary<string, string[]>
        {
            { "com.unity.ugui", new[] { "com.unity.modules.ui", "com.unity.modules.imgui" } },
            { "com.unity.modules.uielements",
                new[] { "com.unity.modules.ui", "com.unity.modules.imgui", "com.unity.modules.jsonserialize" } },
            { "com.unity.modules.screencapture", new[] { "com.unity.modules.imageconversion" } },
            { "com.unity.test-framework", new[] { "com.unity.modules.imgui", "com.unity.modules.jsonserialize" } },
        };

        public readonly string Package;

        public ModuleAttribute(string name)
        {
            Package = "com.unity.modules." + name;
        }

        /// <summary>Says why in the console where it cannot.</summary>
        public static bool CanAdd(Type type)
        {
            var module = type.GetCustomAttributes(typeof(ModuleAttribute), true).Cast<ModuleAttribute>()
                .FirstOrDefault();
            if (module == null || module.IsIn(Path.GetDirectoryName(Native.Editor.DataPath))) return true;
            Debug.LogError("Can't add component '" + type.Name + "' because the package " + module.Package
                + " is disabled.");
            return false;
        }

        /// <summary>The names of the types that code of this project cannot use, as an alternative of a regular
        /// expression.</summary>
        public static string Missing(string project)
        {
            return string.Join("|", typeof(ModuleAttribute).Assembly.GetTypes()
                .Where(type => type.GetCustomAttributes(typeof(ModuleAttribute), true).Cast<ModuleAttribute>()
                    .Any(module => !module.IsIn(project)))
                .Select(type => type.Name));
        }

        private bool IsIn(string project)
        {
            var packages = Path.Combine(project, "Packages");
            if (!File.Exists(Path.Combine(packages, "manifest.json"))) return true;
            var embedded = Directory.GetDirectories(packages).Select(folder => Path.Combine(folder, "package.json"))
                .Where(File.Exists);
            var wanted = new HashSet<string>();
            foreach (var file in embedded.Concat(new[] { Path.Combine(packages, "manifest.json") }))
            {
                var dependencies = Regex.Match(File.ReadAllText(file), "\"dependencies\"\\s*:\\s*\\{([^}]*)")
                    .Groups[1].Value;
                foreach (Match name in Regex.Matches(dependencies, "\"([^\"]+)\"\\s*:"))
                {
                    wanted.Add(name.Groups[1].Value);
                    if (Needs.TryGetValue(name.Groups[1].Value, out var further)) wanted.UnionWith(further);
                }
            }
            return wanted.Contains(Package);
        }
    }
}
