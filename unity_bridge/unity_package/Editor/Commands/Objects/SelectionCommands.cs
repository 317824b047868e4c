using System.Linq;
using UnityEditor;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Commands
{
    internal static class SelectionCommands
    {
        // Without it one call could hold the editor for long.
        private const int MostObjects = 200;

        [BridgeCommand("get_selection", "What is selected in the editor, the active object first.", Write = false,
            Keywords = "selection")]
        private static JsonObject Get()
        {
            var active = Selection.activeObject;
            var selected = Selection.objects.Where(target => target != null)
                .OrderByDescending(target => target == active).ToList();
            return new JsonObject { { "objects", selected.Take(MostObjects).ToList() }, { "total", selected.Count } };
        }

        [BridgeCommand("select",
            "Selects objects: Scene/Root/Child, Assets/Door.prefab, or a GlobalObjectId. No path: nothing is "
            + "selected.", Step = true,
            Keywords = "selection")]
        private static JsonObject Select(ChangeCall call, string[] paths)
        {
            var targets = paths.Select(path => Find(call, path)).ToArray();
            if (call.Batch != null)
            {
                Selection.objects = targets;
            }
            else
            {
                UndoSteps.Make("Select", () => Selection.objects = targets);
            }
            return Get();
        }

        private static UnityEngine.Object Find(CommandCall call, string path)
        {
            var finder = ObjectFinder.Look(call, path);
            if (finder.Target != null)
            {
                return finder.Target;
            }
            var refused = Refuse.Argument(
                path + ": " + (finder.Fault ?? "this is a scene, which cannot be selected.")
                + " Nothing was selected.");
            if (finder.Fault != null)
            {
                refused.Missing = (path, finder.Fault);
            }
            throw refused;
        }
    }
}
