using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    internal static class Menu
    {
        private const int MostNearest = 3;
        private const int MostListed = 100;

        private static readonly string[] Tops = "File Edit Assets GameObject Component Window Tools Help".Split(' ');

        [BridgeCommand("menu",
            "Runs a menu entry, as in GameObject/Create Empty. A dialog waits for a person. Without path, or "
            + "with a menu's, it lists entries that have all words of query.",
            Keywords = "item")]
        private static JsonObject Run(string path = "", string query = "")
        {
            var items = TypeCache.GetMethodsWithAttribute(typeof(MenuItem)).SelectMany(ItemsOf).ToList();
            var tops = Tops.Union(items.Select(item => item.menuItem.Split('/')[0])).ToList();
            path = path.TrimEnd('/');
            var below = tops.Where(top => path.Length == 0 || top == path.Split('/')[0]).SelectMany(Entries).ToList();
            var isMenu = path.Length == 0
                || below.Exists(entry => entry.Begins(path + "/"));
            if (isMenu && !below.Exists(entry => IsOf(entry, path)))
            {
                return List(below.FindAll(
                    entry => path.Length == 0 || entry.Begins(path + "/")), query, items);
            }
            if (query.Length > 0)
            {
                throw Refuse.Argument(
                    "query goes without the path of an entry: it searches the list. Nothing was run.");
            }
            // Unity logs an error for an entry that is not there. What it lists nowhere and can run counts as there.
            if (!below.Any(entry => IsOf(entry, path)) && !UnityEditor.Menu.GetEnabled(path))
            {
                var nearest = Spelling.Nearest(path, below.Count > 0 ? below : tops.SelectMany(Entries), MostNearest);
                throw Refuse.Argument("Unity has no menu entry " + path
                    + (nearest.Length == 0 ? "." : "; the nearest are " + nearest + "."));
            }
            return EditorApplication.ExecuteMenuItem(path) ? new JsonObject { { "executed", path } }
                : throw Refuse.Argument("The menu entry " + path
                    + " cannot be used now. It is greyed out, or needs a selection.");
        }

        private static JsonObject List(List<string> entries, string query, List<MenuItem> items)
        {
            var words = query.Split((char[])null, StringSplitOptions.RemoveEmptyEntries);
            var listed = entries.FindAll(
                entry => words.All(entry.ContainsAnyCase));
            // Whether such an entry is enabled is what a method of its owner says.
            var asked = items.FindAll(item => item.validate).ConvertAll(item => item.menuItem);
            var rows = listed.Take(MostListed).Select(entry =>
            {
                var row = new JsonObject { { "path", Plain(entry) } };
                if (!asked.Exists(item => IsOf(entry, item) || IsOf(item, entry)))
                {
                    row["enabled"] = UnityEditor.Menu.GetEnabled(entry);
                }
                return row;
            }).ToList();
            var answer = new JsonObject { { "entries", rows }, { "total", listed.Count } };
            if (listed.Count > rows.Count)
            {
                answer["remarks"] = new[] { "Only the first " + MostListed
                    + " are listed. query, or path with a menu such as GameObject, names fewer." };
            }
            return answer;
        }

        // Of a method with a type that cannot be loaded no attribute can be read.
        private static IEnumerable<MenuItem> ItemsOf(MethodInfo method)
        {
            try
            {
                return method.GetCustomAttributes<MenuItem>();
            }
            catch (Exception)
            {
                return new MenuItem[0];
            }
        }

        // One with a shortcut may have it behind a space, as in "File/Save %s".
        private static bool IsOf(string entry, string path) => entry.Begins(path)
            && (entry.Length == path.Length
                || (entry.Length > path.Length + 1 && entry[path.Length] == ' '
                    && "%#&_".IndexOf(entry[path.Length + 1]) >= 0));

        private static string Plain(string entry)
        {
            var space = entry.LastIndexOf(' ');
            return space > 0 && IsOf(entry, entry.Substring(0, space)) ? entry.Substring(0, space) : entry;
        }

        // Whole paths of all that is below it.
        private static string[] Entries(string top) => Unsupported.GetSubmenus(top) ?? new string[0];
    }
}
