using System.Collections.Generic;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Prefab mode, and the overrides of an instance (SPEC §16.7). Main thread.</summary>
    internal static class PrefabCommands
    {
        [BridgeCommand("open_prefab",
            "Opens a prefab in prefab mode, by its file. unsaved: what to do about changes of the open one.")]
        private static JsonObject Open(string path, Unsaved unsaved = Unsaved.refuse)
        {
            Refuse.OutsideEditMode("open the prefab");
            if (!(AssetDatabase.LoadMainAssetAtPath(path) is GameObject asset)
                || !path.Ends(".prefab"))
            {
                throw ChangeTarget.Refused(
                    "There is no prefab " + Quoted.Text(path) + ". Give its file, as in Assets/Prefabs/Lamp.prefab.");
            }
            var answer = new JsonObject { { "path", path } };
            Leave(unsaved, "open_prefab", answer);
            if (PrefabStageUtility.GetCurrentPrefabStage()?.assetPath != path
                && PrefabStageUtility.OpenPrefab(path) == null)
            {
                throw Refuse.Failed("exception",
                    "Unity did not open " + path + ". The console says why (read_console).");
            }
            answer["root"] = ChangeTarget.PathOf(PrefabStageUtility.GetCurrentPrefabStage().prefabContentsRoot);
            return answer;
        }

        [BridgeCommand("close_prefab",
            "Leaves prefab mode. unsaved: what to do about unsaved changes.")]
        private static JsonObject Close(Unsaved unsaved = Unsaved.refuse)
        {
            Refuse.OutsideEditMode("close the prefab");
            var stage = PrefabStageUtility.GetCurrentPrefabStage()
                ?? throw ChangeTarget.Refused("No prefab is open in prefab mode.");
            var answer = new JsonObject { { "path", stage.assetPath } };
            Leave(unsaved, "close_prefab", answer);
            StageUtility.GoToMainStage();
            return answer;
        }

        [BridgeCommand("apply_overrides",
            "Writes all overrides of a prefab's instance into its file. One undo step.")]
        private static JsonObject Apply(ChangeCall call, string path) =>
            Change(call, path, "Apply overrides of ", (root, report) =>
        {
            var file = AssetDatabase.GetAssetPath(PrefabUtility.GetCorrespondingObjectFromSource(root));
            ChangeTarget.RequireWritable(PrefabUtility.GetCorrespondingObjectFromSource(root));
            if (EditorApplication.isPlaying)
            {
                Refuse.OutsideEditMode("change the prefab");
            }
            AssetPath.RequireSaved(file, false);
            PrefabFile.RequireNoMissingScript(root);
            return PrefabOverrides.Rows(root, true, report, () =>
            {
                report.Files.Rewriting(file);
                // Of a whole instance it asks nothing, in either mode (PrefabUtility.cs, 2021.3 to 6000.7); Unity
                // records Undo itself.
                PrefabUtility.ApplyPrefabInstance(root, InteractionMode.UserAction);
                report.Files.RewrittenWithUndo(file);
            });
        });

        [BridgeCommand("revert_overrides",
            "Takes all overrides of a prefab's instance back. One undo step.")]
        private static JsonObject Revert(ChangeCall call, string path) =>
            Change(call, path, "Revert overrides of ", (root, report) =>
            PrefabOverrides.Rows(root, false, report,
                () => PrefabUtility.RevertPrefabInstance(root, InteractionMode.UserAction)));

        private static JsonObject Change(
            ChangeCall call, string path, string what, System.Func<GameObject, ChangeReport, bool> change)
        {
            var root = RootOf(call.FindObject(path, out var remark, PathUse.Whole));
            ChangeTarget.RequireWritable(root);
            return ChangeReport.InOneUndoGroup(call, what + root.name, remark, report =>
            {
                if (!change(root, report))
                {
                    throw ChangeTarget.Refused(ChangeTarget.PathOf(root) + " has no overrides.");
                }
                report.Touched(root);
            });
        }

        /// <summary>Of the outermost instance that it is in.</summary>
        public static GameObject RootOf(GameObject target)
        {
            var root = PrefabUtility.GetOutermostPrefabInstanceRoot(target);
            return root != null ? root : throw ChangeTarget.Refused(
                ChangeTarget.PathOf(target) + " is no instance of a prefab, and no part of one.");
        }

        private static void Leave(Unsaved unsaved, string command, JsonObject answer)
        {
            var dirty = UnsavedWork.FindPrefab();
            var discarded = OpenScene.Leave(unsaved, true, command);
            if (discarded.Count > 0)
            {
                answer["remarks"] = new List<object> { "Unsaved changes were discarded: "
                    + string.Join(", ", discarded) + "." };
            }
            else if (dirty.Count > 0)
            {
                answer["written"] = dirty;
            }
        }
    }
}
