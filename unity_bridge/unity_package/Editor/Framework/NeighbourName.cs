using System;
using System.Collections.Generic;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>
    /// What other bridges call a command of ours. It is carried out if there is one call for it that neither deletes,
    /// nor writes a file, nor
    /// downloads, nor needs consent, and if its arguments fit; every other name is only answered with what does the
    /// same (SPEC §16.5).
    /// </summary>
    internal sealed class NeighbourName
    {
        // Our command, arguments that are always given, and old>new names of arguments. In the order of:
        // EYamanS/mcp-unity-server,
        // CoderGamester/mcp-unity, IvanMurzak/Unity-MCP, CoplayDev/unity-mcp.
        private static readonly Dictionary<string, string> Rows = new Dictionary<string, string>
        {
            { "create_gameobject", "create_object" }, { "create_primitive", "create_object type>kind" },
            { "clone_gameobject", "create_object name>copy_of new_name>name" },
            { "create_light", "create_object kind=light" }, { "create_camera", "create_object kind=camera" },
            { "create_canvas", "create_object kind=canvas" },
            { "create_ui_element", "create_object type>kind" },
            { "create_particle_system", "create_object kind=particle_system" },
            { "instantiate_prefab", "create_object path>prefab" }, { "set_gameobject_transform", "set_fields" },
            { "set_gameobject_active", "set_fields" },
            { "set_gameobject_tag", "set_fields" }, { "set_gameobject_layer", "set_fields" },
            { "set_component_property", "set_fields" },
            { "set_rect_transform", "set_fields" }, { "configure_rigidbody", "set_fields" },
            { "configure_camera", "set_fields" },
            { "set_transform", "set_fields" }, { "scale_gameobject", "set_fields" },
            { "update_gameobject", "set_fields" },
            { "duplicate_gameobject", "create_object target>copy_of path>copy_of" },
            { "select_gameobject", "select" }, { "gameobject_create", "create_object" },
            { "gameobject_component_add", "add_component" },
            { "editor_selection_get", "get_selection" }, { "console_clear_logs", "clear_console" },
            { "batch_execute", "batch" },
        };

        private readonly string _row;

        private NeighbourName(string name, string row)
        {
            Name = name;
            _row = row;
        }

        /// <summary>As it was called.</summary>
        public string Name { get; }

        /// <summary>All that are carried out.</summary>
        public static IEnumerable<string> All => Rows.Keys;

        public string Command => _row.Split(' ')[0];

        /// <summary>Null for a name that is none of them.</summary>
        public static NeighbourName Find(string name)
        {
            var spelt = CommandDeclaration.SnakeCase(name).Replace('-', '_');
            spelt = spelt.StartsWith("unity_", StringComparison.Ordinal) ? spelt.Substring("unity_".Length) : spelt;
            return Rows.TryGetValue(spelt, out var row) ? new NeighbourName(name, row) : null;
        }

        /// <summary>The arguments under our names, with those that the name stands for.</summary>
        public JsonObject Renamed(JsonObject arguments, List<string> remarks)
        {
            var words = _row.Split(' ').Skip(1).ToList();
            var renamed = new JsonObject();
            foreach (var argument in arguments)
            {
                var spelt = CommandDeclaration.SnakeCase(argument.Key);
                var row = words.Find(word => word.StartsWith(spelt + ">", StringComparison.Ordinal));
                renamed[row == null ? argument.Key : row.Substring(spelt.Length + 1)] = argument.Value;
            }
            foreach (var preset in words.Where(word => word.Contains("=")).Select(word => word.Split('=')))
            {
                renamed[preset[0]] = preset[1];
            }
            remarks?.Add(Quoted.Text(Name) + " was taken as " + _row.Split(' ')[0]
                + string.Concat(words.Where(word => word.Contains("=")).Select(word => " " + word)) + ".");
            return renamed;
        }
    }
}
