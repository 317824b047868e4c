using System.Collections.Generic;
using System.Reflection;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;
using UnityBridge.Platform;

namespace UnityBridge.Objects
{
    /// <summary>A scene that is open, and the first part of the paths to its objects.</summary>
    internal sealed class OpenScene
    {
        public OpenScene(Scene scene, string kind, string path)
        {
            Scene = scene;
            Kind = kind;
            Path = path;
        }

        public Scene Scene { get; }

        /// <summary>scene, prefab (the one that is open in prefab mode) or dont_destroy_on_load.</summary>
        public string Kind { get; }

        public string Path { get; }
    }

    /// <summary>Main thread.</summary>
    internal static class OpenScenes
    {
        // Internal from 2021.3.58 to 6000.7. Where it is missing, the objects of that scene are not found.
        private static readonly MethodInfo DontDestroyOnLoad =
            Members.Method(typeof(EditorSceneManager), "GetDontDestroyOnLoadScene");

        /// <summary>In the order of the Hierarchy window; then the prefab that is open, and in play mode what no load
        /// destroys.</summary>
        public static List<OpenScene> All()
        {
            var names = new EqualNames();
            var scenes = new List<OpenScene>();
            for (var i = 0; i < SceneManager.sceneCount; i++)
            {
                Add(scenes, names, SceneManager.GetSceneAt(i), "scene");
            }
            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            if (prefab != null)
            {
                Add(scenes, names, prefab.scene, "prefab");
            }
            if (EditorApplication.isPlaying && DontDestroyOnLoad?.Invoke(null, null) is Scene kept && kept.IsValid())
            {
                Add(scenes, names, kept, "dont_destroy_on_load");
            }
            return scenes;
        }

        /// <summary>The scene whose objects a path with a leading slash names: the open prefab, else the active
        /// scene.</summary>
        public static OpenScene Current()
        {
            var open = All();
            return open.Find(scene => scene.Kind == "prefab")
                ?? open.Find(scene => scene.Scene == SceneManager.GetActiveScene()) ?? open[0];
        }

        /// <summary>Null for a scene that is not listed, such as a preview.</summary>
        public static string PathOf(Scene scene) => All().Find(open => open.Scene == scene)?.Path;

        private static void Add(List<OpenScene> scenes, EqualNames names, Scene scene, string kind)
        {
            var name = string.IsNullOrEmpty(scene.name) ? "Untitled" : scene.name;
            scenes.Add(new OpenScene(scene, kind, ObjectPath.Segment(name, names.Next(name))));
        }
    }
}
