using System.Collections.Generic;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Platform;
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
        // Our command, arguments that are always given, and old>new names of arguments; then the names of
        // EYamanS/mcp-unity-server, CoderGamester/mcp-unity, IvanMurzak/Unity-MCP, CoplayDev/unity-mcp (set_reference:
        // pull request 1043), akiojin/unity-mcp-server, and of models (synonyms.json has each source).
        private static readonly Dictionary<string, string> Rows = NameTable.Read(
            "create_object: create_gameobject gameobject_create",
            "create_object type>kind: create_primitive create_ui_element",
            "create_object name>copy_of new_name>name: clone_gameobject", "create_object kind=light: create_light",
            "create_object kind=camera: create_camera", "create_object kind=canvas: create_canvas",
            "create_object kind=particle_system: create_particle_system",
            "create_object path>prefab: instantiate_prefab",
            "set_fields: set_gameobject_transform set_gameobject_active set_gameobject_tag set_gameobject_layer",
            "set_fields: set_component_property set_rect_transform configure_rigidbody configure_camera",
            "set_fields: set_transform scale_gameobject update_gameobject set_layer set_tag set_property",
            "create_object target>copy_of path>copy_of: duplicate_gameobject duplicate_object",
            "select: select_gameobject", "add_component: gameobject_component_add",
            "get_selection: editor_selection_get", "clear_console: console_clear_logs", "batch: batch_execute",
            "move_object: reparent_gameobject gameobject_set_parent",
            "set_fields material_path>Renderer.sharedMaterial: assign_material",
            "ui_click: click_ui_element click_button",
            "set_fields reference_path>value reference_asset_path>value: set_reference",
            "set_fields value>active state>active is_active>active: set_active",
            "set_fields new_name>GameObject.name: rename_object",
            "move_object child>path: set_parent",
            "set_fields material>Renderer.sharedMaterial material_path>Renderer.sharedMaterial: set_material");

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
            spelt = spelt.Begins("unity_") ? spelt.Substring("unity_".Length) : spelt;
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
                var row = words.Find(word => word.Begins(spelt + ">"));
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
