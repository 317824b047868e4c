using System.Linq;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    internal static class SaveAll
    {
        [BridgeCommand("save_all",
            "Saves the open scenes, the open prefab and changed assets. A scene without a file needs save_scene first.",
            Keywords = "save")]
        private static JsonObject Run()
        {
            var before = UnsavedWork.Find();
            Save();
            var left = UnsavedWork.Find();
            var others = left.FindAll(path => path != "Untitled");
            if (others.Count < left.Count)
            {
                throw new CommandRefused(Refusal.Completed("unsaved_scenes",
                        "A scene has no file yet, so it was not saved; " + (others.Count == 0
                    ? "everything else was" : "nor could Unity save " + string.Join(", ", others) + " (read_console)")
                    + ". Give it a path: save_scene scene=Untitled path=Assets/Scenes/Name.unity.")
                    .With("scenes", left));
            }
            return new JsonObject { { "saved", before.Where(path => !left.Contains(path)).ToList() },
                { "unsaved", left } };
        }

        /// <summary>Saves what has a file; throws where Unity could not, or would ask.</summary>
        public static void Save()
        {
            // Unity saves no scene in play mode.
            Refuse.OutsideEditMode("save");
            Refuse.WhereSavingAsks();
            UnsavedWork.Save();
            AssetDatabase.SaveAssets();
        }
    }
}
