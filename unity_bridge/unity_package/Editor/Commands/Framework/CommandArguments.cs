using System;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>The arguments of one call of a command, as its method takes them.</summary>
    internal static class CommandArguments
    {
        /// <summary>Null, and why not. The places of what the bridge fills in are null.</summary>
        public static object[] Convert(Command command, JsonObject given, out Refusal refusal)
        {
            refusal = null;
            given = Decoded(command, Understood(command, given));
            var unknown = given.Keys.FirstOrDefault(name => !command.Parameters.Any(parameter => !parameter.IsOurs && parameter.Name == name));
            if (unknown != null)
            {
                refusal = Refused(command, "it takes no argument " + Quoted.Of(unknown));
                return null;
            }
            var values = new object[command.Parameters.Count];
            for (var i = 0; i < values.Length; i++)
            {
                var fault = FaultIn(command.Parameters[i], given, out values[i]);
                if (fault != null)
                {
                    refusal = Refused(command, fault);
                    return null;
                }
            }
            return values;
        }

        // The texts of our own commands come back as the server showed them. Each step of a batch is converted by itself.
        private static JsonObject Decoded(Command command, JsonObject given)
        {
            if (!command.IsOfThisPackage)
            {
                return given;
            }
            var decoded = new JsonObject();
            foreach (var argument in given)
            {
                decoded[argument.Key] = argument.Key == "steps" ? argument.Value : Unseen.Decoded(argument.Value);
            }
            return decoded;
        }

        // What agents write for a kind, since Unity's own API calls it so.
        private static JsonObject Understood(Command command, JsonObject given)
        {
            if (command.Name != "create_object" || !given.ContainsKey("primitive") || given.ContainsKey("kind"))
            {
                return given;
            }
            var understood = new JsonObject();
            foreach (var argument in given)
            {
                understood[argument.Key == "primitive" ? "kind" : argument.Key] = argument.Value;
            }
            return understood;
        }

        private static string FaultIn(CommandParameter parameter, JsonObject given, out object value)
        {
            value = parameter.Default;
            if (parameter.IsOurs)
            {
                value = null;
                return null;
            }
            if (!given.TryGetValue(parameter.Name, out var argument))
            {
                return parameter.IsOptional ? null : parameter.Name + " is missing";
            }
            return ArgumentConversion.TryConvert(argument, parameter.Type, out value, out var fault) ? null
                : parameter.Name + (fault.StartsWith("[", StringComparison.Ordinal) ? "" : " ") + fault;
        }

        private static Refusal Refused(Command command, string why) => NotRun(
            command.Name + ": " + why + ". It is " + command.Signature + ".", "arguments");

        /// <summary>What was asked for cannot be run, and was not.</summary>
        public static Refusal NotRun(string message, string reason) => new Refusal(ErrorCode.InvalidParams, message,
            new JsonObject { { "reason", reason }, { "execution_guarantee", "not_executed" } });
    }
}
