using System;
using System.Linq;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class Menu
    {
        private const int MostNearest = 3;

        private static readonly string[] Tops = { "File", "Edit", "Assets", "GameObject", "Component", "Window", "Tools", "Help" };

        [BridgeCommand("menu", "Runs a menu entry, as in GameObject/Create Empty. One that opens a dialog waits for a person.")]
        private static JsonObject Run(string path)
        {
            var top = path.Split('/')[0];
            var below = Entries(top);
            // Unity logs an error for an entry that is not there. What it lists nowhere and can run counts as there.
            if (!below.Any(entry => IsOf(entry, path)) && !UnityEditor.Menu.GetEnabled(path))
            {
                var nearest = (below.Length > 0 ? below : Tops.SelectMany(Entries)).OrderBy(entry => Spelling.Distance(path, entry)).Take(MostNearest).ToList();
                throw Refuse.Argument("Unity has no menu entry " + path + (nearest.Count == 0 ? "." : "; the nearest are " + string.Join(", ", nearest) + "."));
            }
            return EditorApplication.ExecuteMenuItem(path) ? new JsonObject { { "executed", path } }
                : throw Refuse.Argument("The menu entry " + path + " cannot be used now. It is greyed out, or needs a selection.");
        }

        // One with a shortcut may have it behind a space, as in "File/Save %s".
        private static bool IsOf(string entry, string path) => entry.StartsWith(path, StringComparison.Ordinal)
            && (entry.Length == path.Length || (entry.Length > path.Length + 1 && entry[path.Length] == ' ' && "%#&_".IndexOf(entry[path.Length + 1]) >= 0));

        // Whole paths of all that is below it.
        private static string[] Entries(string top) => Unsupported.GetSubmenus(top) ?? new string[0];
    }
}
