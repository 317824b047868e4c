using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>The commands of this script domain: the project's and the bridge's own. Main thread, not before the
    /// first update (before it, types may still be missing in TypeCache).</summary>
    internal sealed class CommandList
    {
        private static CommandList _ofThisDomain;

        private readonly SortedDictionary<string, Command> _commands =
            new SortedDictionary<string, Command>(StringComparer.Ordinal);

        /// <summary>Those that lists show.</summary>
        public IEnumerable<Command> All => _commands.Values.Where(command => !command.IsHidden);

        /// <summary>They never change in a domain, and only the main thread asks.</summary>
        public static CommandList OfThisDomain => _ofThisDomain ??= Find();

        private static CommandList Find()
        {
            var list = new CommandList();
            var seen = new HashSet<MethodInfo>();
            var types = TypeCache.GetTypesDerivedFrom(typeof(Attribute));
            foreach (var name in CommandDeclaration.Attributes)
            {
                foreach (var method in types.Where(type => type.Name == name)
                    .SelectMany(type => TypeCache.GetMethodsWithAttribute(type)).Where(seen.Add))
                {
                    list.Add(Command.FromMethod(method, name));
                }
            }
            return list;
        }

        /// <summary>The command of that name; or null, and what to do instead.</summary>
        public Command Get(string name, out Refusal refusal)
        {
            if (!_commands.TryGetValue(name, out var command) && !TryGetNeighbour(name, out command))
            {
                refusal = CommandArguments.NotRun(
                    "There is no command " + Quoted.Text(name) + ". " + Meant(name), "unknown_command");
                return null;
            }
            refusal = command.Fault == null
                ? null
                : CommandArguments.NotRun(name + " cannot be run. " + command.Fault, "faulty_command");
            return refusal == null ? command : null;
        }

        /// <summary>The commands that have all words of the query. Without a query Unity's own are counted, and not
        /// listed.</summary>
        public JsonObject ToJson(string query)
        {
            var words = (query ?? "").Split((char[])null, StringSplitOptions.RemoveEmptyEntries);
            // What ScriptableObjects are made by is not meant.
            var isOfFiles = words.Length == 1 && words[0].ToLowerInvariant() is "script" or "scripts";
            var listed = All.Where(command => words.Length == 0 ? !command.IsUnitys : command.Has(words)
                && !(isOfFiles && command.IsOfThisPackage)).ToList();
            var json = new JsonObject { { "commands", listed.Select(command => command.ToJson()).ToList() } };
            if (words.Length == 0 && listed.Count < All.Count())
            {
                json["unlisted"] = (long)(All.Count() - listed.Count);
            }
            return json;
        }

        private void Add(Command command)
        {
            if (command == null)
            {
                return;
            }
            _commands[command.Name] = !_commands.TryGetValue(command.Name, out var other) ? command
                : other.WithFault("Several methods have this name: " + other.Source + ", " + command.Source
                    + ". Rename all but one.");
        }

        private bool TryGetNeighbour(string name, out Command command)
        {
            var neighbour = NeighbourName.Find(name);
            command = neighbour != null && _commands.TryGetValue(neighbour.Command, out var own) && own.IsOfThisPackage
                ? own.As(neighbour) : null;
            return command != null;
        }

        private string Meant(string name)
        {
            var nearest = All.Where(command => Spelling.IsSlip(name, command.Name)).Select(command => command.Signature)
                .ToList();
            return (nearest.Count == 0 ? OnlyCSharp.Can : "The nearest is " + string.Join(", ", nearest) + ".")
                + " Call run_command without a name for the list.";
        }
    }
}
