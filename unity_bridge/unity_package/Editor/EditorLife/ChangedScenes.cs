using System.Collections.Generic;
using System.Linq;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>The argument <c>changed_scenes</c>: what becomes of open scenes whose files changed on disk (SPEC
    /// §16.1). Main thread.</summary>
    internal static class ChangedScenes
    {
        private const string Reason = "scene_changed_on_disk";
        private const string Refuse = "refuse";
        private const string Disk = "disk";
        private const string Editor = "editor";

        public static string FaultIn(JsonObject parameters) =>
            parameters.Get("changed_scenes") is null or Refuse or Disk or Editor
            ? null
            : "changed_scenes is refuse, disk or editor.";

        /// <summary>Why <paramref name="tool"/> cannot refresh, or null. <paramref name="discarded"/>: the paths whose
        /// unsaved changes the choice discards or saves.</summary>
        public static Refusal WhyNot(SceneFiles files, string tool, JsonObject parameters, out List<string> discarded)
        {
            discarded = new List<string>();
            var changed = files.FindChanged();
            if (changed.Count == 0)
            {
                return null;
            }
            var choice = parameters.Text("changed_scenes") ?? Refuse;
            var open = changed.Where(file => file.IsDirty || !file.IsReadable).Select(file => file.Path).ToList();
            if (choice == Refuse && open.Count > 0)
            {
                return NotExecuted(open, "Files changed on disk and in the editor. Call " + tool
                    + " with changed_scenes: disk (discards the editor's changes) or editor (saves over the files).");
            }
            discarded = open;
            // Opening a scene leaves the open prefab, and asks about its changes.
            var prefab = UnsavedWork.FindPrefab().Where(path => changed.All(file => file.Path != path)).ToList();
            return prefab.Count == 0 || changed.All(file => !IsScene(file.Path)) ? null
                : NotExecuted(changed.Select(file => file.Path).ToList(),
                    "They changed on disk, and opening them again would discard unsaved changes of the open prefab "
                    + prefab[0] + ". Save it first.");
        }

        /// <summary>Why nothing can go on that has no such argument; null where nothing changed.</summary>
        public static Refusal WhyNotAsked(SceneFiles files, string advice)
        {
            var changed = files.FindChanged().ConvertAll(file => file.Path);
            return changed.Count == 0
                ? null
                : NotExecuted(changed, "They are open and changed on disk, and Unity would ask about them in a dialog. "
                + advice);
        }

        /// <summary>Before the refresh. The paths that were opened again, closed or saved are as on disk
        /// afterwards.</summary>
        /// <param name="prefab">A prefab that was left, to open again after the refresh; else null.</param>
        public static List<string> Resolve(SceneFiles files, JsonObject parameters, out string prefab)
        {
            prefab = null;
            var reloaded = new List<string>();
            var savesOver = parameters.Text("changed_scenes") == Editor;
            var active = SceneManager.GetActiveScene().path;
            var stage = PrefabStageUtility.GetCurrentPrefabStage()?.assetPath;
            // The prefab first: opening a scene leaves it, and would ask about its changes.
            foreach (var file in files.FindChanged().OrderBy(file => IsScene(file.Path)))
            {
                if (!IsScene(file.Path))
                {
                    if (ResolvePrefab(file, savesOver))
                    {
                        reloaded.Add(file.Path);
                    }
                }
                else if (savesOver && (file.IsDirty || !file.IsReadable))
                {
                    Save(file);
                }
                else if (file.IsReadable)
                {
                    OpenAgain(file.Path);
                    reloaded.Add(file.Path);
                }
                else if (SceneManager.sceneCount > 1)
                {
                    EditorSceneManager.CloseScene(SceneManager.GetSceneByPath(file.Path), true);
                }
                else
                {
                    EditorSceneManager.NewScene(NewSceneSetup.EmptyScene, NewSceneMode.Single);
                }
                files.Note(file.Path);
            }
            var was = SceneManager.GetSceneByPath(active);
            if (reloaded.Count > 0 && was.IsValid() && was.isLoaded)
            {
                SceneManager.SetActiveScene(was);
            }
            if (stage != null && files.IsThere(stage) && PrefabStageUtility.GetCurrentPrefabStage() == null)
            {
                prefab = stage;
            }
            return reloaded;
        }

        /// <summary>After the refresh.</summary>
        public static void OpenPrefab(string path)
        {
            if (path != null)
            {
                PrefabStageUtility.OpenPrefab(path);
            }
        }

        // Whether Unity loads it again at the import, since there is nothing left to ask about.
        private static bool ResolvePrefab(ChangedFile file, bool savesOver)
        {
            if (savesOver)
            {
                UnsavedWork.SavePrefab();
                return false;
            }
            PrefabStageUtility.GetCurrentPrefabStage().ClearDirtiness();
            if (!file.IsReadable)
            {
                StageUtility.GoToMainStage();
            }
            return file.IsReadable;
        }

        // A scene without unsaved changes is left as it is.
        private static void Save(ChangedFile file)
        {
            if (file.IsDirty)
            {
                EditorSceneManager.SaveScene(SceneManager.GetSceneByPath(file.Path));
            }
        }

        private static void OpenAgain(string path)
        {
            var setup = EditorSceneManager.GetSceneManagerSetup();
            if (setup.Length == 1)
            {
                EditorSceneManager.OpenScene(path, OpenSceneMode.Single);
            }
            else if (setup.Count(scene => scene.isLoaded) == 1)
            {
                // The last loaded scene cannot be closed. The others have nothing to lose.
                EditorSceneManager.RestoreSceneManagerSetup(setup);
            }
            else
            {
                // It stays in its place in the hierarchy.
                EditorSceneManager.CloseScene(SceneManager.GetSceneByPath(path), false);
                EditorSceneManager.OpenScene(path, OpenSceneMode.Additive);
            }
        }

        private static bool IsScene(string path) => path.Ends(".unity");

        private static Refusal NotExecuted(List<string> paths, string why) =>
            Refusal.NotExecuted(Reason, why + " Open scenes or prefabs that changed on disk: " + Cut.Names(paths) + ".")
            .With("scenes", paths);
    }
}
