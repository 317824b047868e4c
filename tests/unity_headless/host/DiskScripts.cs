using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using System.Threading;

namespace Headless
{
    /// <summary>
    /// The scripts below Assets, read and compiled as Unity does it: one assembly for each assembly definition, in the
    /// order of their references. The compiler is one that has already started.
    /// </summary>
    internal sealed class DiskScripts
    {
        private static readonly string[] Stubs = { "UnityEngine.dll", "UnityEngine.UI.dll", "UnityEditor.dll",
            "UnityEditor.TestRunner.dll", "nunit.framework.dll" };

        // Player Settings, Suppress Common Warnings, which is on (EditorCompilation.cs 2021.3.58f1:923-930; 6000.7 has
        // 0282 too).
        private const string Suppressed = "-nowarn:0169,0649,1701,1702";

        private readonly string _project;
        // guarded by itself
        private readonly Dictionary<string, string[]> _messages = new Dictionary<string, string[]>();
        private Thread _compiler;

        public DiskScripts(string project)
        {
            _project = project;
        }

        public bool IsOver { get { return _compiler == null || !_compiler.IsAlive; } }

        /// <summary>What the compiler said about an assembly that it has just been given; null for others.</summary>
        public string[] MessagesOf(string assembly)
        {
            lock (_messages) return _messages.TryGetValue(assembly, out var messages) ? messages : null;
        }

        /// <summary>The scripts as they were when they were read last, by path in the project.</summary>
        public Dictionary<string, string> ImportedTexts = new Dictionary<string, string>();

        /// <summary>The assemblies that there are, and the text of their scripts.</summary>
        public Dictionary<string, string> Read()
        {
            ImportedTexts = Definitions().SelectMany(one => one.Files())
                .ToDictionary(file => file.Substring(_project.Length + 1).Replace('\\', '/'), File.ReadAllText);
            return Definitions().ToDictionary(
                one => one.Name, one => string.Concat(
                    one.Files().Select(file => file + "\n" + File.ReadAllText(file) + "\n"))
                + string.Join(" ", one.References));
        }

        /// <summary>Where the assemblies are that have compiled, with the mode of the tests in each.</summary>
        public string[] Compiled()
        {
            return Definitions().Where(one => File.Exists(PathOf(one.Name)))
                .Select(one => PathOf(one.Name) + "|" + (one.IsForEditor ? "edit" : "play")).ToArray();
        }

        /// <summary>Compiles these assemblies, and those that refer to them, in a thread of its own.</summary>
        public void Begin(ICollection<string> changed)
        {
            lock (_messages) _messages.Clear();
            var definitions = Definitions();
            _compiler = new Thread(() => Compile(definitions, new HashSet<string>(changed))) { IsBackground = true,
                Name = "compiler" };
            _compiler.Start();
        }

        public void Wait()
        {
            _compiler.Join();
        }

        private void Compile(List<Definition> definitions, HashSet<string> changed)
        {
            var failed = new HashSet<string>();
            foreach (var definition in Ordered(definitions))
            {
                if (definition.References.Any(failed.Contains)) failed.Add(definition.Name);
                else if (changed.Contains(definition.Name) || definition.References.Any(changed.Contains))
                {
                    changed.Add(definition.Name);
                    if (!Compile(definition)) failed.Add(definition.Name);
                }
            }
        }

        private static IEnumerable<Definition> Ordered(List<Definition> left)
        {
            var done = new HashSet<string>();
            while (left.Count > 0)
            {
                var next = left.FirstOrDefault(
                    one => one.References.All(name => done.Contains(name) || left.All(other => other.Name != name)))
                    ?? left[0];
                left.Remove(next);
                done.Add(next.Name);
                yield return next;
            }
        }

