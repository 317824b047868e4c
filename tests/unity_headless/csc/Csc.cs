using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

/// <summary>
/// Roslyn's libraries behind the command line of Roslyn's own csc. Of arguments without options each is a response file and one
/// compilation, in that order; it stops at the first that fails.
/// </summary>
/// <remarks>Mono's mcs compiles this file and cannot read the metadata of a current .NET: so Roslyn is reached by reflection,
/// and <c>dynamic</c> where that is shorter.</remarks>
internal static class Csc
{
    private static readonly Assembly Common = Assembly.Load("Microsoft.CodeAnalysis");
    private static readonly Assembly CSharp = Assembly.Load("Microsoft.CodeAnalysis.CSharp");

    private static int Main(string[] arguments)
    {
        return (IsCommandLine(arguments) ? Compile(arguments) : arguments.All(file => Compile(new[] { "@" + file }))) ? 0 : 1;
    }

    // As csc itself is called: with options, and @ before a response file.
    private static bool IsCommandLine(string[] arguments)
    {
        return arguments.Any(argument => argument.StartsWith("-") || argument.StartsWith("@"));
    }

    private static bool Compile(string[] commandLine)
    {
        dynamic parser = CSharp.GetType("Microsoft.CodeAnalysis.CSharp.CSharpCommandLineParser").GetProperty("Default").GetValue(null, null);
        dynamic arguments = parser.Parse(commandLine, Directory.GetCurrentDirectory(), null, null);
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
            references.Add(Call(Common, "Microsoft.CodeAnalysis.MetadataReference", "CreateFromFile", (string)reference.Reference));
        }
        return Call(CSharp, "Microsoft.CodeAnalysis.CSharp.CSharpCompilation", "Create", (string)arguments.CompilationName,
            Typed("Microsoft.CodeAnalysis.SyntaxTree", trees), Typed("Microsoft.CodeAnalysis.MetadataReference", references),
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
        foreach (var method in assembly.GetType(type, true).GetMethods(BindingFlags.Public | BindingFlags.Static).Where(method => method.Name == name))
        {
            var parameters = method.GetParameters();
            if (parameters.Length >= values.Length
                && values.Zip(parameters, (value, parameter) => parameter.ParameterType.IsInstanceOfType(value)).All(fits => fits)
                && parameters.Skip(values.Length).All(parameter => parameter.HasDefaultValue))
            {
                return method.Invoke(null, values.Concat(parameters.Skip(values.Length).Select(Default)).ToArray());
            }
        }
        throw new MissingMethodException(type, name);
    }

    private static object Default(ParameterInfo parameter)
    {
        return parameter.DefaultValue ?? (parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null);
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
            if (severity == "Error" || severity == "Warning" && !diagnostic.IsSuppressed) Console.WriteLine(diagnostic.ToString());
            failed |= severity == "Error";
        }
        return failed;
    }
}
