using System.IO;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>The open prefab and Auto Save, Unity's default, with which Unity writes its file within 0.2 s of a
    /// change, and asks in modal dialogs about what it cannot write (PrefabStage.HandleAutoSave and Save, 2021.3 to
    /// 6000.7). Main thread.</summary>
    internal static class PrefabMode
    {
        // Internal or private, and the same in 2021.3.58f1, 2022.3.76f1, 6000.0.78f1 and 6000.7.0a1.
        private static readonly MethodInfo Reload = Members.Method(typeof(PrefabStage), "ReloadStage");
        private static readonly MethodInfo RenameRoot =
            Members.Method(typeof(PrefabStage), "RenameInstanceRootToMatchPrefabFile");

        /// <summary>The open prefab is as its file again, and stays open (as PrefabStage.DiscardChanges, which 2021.3
        /// does not have).</summary>
        /// <remarks>To clear the mark alone would keep the changes, and the next save would write them.</remarks>
        public static void Discard(PrefabStage stage)
        {
            var path = stage.assetPath;
            if (Reload == null)
            {
                stage.ClearDirtiness();
                StageUtility.GoToMainStage();
                PrefabStageUtility.OpenPrefab(path);
                return;
            }
            Reload.Invoke(stage, null);
            PrefabStageUtility.GetCurrentPrefabStage()?.ClearDirtiness();
        }

        /// <summary>After its file was moved: the root has the file's name, as Unity wants it before it saves. True
        /// if it had another.</summary>
        public static bool RenameRootLikeFile(PrefabStage stage)
        {
            var root = stage.prefabContentsRoot;
            if (root.name == FileNameOf(stage))
            {
                return false;
            }
            if (RenameRoot != null)
            {
                RenameRoot.Invoke(stage, null);
            }
            else
            {
                root.name = FileNameOf(stage);
            }
            return true;
        }

        /// <summary>The open prefab, if the object is in it and Unity saves it by itself; else null.</summary>
        /// <remarks>PrefabStage.autoSave is internal in all versions, and false while Unity has switched Auto Save off
        /// after a save that failed.</remarks>
        public static PrefabStage AutoSavedWith(Object target)
        {
            var stage = StageOf(target);
            var isOn = stage != null
                && (Members.Get(stage, "autoSave") as bool? ?? EditorSettings.prefabModeAllowAutoSave);
            return isOn ? stage : null;
        }

        public static string FileNameOf(PrefabStage stage) => Path.GetFileNameWithoutExtension(stage.assetPath);

        /// <summary>Why an object of the open prefab cannot be changed now; null for any other object.</summary>
        /// <param name="newName">As <see cref="WhyNotSavable"/> takes it.</param>
        public static Refusal WhyNotChangeable(Object target, string newName)
        {
            if (AutoSavedWith(target) is { } autoSaved)
            {
                return WhyNotSavable(autoSaved, newName);
            }
            // Unity marks no scene as changed in play mode, so the change would be lost when the prefab is closed
            // (EditorSceneManager.MarkSceneDirty).
            var stage = EditorApplication.isPlaying ? StageOf(target) : null;
            return stage == null ? null : Refusal.NotExecuted("playing", stage.assetPath
                + " is open in prefab mode, and a change that is made in play mode cannot be saved. Leave play mode "
                + "first.");
        }

        private static PrefabStage StageOf(Object target)
        {
            var owner = target is Component component ? component.gameObject : target as GameObject;
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            return stage != null && owner != null && owner.scene == stage.scene ? stage : null;
        }

        /// <summary>Why its file cannot be written without one of Unity's dialogs, or null.</summary>
        /// <param name="newName">The name that the root is about to get; null for the one that it has.</param>
        public static Refusal WhyNotSavable(PrefabStage stage, string newName = null)
        {
            if (EditorApplication.isPlaying)
            {
                return Refusal.NotExecuted(
                    "playing", stage.assetPath
                    + " is open in prefab mode with Auto Save, so a change would write its file. Leave play mode "
                    + "first.");
            }
            var root = stage.prefabContentsRoot;
            var why = !AssetDatabase.IsOpenForEdit(stage.assetPath)
                ? "its file is read-only, or version control has not checked it out. Check it out first"
                : (newName ?? root.name) != FileNameOf(stage)
                    ? "its root has another name than its file. Set its name (set_fields) to " + FileNameOf(stage)
                : root.GetComponentsInChildren(typeof(Transform), true)
                .Any(child => child.gameObject.GetComponents(typeof(Component)).Any(part => part == null))
                    ? "the script of one of its components is missing. Remove that component in Unity first"
                : PrefabUtility.IsPrefabAssetMissing(root)
                ? "the prefab that it is a variant of is missing. Restore that first"
                : null;
            return why == null
                ? null
                : Refusal.NotExecuted("would_ask",
                    "Unity saves the open prefab after each change (Auto Save), and would open a dialog about "
                + stage.assetPath + ": " + why + ".");
        }
    }
}
