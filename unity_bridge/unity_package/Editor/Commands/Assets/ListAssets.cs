using System.Linq;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class ListAssets
    {
        [BridgeCommand("list_assets",
            "Assets by a query of the Project window, as in t:Prefab door.",
            Write = false)]
        private static JsonObject Run(string query = "", string folder = "", int limit = 100)
        {
            var place = folder.TrimEnd('/');
            if (place.Length > 0 && !AssetDatabase.IsValidFolder(place))
            {
                throw Refuse.Argument("There is no folder " + folder + ". Give it as in Assets/Art.");
            }
            var guids = AssetDatabase.FindAssets(query, place.Length > 0 ? new[] { place } : null);
            return new JsonObject { { "assets", guids.Take(limit).Select(AsJson).ToList() },
                { "total", guids.Length } };
        }

        private static JsonObject AsJson(string guid)
        {
            var path = AssetDatabase.GUIDToAssetPath(guid);
            return new JsonObject { { "path", path }, { "type", AssetDatabase.GetMainAssetTypeAtPath(path)?.Name },
                { "guid", guid } };
        }
    }
}
