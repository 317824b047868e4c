using System.Collections.Generic;
using System.Linq;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class CloseScene
    {
        [BridgeCommand("close_scene",
            "Closes an open scene (its name or path). unsaved: what to do about its changes.")]
        private static JsonObject Run(ChangeCall call, ToolContext context, string scene,
            Unsaved unsaved = Unsaved.refuse)
        {
            Refuse.OutsideEditMode("close the scene");
            var closed = SceneCommands.Find(scene);
            var others = UnsavedWork.Scenes().Where(open => open != closed).ToList();
            // Unity keeps one scene loaded (EditorSceneManager.CloseScene, 2021.3 to 6000.7).
            if (!others.Exists(open => open.isLoaded))
            {
                throw ChangeTarget.Refused("Unity keeps one scene loaded, and this is the only one. open_scene or "
                    + "create_scene puts another in its place.");
            }
            var remarks = new List<string>();
            if (closed.isDirty && unsaved == Unsaved.save)
            {
                SceneCommands.SaveOpen(call, context, scene);
            }
            var path = string.IsNullOrEmpty(closed.path) ? closed.name : closed.path;
            if (closed.isDirty && unsaved == Unsaved.discard)
            {
                remarks.Add("Unsaved changes were discarded: " + path + ".");
            }
            else if (closed.isDirty)
            {
                Refuse.With(new List<string> { path }, "Save them (save_scene), or call close_scene with unsaved: "
                    + "save or discard.");
            }
            // Unity's own menu asks first; this does not, and references from other scenes are gone without a word.
            if (others.Exists(open => open.isLoaded && EditorSceneManager.DetectCrossSceneReferences(open)))
            {
                remarks.Add("Objects of other open scenes refer to objects of another scene. What referred to this "
                    + "one is missing now (find_missing).");
            }
            if (!EditorSceneManager.CloseScene(closed, true))
            {
                throw Refuse.Failed("exception", "Unity did not close " + path
                    + ". The console says why (read_console).");
            }
            var answer = new JsonObject { { "closed", path }, { "active", SceneManager.GetActiveScene().path } };
            if (remarks.Count > 0)
            {
                answer["remarks"] = remarks;
            }
            return answer;
        }
    }
}
