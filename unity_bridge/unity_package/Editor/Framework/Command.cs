using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>A static method that is run by name. Immutable.</summary>
    internal sealed class Command
    {
        private readonly CommandParameter[] _parameters;

        // Assemblies whose names start like this are Unity's own.
        private static readonly string[] Unitys = { "Unity.", "UnityEditor", "UnityEngine" };

        private readonly CommandDeclaration _declaration;

        private Command(CommandDeclaration declaration, MethodInfo method, CommandParameter[] parameters, string fault)
        {
            _declaration = declaration;
            Method = method;
            _parameters = parameters;
            Fault = fault;
        }

        public string Name => _declaration.Name;

        public string Description => _declaration.Description;

        /// <summary>False only where the attribute says so.</summary>
        public bool Writes => _declaration.Writes;

        /// <summary>No list shows it.</summary>
        public bool IsHidden => _declaration.IsHidden;

        /// <summary>A batch may carry it out.</summary>
        public bool IsStep => _declaration.IsStep;

        /// <summary>It takes no turn among the jobs, and delays none (SPEC §15.6).</summary>
        public bool IsNextToOthers => _declaration.IsNextToOthers;

        /// <summary>Whether it came with Unity. Its packages bring more than a hundred.</summary>
        public bool IsUnitys => Array.Exists(Unitys, start => AssemblyName.Begins(start));

        /// <summary>Whether it is one of ours.</summary>
        public bool IsOfThisPackage => Method.ReflectedType?.Assembly == typeof(Command).Assembly;

        public MethodInfo Method { get; }

        /// <summary>The name of another bridge that it was called by; null for its own.</summary>
        public NeighbourName CalledAs { get; private set; }

        public IReadOnlyList<CommandParameter> Parameters => _parameters;

        /// <summary>Those that callers give.</summary>
        public IEnumerable<CommandParameter> Arguments => _parameters.Where(parameter => !parameter.IsOurs);

        public bool TakesToken => Array.Exists(_parameters, parameter => parameter.IsToken);

        /// <summary>Why it cannot be run, or null.</summary>
        public string Fault { get; }

        /// <summary><c>build(target: Android|iOS, development: bool = false)</c></summary>
        public string Signature =>
            Name + "(" + string.Join(", ", Arguments.Select(parameter => parameter.Signature)) + ")";

        /// <summary><c>build(target, development?)</c>, as a message has it.</summary>
        public string ShortSignature =>
            Name + "(" + string.Join(", ", Arguments.Select(parameter => parameter.ShortSignature)) + ")";

        /// <summary>The method, and the assembly that it is in.</summary>
        public string Source => Method.ReflectedType?.FullName + "." + Method.Name + " (" + AssemblyName + ")";

        // Not DeclaringType, here and above: on Mono it throws for a method with a type that cannot be loaded.
        private string AssemblyName => Method.ReflectedType?.Assembly.GetName().Name ?? "";

        /// <summary>Whether each of the words is a word, or the beginning of one, of its name, description or keywords,
        /// in any case.</summary>
        public bool Has(string[] words)
        {
            var own = WordsIn(Name).Concat(WordsIn(Description)).Concat(WordsIn(_declaration.Keywords)).ToList();
            return Array.TrueForAll(words, word =>
                own.Exists(other => other.StartsWith(word, StringComparison.OrdinalIgnoreCase)));
        }

        private static IEnumerable<string> WordsIn(string text) =>
            string.Concat(text.Select(c => char.IsLetterOrDigit(c) ? c : ' '))
            .Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);

        /// <summary>Null for a method that is no command of the editor. A method that cannot be read is a command with
        /// a fault.</summary>
        public static Command FromMethod(MethodInfo method, string attributeName)
        {
            try
            {
                var declaration = CommandDeclaration.FromMethod(method, attributeName);
                if (declaration == null)
                {
                    return null;
                }
                var parameters = Array.ConvertAll(method.GetParameters(), CommandParameter.FromParameter);
                return new Command(declaration, method, parameters, declaration.Fault ?? FaultIn(method, parameters));
            }
            catch (Exception unreadable)
            {
                // Most likely an assembly is missing, and the exception names it. Nothing else is read of such a
                // method: on Mono DeclaringType throws, and IsGenericMethod ends the process.
                var declaration = CommandDeclaration.Faulty(
                    method, "Its method cannot be read: " + Quoted.Text(CommandFailure.Cause(unreadable).Message));
                return new Command(declaration, method, new CommandParameter[0], declaration.Fault);
            }
        }

        /// <summary>The same command, which cannot be run.</summary>
        public Command WithFault(string fault) => new Command(_declaration, Method, _parameters, fault);

        /// <summary>The same command, called by a name of another bridge.</summary>
        public Command As(NeighbourName name) =>
            new Command(_declaration, Method, _parameters, Fault) { CalledAs = name };

        /// <summary>For a command of ours that lives through a reload: its class has a <c>GoOn</c>. Null for
        /// others.</summary>
        public IJobRun GoOn(ToolContext context, JsonObject memo) => Members
            .Method(Method.DeclaringType, "GoOn", typeof(ToolContext), typeof(JsonObject))?
            .Invoke(null, new object[] { context, memo }) as IJobRun;

        /// <param name="withSource">Also of a command of ours.</param>
        public JsonObject ToJson(bool withSource = false)
        {
            var json = new JsonObject { { "name", Name }, { "description", Description }, { "signature", Signature },
                { "write", Writes } };
            // Of our own the name is enough.
            if (!IsOfThisPackage || withSource)
            {
                json["source"] = Source;
            }
            if (Fault != null)
            {
                json["fault"] = Fault;
            }
            return json;
        }

        private static string FaultIn(MethodInfo method, CommandParameter[] parameters)
        {
            if (!method.IsStatic)
            {
                return "Its method is not static.";
            }
            if (method.ContainsGenericParameters)
            {
                return "Its method is generic.";
            }
            foreach (var parameter in parameters)
            {
                if (parameter.IsPipelineContext && !PipelineContext.CanBeUsed(parameter.Type))
                {
                    return "Its CommandContext cannot be created or read outside Unity's own package.";
                }
                if (!parameter.IsOurs && !parameter.IsOptional && !ArgumentType.IsKnown(parameter.Type))
                {
                    return "Its parameter " + parameter.Name + " is of a type that no argument can be converted to.";
                }
                if (parameter.Type.IsByRef)
                {
                    return "Its parameter " + parameter.Name + " is passed by reference.";
                }
            }
            return null;
        }
    }
}
