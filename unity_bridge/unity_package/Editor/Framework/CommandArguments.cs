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
        // The first of them that the command has, and that is not given, is meant.
        private static readonly Dictionary<string, string> OtherNames = new Dictionary<string, string>
        {
            { "fields", "values" }, { "properties", "values" }, { "primitive", "kind" }, { "primitive_type", "kind" }, { "object", "path paths from" },
            { "target", "path" }, { "game_object", "path paths from" }, { "gameobject", "path paths from" }, { "object_path", "path paths from" }, { "asset", "path" },
            { "asset_path", "path" }, { "scene_path", "path" }, { "menu_path", "path" }, { "menu_item", "path" }, { "prefab_path", "path prefab" },
            { "component_type", "component" }, { "component_name", "component" }, { "type", "component" }, { "component", "components" },
            { "new_parent", "parent" }, { "parent_path", "parent" }, { "destination", "to" }, { "new_path", "to" }, { "source", "path from" },
            { "source_path", "path from" }, { "key", "keys" }, { "package", "packages" }, { "path", "paths" },
        };

        /// <summary>Null, and why not. The places of what the bridge fills in are null.</summary>
        /// <param name="remarks">Takes a sentence for each argument that was taken for something else; null for none.</param>
        public static object[] Convert(Command command, JsonObject given, out Refusal refusal, List<string> remarks = null)
        {
            refusal = null;
            given = Decoded(command, Understood(command, given, remarks));
            var names = command.Parameters.Where(parameter => !parameter.IsOurs).Select(parameter => parameter.Name).ToList();
            if (given.Keys.Except(names).FirstOrDefault() is { } unknown)
            {
                refusal = Refused(command, "it takes no argument " + Quoted.Of(unknown), command.ShortSignature);
                return null;
            }
            var values = new object[command.Parameters.Count];
            for (var i = 0; i < values.Length; i++)
            {
                var fault = FaultIn(command.Parameters[i], given, out values[i])
                    ?? (command.IsOfThisPackage && values[i] is string[] texts && texts.Contains(null) ? command.Parameters[i].Name + " has a null" : null);
                if (fault != null)
                {
                    refusal = Refused(command, fault, command.Parameters[i].Signature);
                    return null;
                }
            }
            return values;
        }

        /// <summary>Of our own commands, the arguments under their parameters' names, and lists where one text was given: what can mean one thing
        /// only is taken so (SPEC §16.5).</summary>
        public static JsonObject Understood(Command command, JsonObject given, List<string> remarks)
        {
            var understood = new JsonObject();
            foreach (var argument in given)
            {
                var parameter = command.IsOfThisPackage ? ParameterFor(command, argument.Key, given.Keys.Concat(understood.Keys)) : null;
                if (parameter != null && argument.Value == null)
                {
                    // As if it were left out.
                    continue;
                }
                var name = parameter?.Name ?? argument.Key;
                if (name != argument.Key)
                {
                    remarks?.Add(Quoted.Of(argument.Key) + " was taken as " + name + ".");
                }
                var isOne = argument.Value is string && parameter != null && ArgumentType.ItemOf(parameter.Type) != null;
                if (isOne)
                {
                    remarks?.Add(name + " was taken as a list of one.");
                }
                understood[name] = isOne ? new List<object> { argument.Value } : argument.Value;
            }
            return understood;
        }

        // The texts of our own commands come back as the server showed them. Each step of a batch is converted by itself.
        private static JsonObject Decoded(Command command, JsonObject given)
        {
            var decoded = command.IsOfThisPackage ? (JsonObject)Unseen.Decoded((object)given) : given;
            if (given.TryGetValue("steps", out var steps))
            {
                decoded["steps"] = steps;
            }
            return decoded;
        }

        // The one of that name, or the one that other bridges and Unity's API call so.
        private static CommandParameter ParameterFor(Command command, string name, IEnumerable<string> taken)
        {
            CommandParameter Named(string one) => command.Parameters.FirstOrDefault(parameter => !parameter.IsOurs && parameter.Name == one);
            var spelt = CommandDeclaration.SnakeCase(name).Replace('-', '_');
            var others = OtherNames.TryGetValue(spelt, out var known) ? known.Split(' ') : Array.Empty<string>();
            return Named(name) ?? others.Prepend(spelt).Except(taken).Select(Named).FirstOrDefault(parameter => parameter != null);
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

        private static Refusal Refused(Command command, string why, string signature) => NotRun(
            command.Name + ": " + why + ". It is " + signature + ".", "arguments");

        /// <summary>What was asked for cannot be run, and was not.</summary>
        public static Refusal NotRun(string message, string reason) => new Refusal(ErrorCode.InvalidParams, message,
            new JsonObject { { "reason", reason }, { "execution_guarantee", "not_executed" } });
    }
}
