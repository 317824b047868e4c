using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// The C# compiler that the editor itself uses, and the .NET that runs it. Immutable.
    /// </summary>
    /// <remarks>
    /// Where they are (BeeScriptCompilation.cs and NetCoreProgram.cs of UnityCsReference). 2021.3 to 6000.2:
    /// <c>DotNetSdkRoslyn/csc.dll</c> and <c>NetCoreRuntime/dotnet</c> below applicationContentsPath. 6000.3 and
    /// 6000.4: the same below the internal applicationScriptingPath, on macOS <c>Contents/Resources/Scripting</c>. From
    /// 6000.5:
    /// <c>DotNetSdk/sdk/VERSION/Roslyn/bincore/csc.dll</c> and <c>DotNetSdk/dotnet</c> there.
    /// </remarks>
    internal sealed class EditorToolchain
    {
        private EditorToolchain(string compiler, string dotnet)
        {
            Compiler = compiler;
            Dotnet = dotnet;
        }

        /// <summary>csc.dll.</summary>
        public string Compiler { get; }

        /// <summary>The program that runs it.</summary>
        public string Dotnet { get; }

        /// <summary>Where this Unity may have them.</summary>
        public static IReadOnlyList<string> Roots()
        {
            var contents = EditorApplication.applicationContentsPath;
            return new[] { Members.Get(typeof(EditorApplication), "applicationScriptingPath") as string, contents,
                Path.Combine(contents, "Resources", "Scripting") }
                .Where(root => !string.IsNullOrEmpty(root)).Distinct().ToList();
        }

        /// <summary>Null where none of the folders has them.</summary>
        public static EditorToolchain FindBelow(IEnumerable<string> roots)
        {
            foreach (var root in roots)
            {
                var compiler = CompilersBelow(root).FirstOrDefault(File.Exists);
                var dotnet = compiler == null ? null : RuntimesFor(root, compiler).FirstOrDefault(File.Exists);
                if (dotnet != null)
                {
                    return new EditorToolchain(compiler, dotnet);
                }
            }
            return null;
        }

        private static IEnumerable<string> CompilersBelow(string root)
        {
            var sdks = Path.Combine(root, "DotNetSdk", "sdk");
            var versions = Directory.Exists(sdks) ? Directory.GetDirectories(sdks) : new string[0];
            // Unity takes the first one that has such a name (BeeScriptCompilation.cs, 6000.6).
            return versions.Where(folder => Version.TryParse(Path.GetFileName(folder), out _))
                .OrderByDescending(folder => Version.Parse(Path.GetFileName(folder)))
                .Select(folder => Path.Combine(folder, "Roslyn", "bincore", "csc.dll"))
                .Concat(new[] { Path.Combine(root, "DotNetSdkRoslyn", "csc.dll") });
        }

        // A compiler of an SDK is newer than the runtime next to it, which is for other tools.
        private static IEnumerable<string> RuntimesFor(string root, string compiler)
        {
            var isOfSdk = compiler.Begins(Path.Combine(root, "DotNetSdk", "sdk"));
            var folders = isOfSdk ? new[] { "DotNetSdk", "NetCoreRuntime" } : new[] { "NetCoreRuntime", "DotNetSdk" };
            return folders.SelectMany(
                folder => new[] { Path.Combine(root, folder, "dotnet.exe"), Path.Combine(root, folder, "dotnet") });
        }
    }
}