        private bool Compile(Definition definition)
        {
            var ofModules = OfMissingModules(definition);
            var output = PathOf(definition.Name);
            var draft = Path.Combine(Path.GetDirectoryName(output), "new", Path.GetFileName(output));
            Directory.CreateDirectory(Path.GetDirectoryName(draft));
            var isCompiled = false;
            var options = new[] { "-target:library", "-nostdlib", "-langversion:9", "-debug:portable", Suppressed,
                "-out:" + draft };
            var lines = ofModules.Length > 0 ? ofModules
                : Asked(out isCompiled, options.Concat(References(definition).Select(path => "-r:" + path))
                    .Concat(definition.Files()).ToArray());
            lock (_messages) _messages[definition.Name] = lines;
            if (!isCompiled) return false;
            File.Copy(draft, output, true);
            return true;
        }

        private IEnumerable<string> References(Definition definition)
        {
            var system = Path.GetDirectoryName(typeof(object).Assembly.Location);
            return new[] { "mscorlib.dll", "System.dll", "System.Core.dll" }.Select(name => Path.Combine(system, name))
                .Concat(Stubs.Select(name => Path.Combine(AppDomain.CurrentDomain.BaseDirectory, name)))
                .Concat(definition.References.Select(PathOf).Where(File.Exists));
        }

        // As csc/Csc.cs is asked.
        private string[] Asked(out bool isCompiled, string[] options)
        {
            using (var client = new TcpClient(
                "127.0.0.1", int.Parse(Environment.GetEnvironmentVariable("UNITY_BRIDGE_TEST_COMPILER"))))
            {
                var writer = new BinaryWriter(client.GetStream());
                writer.Write(_project);
                writer.Write(options.Length);
                foreach (var option in options) writer.Write(option);
                var reader = new BinaryReader(client.GetStream());
                isCompiled = reader.ReadBoolean();
                var lines = reader.ReadString().Split(new[] { '\n' }, StringSplitOptions.RemoveEmptyEntries);
                return lines.Select(line => line.Replace(_project + "/", "")).ToArray();
            }
        }

        private string[] OfMissingModules(Definition definition)
        {
            var names = UnityEngine.ModuleAttribute.Missing(_project);
            return names.Length == 0
                ? new string[0]
                : definition.Files().SelectMany(
                    file => File.ReadAllLines(file).Select((line, at) => new { file, line, at }))
                .Where(one => Regex.IsMatch(one.line, "\\b(" + names + ")\\b"))
                .Select(one => one.file.Substring(_project.Length + 1) + "(" + (one.at + 1)
                    + ",1): error CS1069: The type name '"
                    + Regex.Match(one.line, names).Value
                    + "' could not be found in the namespace 'UnityEngine'. Enable the built in package").ToArray();
        }

        private string PathOf(string assembly)
        {
            return Path.Combine(_project, "Library", "ScriptAssemblies", assembly + ".dll");
        }

        private List<Definition> Definitions()
        {
            return Directory.GetFiles(Path.Combine(_project, "Assets"), "*.asmdef", SearchOption.AllDirectories)
                .OrderBy(path => path, StringComparer.Ordinal)
                .Select(path => new Definition(path)).Where(one => one.Files().Length > 0).ToList();
        }

        private sealed class Definition
        {
            public readonly string Name;
            public readonly string[] References;
            public readonly bool IsForEditor;
            private readonly string _folder;

            public Definition(string path)
            {
                var text = File.ReadAllText(path);
                _folder = Path.GetDirectoryName(path);
                Name = Regex.Match(text, "\"name\"\\s*:\\s*\"([^\"]+)\"").Groups[1].Value;
                var listed = Regex.Match(text, "\"references\"\\s*:\\s*\\[([^\\]]*)\\]").Groups[1].Value;
                References = Regex.Matches(listed, "\"([^\"]+)\"").Cast<Match>().Select(match => match.Groups[1].Value)
                    .ToArray();
                IsForEditor = Regex.IsMatch(text, "\"includePlatforms\"\\s*:\\s*\\[\\s*\"Editor\"");
            }

            public string[] Files()
            {
                return Directory.GetFiles(_folder, "*.cs").OrderBy(file => file, StringComparer.Ordinal).ToArray();
            }
        }
    }
}
