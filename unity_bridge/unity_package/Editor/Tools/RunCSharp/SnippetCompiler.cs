using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Tools
{
    /// <summary>
    /// Compiles one snippet with the editor's own compiler, in a process of its own: its .NET is not the editor's Mono,
    /// and a compiler takes a second in which the main thread has other things to do.
    /// </summary>
    internal sealed class SnippetCompiler
    {
        // Each makes .NET load code from where the variable says.
        private static readonly string[] ForeignCode =
            ("DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE CORECLR_ENABLE_PROFILING "
            + "CORECLR_PROFILER CORECLR_PROFILER_PATH").Split(' ');

        private static readonly Pattern Placed = new Pattern(@"^(.*?)\((\d+),(\d+)\): error ([A-Za-z]+\d+): (.*)$");
        private static readonly Pattern Unplaced = new Pattern(@"^(?:.*: )?error ([A-Za-z]+\d+): (.*)$");

        private readonly EditorToolchain _toolchain;
        private readonly EditorReferences _references;
        private readonly string _folder;
        private readonly object _lock = new object();
        private Process _process; // guarded by _lock, as is the one below
        private bool _isStopped;

        /// <param name="folder">Where files may be made; those of a compilation are gone when it is over.</param>
        public SnippetCompiler(EditorToolchain toolchain, EditorReferences references, string folder)
        {
            _toolchain = toolchain;
            _references = references;
            _folder = folder;
        }

        /// <summary>Any thread. Ends a compilation under way.</summary>
        public void Stop()
        {
            lock (_lock)
            {
                _isStopped = true;
                try
                {
                    _process?.Kill();
                }
                catch (Exception failure) when (
                    failure is InvalidOperationException or System.ComponentModel.Win32Exception)
                {
                    // It has ended by itself.
                }
            }
        }

        /// <summary>Any thread but the main one. Tries what the last part can mean, until one compiles; the errors are
        /// those of the reading that has the fewest.</summary>
        public CompiledSnippet Compile(string code, IReadOnlyList<string> usings)
        {
            var parts = SnippetParts.Read(code);
            CompiledSnippet best = null;
            foreach (var lastIsValue in SnippetSource.Ways(parts))
            {
                var compiled = CompileSource(code, SnippetSource.Compose(code, parts, usings, lastIsValue));
                if (compiled.IsOk || compiled.Trouble != null)
                {
                    return compiled;
                }
                best = best == null || compiled.Errors.Count < best.Errors.Count ? compiled : best;
            }
            return best;
        }

        private CompiledSnippet CompileSource(string code, string source)
        {
            // Mono answers a second assembly of the same name with the first one.
            var name = "Snippet_" + Guid.NewGuid().ToString("N");
            var file = Path.Combine(_folder, name);
            try
            {
                Directory.CreateDirectory(_folder);
                File.WriteAllText(file + ".cs", source, new UTF8Encoding(false));
                File.WriteAllLines(file + ".rsp", Options(file), new UTF8Encoding(false));
                var output = Run(file + ".rsp", out var exitCode);
                return exitCode == 0 && File.Exists(file + ".dll")
                    ? CompiledSnippet.Ok(File.ReadAllBytes(file + ".dll"),
                        File.Exists(file + ".pdb") ? File.ReadAllBytes(file + ".pdb") : null)
                    : Failed(output, exitCode, EndOf(code));
            }
            catch (Exception failure) when (
                failure is IOException or UnauthorizedAccessException or System.ComponentModel.Win32Exception)
            {
                return CompiledSnippet.Unusable("The editor's C# compiler could not be run: " + failure.Message);
            }
            finally
            {
                foreach (var extension in new[] { ".cs", ".rsp", ".dll", ".pdb" })
                {
                    // A scanner may hold it; the folder is below Library, which is nobody's work.
                    FilesOnDisk.Try(() => File.Delete(file + extension));
                }
            }
        }

        private IEnumerable<string> Options(string file) => new[]
        {
            "-nologo", "-nostdlib+", "-target:library", "-utf8output", "-preferreduilang:en-US", "-warn:0",
            "-debug:portable", "-optimize-",
            "-langversion:" + _references.Language, "-out:\"" + file + ".dll\"",
        }
            .Concat(_references.Defines.Select(define => "-define:" + define))
            .Concat(_references.Paths.Select(path => "-r:\"" + path + "\""))
            .Concat(new[] { "\"" + file + ".cs\"" });

        // No code, option or .NET comes from a working directory or from the user's own installation (SPEC §20.8;
        // NetCoreProgram.cs).
        private string Run(string responseFile, out int exitCode)
        {
            var start = new ProcessStartInfo(
                _toolchain.Dotnet, "exec \"" + _toolchain.Compiler + "\" -noconfig \"@" + responseFile + "\"")
            {
                UseShellExecute = false,
                CreateNoWindow = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                StandardOutputEncoding = Encoding.UTF8,
                WorkingDirectory = Path.GetDirectoryName(_toolchain.Compiler),
            };
            start.EnvironmentVariables["DOTNET_ROOT"] = Path.GetDirectoryName(_toolchain.Dotnet);
            start.EnvironmentVariables["DOTNET_MULTILEVEL_LOOKUP"] = "0";
            // As Unity starts its own: else .NET aborts on a Linux without a matching libicu (BeeBuildPostprocessor.cs,
            // 2022.3 to 6000.3).
            start.EnvironmentVariables["DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"] = "1";
            foreach (var foreign in ForeignCode)
            {
                start.EnvironmentVariables.Remove(foreign);
            }
            using var process = new Process { StartInfo = start };
            lock (_lock)
            {
                if (_isStopped)
                {
                    exitCode = -1;
                    return "";
                }
                process.Start();
                _process = process;
            }
            var errors = Task.Run(process.StandardError.ReadToEnd);
            var output = process.StandardOutput.ReadToEnd() + errors.Result;
            process.WaitForExit();
            exitCode = process.ExitCode;
            lock (_lock)
            {
                _process = null;
            }
            return output;
        }

        private static CompiledSnippet Failed(string output, int exitCode, (int Line, int Column) end)
        {
            var errors = output.Split('\n').Select(line => ErrorOf(line.TrimEnd('\r'), end))
                .Where(error => error != null).ToList();
            return errors.Count > 0 ? CompiledSnippet.Faulty(errors)
                : CompiledSnippet.Unusable(
                    "The editor's C# compiler ended with " + exitCode + " and said: " + output.Trim());
        }

        private static JsonObject ErrorOf(string line, (int Line, int Column) end)
        {
            var placed = Placed.Value.Match(line);
            if (!placed.Success)
            {
                var unplaced = Unplaced.Value.Match(line);
                return unplaced.Success ? Error(null, 0, 0, unplaced.Groups[1].Value, unplaced.Groups[2].Value) : null;
            }
            var code = placed.Groups[4].Value;
            if (Path.GetFileName(placed.Groups[1].Value) == SnippetSource.FileName)
            {
                return Error(SnippetSource.FileName, int.Parse(placed.Groups[2].Value),
                    int.Parse(placed.Groups[3].Value), code, placed.Groups[5].Value);
            }
            // A bracket that is missed only behind the snippet is missing at its end (the parser's errors are CS1xxx).
            return code.Begins("CS1") && code.Length == 6
                ? Error(SnippetSource.FileName, end.Line, end.Column, code, placed.Groups[5].Value)
                : Error(null, 0, 0, code, placed.Groups[5].Value);
        }

        private static (int Line, int Column) EndOf(string code)
        {
            var text = code.TrimEnd();
            return (text.Count(c => c == '\n') + 1, text.Length - text.LastIndexOf('\n'));
        }

        private static JsonObject Error(string file, int line, int column, string code, string message) =>
            new JsonObject
        {
            { "file", file }, { "line", line }, { "column", column }, { "code", code }, { "message", message },
        };
    }

    /// <summary>What came of a compilation: an assembly, errors, or why there is neither. Immutable.</summary>
    internal sealed class CompiledSnippet
    {
        private CompiledSnippet(byte[] assembly, byte[] symbols, List<JsonObject> errors, string trouble)
        {
            Assembly = assembly;
            Symbols = symbols;
            Errors = errors;
            Trouble = trouble;
        }

        public bool IsOk => Assembly != null;

        public byte[] Assembly { get; }

        public byte[] Symbols { get; }

        public List<JsonObject> Errors { get; }

        /// <summary>Why the compiler could not check the snippet; else null.</summary>
        public string Trouble { get; }

        public static CompiledSnippet Ok(byte[] assembly, byte[] symbols) =>
            new CompiledSnippet(assembly, symbols, null, null);

        public static CompiledSnippet Faulty(List<JsonObject> errors) => new CompiledSnippet(null, null, errors, null);

        public static CompiledSnippet Unusable(string why) => new CompiledSnippet(null, null, null, why);
    }
}
