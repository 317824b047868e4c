using System;
using System.Collections.Generic;
using System.Reflection;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>A static method that is run by name. Immutable.</summary>
    internal sealed class Command
    {
        private readonly CommandParameter[] _parameters;

        private Command(string name, string description, bool writes, MethodInfo method, CommandParameter[] parameters, string fault)
        {
            Name = name;
            Description = description;
            Writes = writes;
            Method = method;
            _parameters = parameters;
            Fault = fault;
        }

        public string Name { get; }

        public string Description { get; }

        /// <summary>False only where the attribute says so.</summary>
        public bool Writes { get; }

        public MethodInfo Method { get; }

        public IReadOnlyList<CommandParameter> Parameters => _parameters;

        public bool TakesToken => Array.Exists(_parameters, parameter => parameter.IsToken);

        /// <summary>Why it cannot be run, or null.</summary>
        public string Fault { get; }

        /// <summary><c>build(target: Android|iOS, development: bool = false)</c></summary>
        public string Signature => Name + "(" + string.Join(", ", Array.ConvertAll(
            Array.FindAll(_parameters, parameter => !parameter.IsOurs), parameter => parameter.Signature)) + ")";

        /// <summary>The method, and the assembly that it is in.</summary>
        public string Source => Method.DeclaringType?.FullName + "." + Method.Name + " (" + Method.DeclaringType?.Assembly.GetName().Name + ")";

        /// <summary>What the attribute and the method say; null where the attribute gives no name.</summary>
        public static Command Of(MethodInfo method, CustomAttributeData attribute)
        {
            var name = (attribute.Argument(0) ?? attribute.Named("Name")) as string;
            if (string.IsNullOrEmpty(name))
            {
                return null;
            }
            var description = (attribute.Argument(1) ?? attribute.Named("Description")) as string ?? "";
            var writes = attribute.Named("Write") is not false;
            var parameters = Array.ConvertAll(method.GetParameters(), CommandParameter.Of);
            return new Command(name, description, writes, method, parameters, FaultIn(method, parameters));
        }

        /// <summary>The same command, which cannot be run.</summary>
        public Command WithFault(string fault) => new Command(Name, Description, Writes, Method, _parameters, fault);

        /// <summary>For a command of ours that lives through the reload it causes: its class has a <c>GoOn</c>. Null for others.</summary>
        public IJobRun GoOn(JsonObject memo) => Method.DeclaringType?
            .GetMethod("GoOn", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic, null, new[] { typeof(JsonObject) }, null)?
            .Invoke(null, new object[] { memo }) as IJobRun;

        public JsonObject ToJson()
        {
            var json = new JsonObject
            {
                { "name", Name }, { "description", Description }, { "signature", Signature }, { "write", Writes }, { "source", Source },
            };
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
