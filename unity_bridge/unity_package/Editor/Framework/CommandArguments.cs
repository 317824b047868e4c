using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>The arguments of one call of a command, as its method takes them.</summary>
    internal static class CommandArguments
    {
        /// <summary>Null, and why not. The places of what the bridge fills in are null.</summary>
        /// <param name="remarks">Takes a sentence for each argument that was taken for something else; null for
        /// none.</param>
        public static object[] Convert(
            Command command, JsonObject given, out Refusal refusal, List<string> remarks = null)
        {
            refusal = null;
            remarks ??= new List<string>();
            given = Decoded(command, ArgumentMeaning.Understood(command, given, remarks));
            var faults = Unknown(command, given);
            var signatures = new List<string>();
            var hasUnknown = faults.Count > 0;
            var values = new object[command.Parameters.Count];
            for (var i = 0; i < values.Length; i++)
            {
                var parameter = command.Parameters[i];
                var fault = FaultIn(parameter, given, out values[i]);
                var hasNull = fault == null && command.IsOfThisPackage && values[i] is string[] texts
                    && texts.Contains(null);
                if (fault != null || hasNull)
                {
                    faults.Add(fault ?? parameter.Name + " has a null");
                    signatures.Add(parameter.Signature);
                }
            }
            refusal = faults.Count == 0 ? null : Refused(command, string.Join("; ", faults),
                ArgumentMeaning.ValuesIn(remarks),
                hasUnknown ? command.ShortSignature : string.Join(", ", signatures));
            if (refusal != null && command.CalledAs is { } name)
            {
                refusal = NotRun("There is no command " + Quoted.Text(name.Name) + ". It is " + refusal.Message,
                    "unknown_command");
            }
            return faults.Count == 0 ? values : null;
        }

        // All of them: a call is put right in one go.
        private static List<string> Unknown(Command command, JsonObject arguments)
        {
            var names = ArgumentMeaning.NamesOf(command).ToList();
            var unknown = arguments.Keys.Except(names).ToList();
            var advice = !command.IsOfThisPackage ? null
                : string.Join(" ", unknown.Select(name => ArgumentMeaning.AdviceOn(command, name))
                .Where(words => words != null));
            return unknown.Count == 0 ? new List<string>() : new List<string>
            {
                "it takes no argument " + Quoted.Text(string.Join(", ", unknown))
                    + (string.IsNullOrEmpty(advice) ? "" : ". " + advice.TrimEnd('.')),
            };
        }

        // The texts of our own commands come back as the server showed them. Each step of a batch is converted by
        // itself.
        private static JsonObject Decoded(Command command, JsonObject given)
        {
            var decoded = command.IsOfThisPackage ? (JsonObject)Unseen.Decoded((object)given) : given;
            if (given.TryGetValue("steps", out var steps))
            {
                decoded["steps"] = steps;
            }
            return decoded;
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

        private static Refusal Refused(Command command, string why, string values, string signature) => NotRun(
            command.Name + ": " + why + "." + values + " It is " + signature + ".", "arguments");

        /// <summary>What was asked for cannot be run, and was not.</summary>
        public static Refusal NotRun(string message, string reason) => new Refusal(ErrorCode.InvalidParams, message,
            new JsonObject { { "reason", reason }, { "execution_guarantee", "not_executed" } });
    }
}
