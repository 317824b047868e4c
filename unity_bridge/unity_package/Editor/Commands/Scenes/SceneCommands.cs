using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    internal enum SceneTemplate
    {
        @default,
        empty,
    }

    /// <summary>Makes and saves scenes (SPEC §16.7). Main thread.</summary>
    internal static class SceneCommands
    {
        [BridgeCommand("create_scene",
            "Makes a scene, saves it under path and opens it: with a camera and a light, or empty. unsaved: what to do "
            + "about unsaved changes of those that it replaces. No Undo.")]
        private static JsonObject Create(
            ChangeCall call, string path, SceneTemplate template = SceneTemplate.@default,
            bool additive = false, Unsaved unsaved = Unsaved.refuse)
        {
            Refuse.OutsideEditMode("create the scene");
            RequireScenePath(path);
            AssetPath.RequireNew(path);
            if (additive && Untitled().Any())
            {
                throw new CommandRefused(
                    "unsaved_scenes", "A scene was never saved, and Unity makes no other one next to it. "
                    + "Save it (save_scene path=...), or create the scene alone.");
            }
            var discarded = OpenScene.Leave(unsaved, additive, "create_scene");
            return ChangeReport.InOneUndoGroup(call, "Create " + path, null, report =>
            {
                AssetPath.MakeFolders(path, report);
                var scene = EditorSceneManager.NewScene(
                    template == SceneTemplate.empty ? NewSceneSetup.EmptyScene : NewSceneSetup.DefaultGameObjects,
                    additive ? NewSceneMode.Additive : NewSceneMode.Single);
                Save(scene, path, false, report);
                foreach (var root in SceneManager.GetSceneByPath(path).GetRootGameObjects())
                {
                    report.Add(ChangeTarget.PathOf(root), "path", null, ChangeTarget.PathOf(root));
                }
                if (discarded.Count > 0)
                {
                    report.Remark("Unsaved changes were discarded: " + string.Join(", ", discarded) + ".");
                }
            });
        }

        [BridgeCommand("save_scene",
            "Saves one open scene (the active one, or scene: its name or path). path: for a scene without a file; for "
            + "another it writes a copy. Nothing is overwritten.")]
        private static JsonObject SaveOne(ChangeCall call, ToolContext context, string scene = null, string path = null)
        {
            Refuse.OutsideEditMode("save the scene");
            var open = Find(scene);
            var isUntitled = string.IsNullOrEmpty(open.path);
            if (isUntitled && string.IsNullOrEmpty(path))
            {
                throw ChangeTarget.Refused(
                    "The scene has no file yet. Give its path: save_scene path=Assets/Scenes/Name.unity.");
            }
            if (!isUntitled && (string.IsNullOrEmpty(path) || path == open.path))
            {
                if (context.SceneFiles.FindChanged().Any(changed => changed.Path == open.path))
                {
                    throw new CommandRefused(Refusal.NotExecuted("scene_changed_on_disk", open.path
                        + " was changed or deleted on disk since it was opened, and saving would overwrite that. "
                        + "Open it again (open_scene), or save a copy (path).")
                        .With("scenes", new[] { open.path }));
                }
                return ChangeReport.InOneUndoGroup(call, "Save " + open.path, null, report =>
                {
                    if (!EditorSceneManager.SaveScene(open))
                    {
                        throw NotSaved(open.path);
                    }
                    report.Files.Note(open.path);
                });
            }
            RequireScenePath(path);
            AssetPath.RequireNew(path);
            return ChangeReport.InOneUndoGroup(call, "Save " + path, null, report =>
            {
                AssetPath.MakeFolders(path, report);
                Save(open, path, !isUntitled, report);
                if (!isUntitled)
                {
                    report.Remark(path + " is a copy. The scene that is open is still " + open.path
                        + "; open_scene opens the copy.");
                }
            });
        }

        [BridgeCommand("build_scenes",
            "The list of scenes in the build. path: the scene's file; index: where to add it. No Undo.",
            Keywords = "settings")]
        private static JsonObject Build(
            ChangeCall call, BuildAction action = BuildAction.list, string path = null, int? index = null)
        {
            var scenes = EditorBuildSettings.scenes.ToList();
            if (action == BuildAction.list)
            {
                return Listed(scenes);
            }
            if (string.IsNullOrEmpty(path))
            {
                throw ChangeTarget.Refused("path is missing: the scene's file, as in Assets/Scenes/Main.unity.");
            }
            Refuse.OutsideEditMode("change the list of scenes in the build");
            var at = scenes.FindIndex(scene => scene.path == path);
            return ChangeReport.InOneUndoGroup(call, "Scenes in the build", null, report =>
            {
                if (action == BuildAction.add)
                {
                    if (AssetDatabase.GetMainAssetTypeAtPath(path) == null
                        || !path.Ends(".unity"))
                    {
                        throw ChangeTarget.Refused(
                            "There is no scene " + Quoted.Text(path)
                            + ". Give its path, as in Assets/Scenes/Main.unity.");
                    }
                    if (at >= 0)
                    {
                        throw new CommandRefused("exists", path + " is in the list already, at " + at + ".");
                    }
                    if (index is { } wanted && (wanted < 0 || wanted > scenes.Count))
                    {
                        throw ChangeTarget.Refused(
                            "index " + index + " is past the end: it goes from 0 to " + scenes.Count + ".");
                    }
                    scenes.Insert(index ?? scenes.Count, new EditorBuildSettingsScene(path, true));
                    report.Add(path, "build_index", null, index ?? scenes.Count - 1);
                }
                else
                {
                    if (at < 0)
                    {
                        throw ChangeTarget.Refused(
                            "path names the scene to remove. '" + Quoted.Text(path) + "' is not in the list, which has "
                            + string.Join(", ", scenes.Select(scene => scene.path)) + ".");
                    }
                    scenes.RemoveAt(at);
                    report.Add(path, "build_index", at, null);
                }
                Write(scenes.ToArray(), report);
            });
        }

        public static void SaveOpen(ChangeCall call, ToolContext context, string scene) =>
            SaveOne(call, context, scene);

        // The setter marks neither as changed; Unity's own list does (BuildProfileSceneListTreeView.cs
        // 6000.7.0a1:79-81).
        private static void Write(EditorBuildSettingsScene[] scenes, ChangeReport report)
        {
            var profile = Profile();
            if (profile == null)
            {
                SaveList(scenes, report);
                return;
            }
            var path = AssetDatabase.GetAssetPath(profile);
            ChangeTarget.RequireWritable(profile);
            // Other changes of a person in the same file are theirs to save.
            var isSaved = !EditorUtility.IsDirty(profile) && Reactions.WhyNot(Effect.Save) == null;
            Undo.RecordObject(profile, "Scenes in the build");
            EditorBuildSettings.scenes = scenes;
            EditorUtility.SetDirty(profile);
            Undo.FlushUndoRecordObjects();
            report.Remark("The list is that of the build profile " + path + ".");
            if (!isSaved)
            {
                report.Touched(profile);
                return;
            }
            AssetDatabase.SaveAssetIfDirty(profile);
            report.Files.RewrittenWithUndo(path);
        }

        // Of this file alone: to save the project would write what a person has not saved yet.
        private static void SaveList(EditorBuildSettingsScene[] scenes, ChangeReport report)
        {
            const string path = "ProjectSettings/EditorBuildSettings.asset";
            var settings = AssetDatabase.LoadAllAssetsAtPath(path).FirstOrDefault();
            var isSaved = settings != null && !EditorUtility.IsDirty(settings) && Reactions.WhyNot(Effect.Save) == null;
            EditorBuildSettings.scenes = scenes;
            report.HasNoUndo("Undo does not reach the list of scenes in the build.");
            if (isSaved)
            {
                EditorUtility.SetDirty(settings);
                AssetDatabase.SaveAssetIfDirty(settings);
            }
            if (settings == null || EditorUtility.IsDirty(settings))
            {
                report.Remark("Unity writes the list to disk with the project (save_all).");
                return;
            }
            report.Files.Note(path);
        }

        /// <summary>The scenes without a file.</summary>
        public static IEnumerable<Scene> Untitled() =>
            UnsavedWork.Scenes().Where(scene => string.IsNullOrEmpty(scene.path));

        private static JsonObject Listed(List<EditorBuildSettingsScene> scenes)
        {
            var json = new JsonObject { { "scenes", scenes.Select((one, place) => (object)new JsonObject
            {
                { "index", place }, { "path", one.path }, { "enabled", one.enabled },
            }).ToList() } };
            if (Profile() is { } profile)
            {
                json["profile"] = AssetDatabase.GetAssetPath(profile);
            }
            return json;
        }

        // From 6000.0 on the active build profile may have a list of its own (EditorBuildSettings.bindings.cs).
        private static UnityEngine.Object Profile()
        {
            var active = SettingsObject.ActiveProfile;
            var hasOwnList = active != null
                && Members.Get(active, "overrideGlobalScenes") is true;
            return hasOwnList ? active : null;
        }

        private static void Save(Scene scene, string path, bool asCopy, ChangeReport report)
        {
            // It overwrites what is there without a word.
            AssetPath.RequireFree(path);
            report.Files.Making(path);
            if (!EditorSceneManager.SaveScene(scene, path, asCopy))
            {
                throw NotSaved(path);
            }
            report.Files.Done(path);
            report.Add(path, "path", null, path);
        }

        /// <summary>An open scene by its name or path; the active one where none is named.</summary>
        public static Scene Find(string name)
        {
            var found = string.IsNullOrEmpty(name) ? new List<Scene> { SceneManager.GetActiveScene() }
                : UnsavedWork.Scenes().Where(scene => scene.path == name || scene.name == name
                    || (name == "Untitled" && string.IsNullOrEmpty(scene.path))).ToList();
            return found.Count == 1
                ? found[0]
                : throw ChangeTarget.Refused(
                    (found.Count == 0 ? "No open scene is " : "Several open scenes are named ") + Quoted.Text(name)
                + ". Open are " + string.Join(
                    ", ", UnsavedWork.Scenes().Select(
                        scene => string.IsNullOrEmpty(scene.path) ? "Untitled" : scene.path)) + ".");
        }

        private static void RequireScenePath(string path)
        {
            if (path == null || !path.Ends(".unity"))
            {
                throw ChangeTarget.Refused("The path of a scene ends with .unity, as in Assets/Scenes/Main.unity.");
            }
        }

        private static CommandRefused NotSaved(string path) =>
            Refuse.Failed("exception", "Unity did not save " + path + ". The console says why (read_console).");
    }

    internal enum BuildAction
    {
        list,
        add,
        remove,
    }
}
