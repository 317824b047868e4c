using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor.Compilation;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>How the editor compiles a script of its own: assemblies, defines, the version of the language.
    /// Immutable.</summary>
    internal sealed class EditorReferences
    {
        private const string FallbackLanguage = "9.0";

        private static EditorReferences _loaded;

        private EditorReferences(IReadOnlyList<string> paths, IReadOnlyList<string> defines, string language)
        {
            Paths = paths;
            Defines = defines;
            Language = language;
        }

        /// <summary>Each assembly name once: Unity knows copies of one assembly in several folders.</summary>
        public IReadOnlyList<string> Paths { get; }

        public IReadOnlyList<string> Defines { get; }

        public string Language { get; }

        /// <summary>Main thread. Collected once in a domain: Unity takes up to hundreds of milliseconds for the list,
        /// and only a reload loads other assemblies.</summary>
        public static EditorReferences ForProject(string projectPath) => _loaded ??= Collect(projectPath);

        // What our own assembly is compiled with comes first, since that fits together and does compile: it has the
        // class libraries of the editor's profile, while an assembly for players may name those of .NET Standard.
        private static EditorReferences Collect(string projectPath)
        {
            var assemblies = CompilationPipeline.GetAssemblies(AssembliesType.Editor);
            var own = assemblies.FirstOrDefault(
                assembly => assembly.name == typeof(EditorReferences).Assembly.GetName().Name);
            var paths = (own?.allReferences ?? Loaded())
                .Concat(assemblies.Select(assembly => assembly.outputPath))
                .Concat(CompilationPipeline.GetPrecompiledAssemblyPaths(
                    CompilationPipeline.PrecompiledAssemblySources.UserAssembly
                    | CompilationPipeline.PrecompiledAssemblySources.UnityEngine
                    | CompilationPipeline.PrecompiledAssemblySources.UnityEditor))
                .Select(path => Path.Combine(projectPath, path))
                .Where(File.Exists)
                // 2021.3 may report an assembly of a package by a path that is no file; newer ones map it
                // (CompilationPipeline.cs, 6000.7).
                .Concat(Loaded().Where(path => path.StartsWith(projectPath, StringComparison.OrdinalIgnoreCase)));
            return new EditorReferences(
                OnceEach(paths), own?.defines ?? new[] { "UNITY_EDITOR" }, own?.compilerOptions?.LanguageVersion
                ?? FallbackLanguage);
        }

        private static List<string> OnceEach(IEnumerable<string> paths) =>
            paths.GroupBy(path => Path.GetFileNameWithoutExtension(path), StringComparer.OrdinalIgnoreCase)
            .Select(same => same.First()).ToList();

        // Where the pipeline does not know us: the package as a compiled assembly.
        private static IEnumerable<string> Loaded() =>
            LoadedAssemblies.All.Select(LoadedAssemblies.PathOf).Where(path => path.Length > 0);
    }
}
