using System.IO;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>The open prefab and Auto Save, Unity's default, with which Unity writes its file within 0.2 s of a change, and asks in modal dialogs about
    /// what it cannot write (PrefabStage.HandleAutoSave and Save, 2021.3 to 6000.7). Main thread.</summary>
    internal static class PrefabMode
    {
        // Internal in all versions. It is false while Unity has switched Auto Save off after a save that failed.
        private static readonly PropertyInfo Auto = typeof(PrefabStage).GetProperty("autoSave", BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public);

        /// <summary>The open prefab, if the object is in it and Unity saves it by itself; else null.</summary>
        public static PrefabStage AutoSavedWith(Object target)
        {
            var owner = target is Component component ? component.gameObject : target as GameObject;
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            return stage != null && owner != null && owner.scene == stage.scene && (Auto?.GetValue(stage) as bool? ?? EditorSettings.prefabModeAllowAutoSave) ? stage : null;
        }

        public static string FileNameOf(PrefabStage stage) => Path.GetFileNameWithoutExtension(stage.assetPath);

        /// <summary>Why its file cannot be written without one of Unity's dialogs, or null.</summary>
        public static Refusal WhyNotSavable(PrefabStage stage)
        {
            if (EditorApplication.isPlaying)
            {
                return Refusal.NotExecuted("playing", stage.assetPath + " is open in prefab mode with Auto Save, so a change would write its file. Leave play mode first.");
            }
            var root = stage.prefabContentsRoot;
            var why = !AssetDatabase.IsOpenForEdit(stage.assetPath) ? "its file is read-only, or version control has not checked it out. Check it out first"
                : root.name != FileNameOf(stage) ? "its root has another name than its file. Name it " + FileNameOf(stage) + " in Unity first"
                : root.GetComponentsInChildren(typeof(Transform), true).Any(one => one.gameObject.GetComponents(typeof(Component)).Any(part => part == null))
                    ? "the script of one of its components is missing. Remove that component in Unity first"
                : PrefabUtility.IsPrefabAssetMissing(root) ? "the prefab that it is a variant of is missing. Restore that first" : null;
            return why == null ? null : Refusal.NotExecuted("would_ask", "Unity saves the open prefab after each change (Auto Save), and would open a dialog about "
                + stage.assetPath + ": " + why + ".");
        }
    }
}
