using System.Linq;
using UnityEditor;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class ListScenes
    {
        [BridgeCommand("list_scenes", "The scenes that are open, and those of the build.", Write = false)]
        private static JsonObject Run() => new JsonObject
        {
            { "open", UnsavedWork.Scenes().Select(Open)
                .ToList() },
            { "build", EditorBuildSettings.scenes.Select(OfTheBuild).ToList() },
        };

        // A scene without a path was never saved.
        private static JsonObject Open(Scene scene) => new JsonObject
        {
            { "name", scene.name }, { "path", scene.path }, { "loaded", scene.isLoaded }, { "dirty", scene.isDirty },
            { "active", scene == SceneManager.GetActiveScene() },
        };

        private static JsonObject OfTheBuild(EditorBuildSettingsScene scene) =>
            new JsonObject { { "path", scene.path }, { "enabled", scene.enabled } };
    }
}
