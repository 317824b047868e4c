using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Threading;

/// <summary>
/// Roslyn's libraries behind the command line of Roslyn's own csc. Of arguments without options each is a response file
/// and one compilation, in that order; it stops at the first that fails. With <c>--serve</c> alone it says a port and
/// compiles for those that ask there: of a small compilation most is Roslyn's own start. A csc that finds that port in
/// its environment asks there.
/// </summary>
/// <remarks>Mono's mcs compiles this file and cannot read the metadata of a current .NET: so Roslyn is reached by
/// reflection, and <c>dynamic</c> where that is shorter.</remarks>
internal static class Csc
{
    private static readonly Assembly Common = Assembly.Load("Microsoft.CodeAnalysis");
    private static readonly Assembly CSharp = Assembly.Load("Microsoft.CodeAnalysis.CSharp");

    private static int Main(string[] arguments)
    {
        var folder = Directory.GetCurrentDirectory();
        var port = Environment.GetEnvironmentVariable("UNITY_BRIDGE_TEST_COMPILER");
        if (arguments.SequenceEqual(new[] { "--serve" })) return Serve();
        if (IsCommandLine(arguments))
        {
            return (port == null ? Compile(arguments, folder) : Ask(int.Parse(port), arguments, folder)) ? 0 : 1;
        }
        return arguments.All(file => Compile(new[] { "@" + file }, folder)) ? 0 : 1;
    }

    // Until its stdin ends.
    private static int Serve()
    {
        var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Console.WriteLine(((IPEndPoint)listener.LocalEndpoint).Port);
        new Thread(() => { while (true) Answer(listener.AcceptTcpClient()); }) { IsBackground = true }.Start();
        while (Console.In.Read() >= 0) { }
        return 0;
    }

    private static void Answer(TcpClient client)
    {
        using (client)
        {
            var said = new StringWriter();
            var reader = new BinaryReader(client.GetStream());
            var writer = new BinaryWriter(client.GetStream());
            try
            {
                var folder = reader.ReadString();
                var arguments = Enumerable.Range(0, reader.ReadInt32()).Select(_ => reader.ReadString()).ToArray();
                Console.SetOut(said);
                var compiled = Compile(arguments, folder);
                writer.Write(compiled);
                writer.Write(said.ToString());
            }
            catch (IOException)
            {
                // The one that asked was killed, and its files may be gone.
            }
        }
    }

    private static bool Ask(int port, string[] arguments, string folder)
    {
        using (var client = new TcpClient("127.0.0.1", port))
        {
            var writer = new BinaryWriter(client.GetStream());
            writer.Write(folder);
            writer.Write(arguments.Length);
            foreach (var argument in arguments) writer.Write(argument);
            var reader = new BinaryReader(client.GetStream());
            var compiled = reader.ReadBoolean();
            Console.Write(reader.ReadString());
            return compiled;
        }
    }

    // As csc itself is called: with options, and @ before a response file.
    private static bool IsCommandLine(string[] arguments)
    {
        return arguments.Any(argument => argument.StartsWith("-") || argument.StartsWith("@"));
    }

    private static bool Compile(string[] commandLine, string folder)
    {
        dynamic parser = CSharp.GetType("Microsoft.CodeAnalysis.CSharp.CSharpCommandLineParser").GetProperty("Default")
            .GetValue(null, null);
        dynamic arguments = parser.Parse(commandLine, folder, null, null);
        if (Report(arguments.Errors)) return false;
        dynamic compilation = Compilation(arguments);
        using (var assembly = new MemoryStream())
        using (var symbols = new MemoryStream())
        {
            dynamic emitted = compilation.Emit(assembly, symbols, null, null, null, arguments.EmitOptions);
            if (Report(emitted.Diagnostics) || !emitted.Success) return false;
            string path = Path.Combine(arguments.OutputDirectory, arguments.OutputFileName);
            File.WriteAllBytes(path, assembly.ToArray());
            File.WriteAllBytes(Path.ChangeExtension(path, ".pdb"), symbols.ToArray());
            return true;
        }
    }

    private static object Compilation(dynamic arguments)
    {
        var trees = new List<object>();
        foreach (dynamic file in arguments.SourceFiles) trees.Add(Parse(file.Path, arguments.ParseOptions));
        var references = new List<object>();
        foreach (dynamic reference in arguments.MetadataReferences)
        {
            references.Add(Call(Common, "Microsoft.CodeAnalysis.MetadataReference", "CreateFromFile",
                (string)reference.Reference));
        }
        return Call(CSharp, "Microsoft.CodeAnalysis.CSharp.CSharpCompilation", "Create",
            (string)arguments.CompilationName,
            Typed("Microsoft.CodeAnalysis.SyntaxTree", trees),
            Typed("Microsoft.CodeAnalysis.MetadataReference", references),
            (object)arguments.CompilationOptions);
    }

    private static object Parse(string path, object options)
    {
        using (var source = File.OpenRead(path))
        {
            var text = Call(Common, "Microsoft.CodeAnalysis.Text.SourceText", "From", source);
            return Call(CSharp, "Microsoft.CodeAnalysis.CSharp.CSharpSyntaxTree", "ParseText", text, options, path);
        }
    }

    // The overload whose first parameters take these values and whose others have defaults.
    private static object Call(Assembly assembly, string type, string name, params object[] values)
    {
        foreach (var method in assembly.GetType(type, true).GetMethods(BindingFlags.Public | BindingFlags.Static)
            .Where(method => method.Name == name))
        {
            var parameters = method.GetParameters();
            if (parameters.Length >= values.Length
                && values.Zip(parameters, (value, parameter) => parameter.ParameterType.IsInstanceOfType(value))
                .All(fits => fits)
                && parameters.Skip(values.Length).All(parameter => parameter.HasDefaultValue))
            {
                return method.Invoke(null, values.Concat(parameters.Skip(values.Length).Select(Default)).ToArray());
            }
        }
        throw new MissingMethodException(type, name);
    }

    private static object Default(ParameterInfo parameter)
    {
        return parameter.DefaultValue
            ?? (parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null);
    }

    private static Array Typed(string type, List<object> items)
    {
        var array = Array.CreateInstance(Common.GetType(type, true), items.Count);
        for (var i = 0; i < items.Count; i++) array.SetValue(items[i], i);
        return array;
    }

    // Answers whether there was an error among them.
    private static bool Report(dynamic diagnostics)
    {
        var failed = false;
        foreach (dynamic diagnostic in diagnostics)
        {
            string severity = diagnostic.Severity.ToString();
            if (severity == "Error" || severity == "Warning" && !diagnostic.IsSuppressed)
            {
                Console.WriteLine(diagnostic.ToString());
            }
            failed |= severity == "Error";
        }
        return failed;
    }
}
