using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;

namespace UnityEditor
{
    public sealed partial class EditorApplication
    {
        /// <summary>Thread-safe, as the next one (EditorApplication.bindings.cs).</summary>
        public static string applicationContentsPath { get { return Native.Editor.ContentsPath; } }

        /// <summary>Internal, and there from 6000.3 on; null stands for a Unity that does not have it.</summary>
        internal static string applicationScriptingPath { get { return Native.Editor.ScriptingPath; } }
    }

    public sealed partial class EditorGUILayout
    {
        /// <summary>A click on its label toggles it.</summary>
        public static bool ToggleLeft(string label, bool value, params GUILayoutOption[] options)
        {
            var shown = HeadlessGui.Click == label ? !value : value;
            Draw("[" + (shown ? "x" : " ") + "] " + label);
            return shown;
        }
    }
}

namespace UnityEditor.Compilation
{
    public enum AssembliesType { Editor, Player, PlayerWithoutTestAssemblies }

    public class ScriptCompilerOptions
    {
        public string LanguageVersion { get; internal set; }
    }

    /// <summary>CompilationPipeline.cs: allReferences are the outputs of other assemblies, relative to the project, and
    /// compiled assemblies, which have whole paths.</summary>
    public class Assembly
    {
        public string name { get; internal set; }
        public string outputPath { get; internal set; }
        public string[] defines { get; internal set; }
        public string[] allReferences { get; internal set; }
        public ScriptCompilerOptions compilerOptions { get; internal set; }
    }

    public static partial class CompilationPipeline
    {
        [Flags]
        public enum PrecompiledAssemblySources { UserAssembly = 1, UnityEngine = 2, UnityEditor = 4,
            SystemAssembly = 8, All = -1 }

        // Those of the packages of a usual project.
        private const int Others = 300;

        /// <summary>Takes tens to hundreds of milliseconds on the main thread in a project with hundreds of assemblies.
        /// An assembly that has not been compiled yet is listed too, with the path that it will have
        /// (EditorCompilation.cs, GetAllScriptAssemblies).</summary>
        public static Assembly[] GetAssemblies(AssembliesType assembliesType)
        {
            Native.RequireMainThread("CompilationPipeline.GetAssemblies");
            Native.Editor.Say("get-assemblies");
            var options = new ScriptCompilerOptions { LanguageVersion = "9.0" };
            var defines = new[] { "UNITY_EDITOR", "UNITY_2021_3_OR_NEWER" };
            var references = Locations(assembly => !assembly.GetName().Name.StartsWith("UnityBridge."));
            var own = Locations(assembly => assembly.GetName().Name == "UnityBridge.Editor").FirstOrDefault();
            var others = Enumerable.Range(0, Others)
                .Select(number => new Assembly { name = "Other" + number, defines = defines,
                outputPath = "Library/ScriptAssemblies/Other" + number
                + ".dll", allReferences = references, compilerOptions = options });
            var scripts = Native.Editor.ScriptAssemblies().Select(line => line.Split('|')[0])
                .Select(path => new Assembly
            {
                name = System.IO.Path.GetFileNameWithoutExtension(path), outputPath = path, defines =
                    defines, allReferences = references, compilerOptions = options,
            });
            return new[]
            {
                // An assembly for players names the class libraries of another profile.
                new Assembly { name = "Game", outputPath = "Library/ScriptAssemblies/Game.dll", defines = defines,
                    allReferences = new[] { "/nowhere/mscorlib.dll" }, compilerOptions = options },
                new Assembly { name = "UnityBridge.Editor",
                    outputPath = own ?? "Library/ScriptAssemblies/UnityBridge.Editor.dll",
                    defines = defines, allReferences = references, compilerOptions = options },
            }.Concat(others).Concat(scripts).ToArray();
        }

        public static string[] GetPrecompiledAssemblyPaths(PrecompiledAssemblySources precompiledAssemblySources)
        {
            Native.RequireMainThread("CompilationPipeline.GetPrecompiledAssemblyPaths");
            return Locations(assembly => assembly.GetName().Name.StartsWith("Unity"));
        }

        private static string[] Locations(Func<System.Reflection.Assembly, bool> wanted)
        {
            return AppDomain.CurrentDomain.GetAssemblies()
                .Where(assembly => !assembly.IsDynamic && wanted(assembly) && assembly.Location.Length > 0)
                .Select(assembly => assembly.Location).ToArray();
        }
    }
}
