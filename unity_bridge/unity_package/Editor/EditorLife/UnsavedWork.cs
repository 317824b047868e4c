using System.Collections.Generic;
using System.Reflection;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>Open scenes and the open prefab with changes that are not on disk. Unity asks about them in a modal dialog, which
    /// nobody answers. Main thread.</summary>
    internal static class UnsavedWork
    {
        /// <summary>Paths; "Untitled" for a scene that has none.</summary>
        public static List<string> Find()
        {
            var unsaved = new List<string>();
            for (var i = 0; i < SceneManager.sceneCount; i++)
            {
                var scene = SceneManager.GetSceneAt(i);
                if (scene.isDirty)
                {
                    unsaved.Add(string.IsNullOrEmpty(scene.path) ? "Untitled" : scene.path);
                }
            }
            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            if (prefab != null && prefab.scene.isDirty)
            {
                unsaved.Add(prefab.assetPath);
            }
            return unsaved;
        }

        /// <summary>Why <paramref name="tool"/>, which can save them first, cannot go on; null where everything is saved.</summary>
        public static Refusal WhyNot(string tool)
        {
            var unsaved = Find();
            return unsaved.Count == 0
                ? null
                : Refusal.NotExecuted("unsaved_scenes", "There are unsaved changes (" + string.Join(", ", unsaved)
                    + "), and Unity would ask about them in a dialog. Save or discard them, or call " + tool + " with unsaved: save"
                    + " (an untitled scene needs a person).").With("scenes", unsaved);
        }

        /// <summary>Saves what has a path; the rest needs a person, who is asked for a name.</summary>
        public static void Save()
        {
            for (var i = 0; i < SceneManager.sceneCount; i++)
            {
                var scene = SceneManager.GetSceneAt(i);
                if (scene.isDirty && !string.IsNullOrEmpty(scene.path))
                {
                    EditorSceneManager.SaveScene(scene);
                }
            }
            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            if (prefab != null && prefab.scene.isDirty)
            {
                // Internal from 2020.1 to 6000.7. Where it is not found the prefab stays unsaved, and is told as that.
                typeof(PrefabStage).GetMethod("SavePrefab", BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public, null, new System.Type[0], null)
                    ?.Invoke(prefab, null);
            }
        }
    }
}
