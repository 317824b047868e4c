using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>The commands of this script domain: the project's and the bridge's own. Main thread, not before the first update
    /// (before it, types may still be missing in TypeCache).</summary>
    internal sealed class CommandList
    {
        // In this order: of a method that has both attributes, ours counts.
        private static readonly string[] Attributes = { "BridgeCommandAttribute", "CliCommandAttribute" };
        private const int NearestTold = 3;

        private readonly SortedDictionary<string, Command> _commands = new SortedDictionary<string, Command>(StringComparer.Ordinal);

        public IEnumerable<Command> All => _commands.Values;

        public static CommandList Find()
        {
            var list = new CommandList();
            var seen = new HashSet<MethodInfo>();
            var types = TypeCache.GetTypesDerivedFrom(typeof(Attribute));
            foreach (var name in Attributes)
            {
                foreach (var method in types.Where(type => type.Name == name).SelectMany(type => TypeCache.GetMethodsWithAttribute(type)))
                {
                    if (seen.Add(method))
                    {
                        // One whose metadata cannot be read (a parameter of an assembly that is missing) takes no other down.
                        Guard.Run(() => list.Add(method, name));
                    }
                }
            }
            return list;
        }

        /// <summary>The command of that name; or null, and what to do instead.</summary>
        public Command Get(string name, out Refusal refusal)
        {
            if (!_commands.TryGetValue(name, out var command))
            {
                refusal = CommandArguments.NotRun("There is no command " + Quoted.Of(name) + ". " + Meant(name), "unknown_command");
                return null;
            }
            refusal = command.Fault == null ? null : CommandArguments.NotRun(name + " cannot be run. " + command.Fault, "faulty_command");
            return refusal == null ? command : null;
        }

        public List<JsonObject> ToJson() => _commands.Values.Select(command => command.ToJson()).ToList();

        private void Add(MethodInfo method, string attributeName)
        {
            var attribute = CustomAttributeData.GetCustomAttributes(method).Find(candidate => candidate.AttributeType.Name == attributeName);
            // Of a derived attribute TypeCache tells too. RuntimeOnly is Unity's word for what belongs to a player.
            var command = attribute == null || attribute.Named("RuntimeOnly") is true ? null : Command.Of(method, attribute);
            if (command == null)
            {
                return;
            }
            _commands[command.Name] = !_commands.TryGetValue(command.Name, out var other) ? command
                : other.WithFault("Several methods have this name: " + other.Source + ", " + command.Source + ". Rename all but one.");
        }

        private string Meant(string name)
        {
            var nearest = _commands.Values.OrderBy(command => Spelling.Distance(name, command.Name)).Take(NearestTold).Select(command => command.Signature);
            return "The nearest are " + string.Join(", ", nearest) + ". Without a name the answer is the list.";
        }
    }
}
