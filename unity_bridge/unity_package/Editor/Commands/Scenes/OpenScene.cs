using System.Collections.Generic;
using System.IO;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Changes;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>What to do about changes that are not saved.</summary>
    internal enum Unsaved
    {
        refuse,
        save,
        discard,
    }

    internal static class OpenScene
    {
        [BridgeCommand("open_scene",
            "Opens a scene, alone or next to the open ones (additive); an open one becomes active. unsaved: what to do "
            + "about unsaved changes.")]
        private static JsonObject Run(ChangeCall call, string path, bool additive = false,
            Unsaved unsaved = Unsaved.refuse)
        {
            Refuse.OutsideEditMode("open the scene");
            path = AssetNames.Find(path, ".unity", call.Remarks);
            // Unity opens a file of another kind as a broken scene.
            if (!path.EndsWith(".unity")
                || !File.Exists(Path.Combine(Path.GetDirectoryName(Application.dataPath), path)))
            {
                throw Refuse.Argument("There is no scene " + path
                    + ". Give its path in the project, as in Assets/Scenes/Main.unity.");
            }
            var open = SceneManager.GetSceneByPath(path);
            if (open.IsValid() && open.isLoaded && unsaved != Unsaved.discard
                && (additive || SceneManager.sceneCount > 1))
            {
                SceneManager.SetActiveScene(open);
                return new JsonObject
                {
                    { "path", open.path }, { "name", open.name },
                    { "remarks",
                        new[] { "It was open already, and is the active scene now. close_scene closes others; "
                        + "unsaved: discard loads it again." } },
                };
            }
            var discarded = Leave(unsaved, additive, "open_scene");
            // Does not ask: what is not saved by now is gone.
            var scene = EditorSceneManager.OpenScene(path, additive ? OpenSceneMode.Additive : OpenSceneMode.Single);
            var answer = new JsonObject { { "path", scene.path }, { "name", scene.name } };
            if (discarded.Count > 0)
            {
                answer["remarks"] = new[] { "Unsaved changes were discarded: " + string.Join(", ", discarded) + "." };
            }
            return answer;
        }

        // A scene that is opened in addition to the others leaves them as they are. But an open prefab is left in any
        // case, and Unity asks about its changes in a dialog (StageNavigationManager.OnSceneOpened, 2021.3 to 6000.7).
        /// <returns>What was discarded.</returns>
        public static List<string> Leave(Unsaved unsaved, bool additive, string command)
        {
            if (PrefabStageUtility.GetCurrentPrefabStage() != null)
            {
                // To leave the stage changes the selection.
                Refuse.WhereUnityAsks(Effect.Selection);
            }
            if (unsaved == Unsaved.save && additive)
            {
                UnsavedWork.SavePrefab();
            }
            else if (unsaved == Unsaved.save)
            {
                UnsavedWork.Save();
            }
            if (unsaved == Unsaved.discard)
            {
                var discarded = additive ? UnsavedWork.FindPrefab() : UnsavedWork.Find();
                DiscardPrefab();
                return discarded;
            }
            Refuse.With(additive ? UnsavedWork.FindPrefab() : UnsavedWork.Find(), unsaved == Unsaved.save
                ? "They could not be saved: a scene that has no file yet needs a path (save_scene path=...), and of "
                + "a prefab the console says why."
                : "Save them (save_all), or call " + command + " with unsaved: save or discard.");
            return new List<string>();
        }

        // A file that is gone has no content to go back to, and what is open may be all that is left of it.
        private static void DiscardPrefab()
        {
            var changed = UnsavedWork.FindPrefab();
            if (changed.Count == 0)
            {
                return;
            }
            if (!File.Exists(Path.Combine(Path.GetDirectoryName(Application.dataPath), changed[0])))
            {
                throw new CommandRefused(Refusal.NotExecuted("scene_changed_on_disk", changed[0]
                    + " is open with unsaved changes, and its file is gone. Restore the file, or save the prefab in "
                        + "Unity.").With("scenes", changed));
            }
            PrefabMode.Discard(PrefabStageUtility.GetCurrentPrefabStage());
        }
    }
}
