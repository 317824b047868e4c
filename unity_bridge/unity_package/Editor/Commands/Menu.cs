using UnityEditor;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class Menu
    {
        [BridgeCommand("menu", "Runs a menu entry, as in GameObject/Create Empty. One that opens a dialog waits for a person.")]
        private static JsonObject Run(string path) => EditorApplication.ExecuteMenuItem(path)
            ? new JsonObject { { "executed", path } }
            : throw Refuse.Argument("Unity has no menu entry " + path + ", or it cannot be used now. Give the whole path, as in Assets/Refresh.");
    }
}
