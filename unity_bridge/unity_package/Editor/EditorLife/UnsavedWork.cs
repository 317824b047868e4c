using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEditor.PackageManager;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Platform;
using UnityBridge.Wire;
using PackageInfo = UnityEditor.PackageManager.PackageInfo;

namespace UnityBridge.EditorLife
{
    /// <summary>Open scenes and the open prefab with changes that are not on disk. Unity asks about them in a modal
    /// dialog, which nobody answers. Main thread.</summary>
    internal static class UnsavedWork
    {
        // Internal from 2020.1 to 6000.7.
        private static readonly MethodInfo SavePrefabOfStage = Members.Method(typeof(PrefabStage), "SavePrefab");

        private const string SettingsFolder = "ProjectSettings/";

        // Internal in all versions (EditorSceneManager.bindings.cs).
        private static readonly MethodInfo ClearSceneDirtiness =
            Members.Method(typeof(EditorSceneManager), "ClearSceneDirtiness", typeof(Scene));

        /// <summary>Paths; "Untitled" for a scene that has none.</summary>
        public static List<string> Find()
        {
            var unsaved = Scenes().Where(scene => scene.isDirty)
                .Select(scene => string.IsNullOrEmpty(scene.path) ? "Untitled" : scene.path);
            return unsaved.Concat(FindPrefab()).ToList();
        }

        /// <summary>Those that are open, loaded or not.</summary>
        public static IEnumerable<Scene> Scenes() =>
            Enumerable.Range(0, SceneManager.sceneCount).Select(SceneManager.GetSceneAt);

        /// <summary>The paths of the project's assets with changes of a person that are not on disk, sorted. They are
        /// all in memory.</summary>
        public static List<string> FindAssets() => PathsOf(ChangedAssets(AssetFolders()));

        /// <summary>The files of ProjectSettings whose settings have changes that are not on disk, sorted.</summary>
        public static List<string> FindSettings() => PathsOf(ChangedAssets(new List<string> { SettingsFolder }));

        /// <summary>What is not saved of a scene is as if it was: nothing asks about it, or saves it, any
        /// more.</summary>
        public static void Forget(Scene scene)
        {
            if (scene.isDirty)
            {
                ClearSceneDirtiness?.Invoke(null, new object[] { scene });
            }
        }

        /// <summary>The same for assets and settings.</summary>
        public static void ForgetAssets()
        {
            foreach (var asset in ChangedAssets(AssetFolders().Append(SettingsFolder).ToList()))
            {
                EditorUtility.ClearDirty(asset);
            }
        }

        private static List<string> AssetFolders() =>
            ChangeablePackages().Select(package => package.assetPath + "/").Append("Assets/").ToList();

        private static List<UnityEngine.Object> ChangedAssets(List<string> folders)
        {
            bool IsWanted(string path) => folders.Exists(path.Begins);
            return Resources.FindObjectsOfTypeAll<UnityEngine.Object>()
                .Where(asset => asset != null && EditorUtility.IsPersistent(asset) && EditorUtility.IsDirty(asset)
                    && AssetDatabase.GetAssetPath(asset) is { } path && IsWanted(path)
                    && !IsChangedByUnity(asset, path)).ToList();
        }

        private static List<string> PathsOf(IEnumerable<UnityEngine.Object> assets) =>
            new List<string>(new SortedSet<string>(assets.Select(AssetDatabase.GetAssetPath), StringComparer.Ordinal));

        /// <summary>The packages whose files belong to the project; Unity writes to no other.</summary>
        public static IEnumerable<PackageInfo> ChangeablePackages() =>
            PackageInfo.GetAllRegisteredPackages()
            .Where(package => package.source is PackageSource.Embedded or PackageSource.Local);

        // A dynamic font takes up each new character that is drawn (TextEditorResourceManager.cs 2021.3 and 2022.3, and
        // TextMesh Pro).
        private static bool IsChangedByUnity(UnityEngine.Object asset, string path) => !(asset is Material)
            && AssetDatabase.LoadMainAssetAtPath(path) is { } font
            && font.GetType().FullName is "UnityEngine.TextCore.Text.FontAsset" or "TMPro.TMP_FontAsset"
            && Members.Get(font, "atlasPopulationMode")?.ToString() is "Dynamic" or "DynamicOS";

        /// <summary>The path of the open prefab, if it has changes.</summary>
        public static List<string> FindPrefab()
        {
            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            return prefab != null && prefab.scene.isDirty ? new List<string> { prefab.assetPath } : new List<string>();
        }

        /// <summary>Why <paramref name="tool"/>, which can save them first, cannot go on; null where everything is
        /// saved.</summary>
        /// <param name="except">Paths whose changes are discarded or saved before; null for none.</param>
        public static Refusal WhyNot(string tool, ICollection<string> except = null)
        {
            var unsaved = Find();
            unsaved.RemoveAll(path => except != null && except.Contains(path));
            return unsaved.Count == 0
                ? null
                // The choice first: a long list is cut off at its end.
                : Refusal.NotExecuted("unsaved_scenes",
                    "There are unsaved changes. Save or discard them, or call " + tool + " with unsaved: save"
                    + " (save_scene path=... for a scene without a file). They are in " + Cut.Names(unsaved)
                    + ".").With("scenes", unsaved);
        }

        /// <summary>Saves what has a path; the rest needs a person, who is asked for a name.</summary>
        public static void Save()
        {
            foreach (var scene in Scenes().Where(scene => scene.isDirty && !string.IsNullOrEmpty(scene.path)))
            {
                EditorSceneManager.SaveScene(scene);
            }
            SavePrefab();
        }

        /// <summary>Saves the open prefab, where it can be saved.</summary>
        public static void SavePrefab()
        {
            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            // A variant without its parent: the stage's own save opens a dialog, whatever became of the first one.
            if (prefab == null || !prefab.scene.isDirty
                || PrefabUtility.IsPrefabAssetMissing(prefab.prefabContentsRoot))
            {
                return;
            }
            try
            {
                // The stage's own save notifies other scripts, and opens a modal dialog if it fails, as with a missing
                // script: so it is only asked for what could be saved (PrefabStage.SavePrefab, 2021.3 to 6000.7), and
                // the file is written twice. Without it the stage would take the file for one that somebody else has
                // changed.
                PrefabUtility.SaveAsPrefabAsset(prefab.prefabContentsRoot, prefab.assetPath, out var isSaved);
                if (isSaved && !(SavePrefabOfStage?.Invoke(prefab, null) is true))
                {
                    prefab.ClearDirtiness();
                }
            }
            catch (ArgumentException refusal)
            {
                Debug.LogException(refusal);
            }
        }
    }
}
