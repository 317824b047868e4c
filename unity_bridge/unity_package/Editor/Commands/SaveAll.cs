using System.Linq;
using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class SaveAll
    {
        [BridgeCommand("save_all", "Saves the open scenes, the open prefab and changed assets. A scene without a name stays unsaved.")]
        private static JsonObject Run()
        {
            // Unity saves no scene in play mode.
            Refuse.OutsideEditMode("save");
            var before = UnsavedWork.Find();
            UnsavedWork.Save();
            AssetDatabase.SaveAssets();
            var left = UnsavedWork.Find();
            return new JsonObject { { "saved", before.Where(path => !left.Contains(path)).ToList() }, { "unsaved", left } };
        }
    }
}
