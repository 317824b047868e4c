using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine.SceneManagement;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Tools
{
    /// <summary>The scenes that are open, in the order of the Hierarchy window, and then those of the build that are
    /// not.</summary>
    internal sealed class ScenesQuestion : Question
    {
        public override IEnumerable<Found> Walk(int[] from)
        {
            var build = BuildIndices();
            var open = OpenScenes.All();
            var closed = EditorBuildSettings.scenes
                .Where(scene => !open.Exists(entry => entry.Scene.path == scene.path)).ToList();
            yield return null;
            Total = open.Count + closed.Count;
            for (var i = from[0]; i < Total; i++)
            {
                var item = i < open.Count ? Describe(open[i], build) : Describe(closed[i - open.Count], build);
                yield return new Found(item, item.Text("path") + "\n" + item.Text("file"), i);
            }
        }

        private static JsonObject Describe(OpenScene open, IReadOnlyDictionary<string, int?> build)
        {
            var item = new JsonObject
            {
                { "path", open.Path },
                { "file", open.Scene.path ?? "" },
                { "kind", open.Kind },
                { "loaded", open.Scene.isLoaded },
            };
            if (open.Kind == "scene")
            {
                item["active"] = open.Scene == SceneManager.GetActiveScene();
            }
            item["dirty"] = open.Scene.isDirty;
            item["roots"] = open.Scene.isLoaded ? open.Scene.rootCount : 0;
            AddBuild(item, open.Scene.path ?? "", build);
            return item;
        }

        private static JsonObject Describe(EditorBuildSettingsScene closed, IReadOnlyDictionary<string, int?> build)
        {
            var item = new JsonObject { { "file", closed.path }, { "kind", "build" }, { "loaded", false } };
            AddBuild(item, closed.path, build);
            return item;
        }

        private static void AddBuild(JsonObject item, string file, IReadOnlyDictionary<string, int?> build)
        {
            if (build.TryGetValue(file, out var index))
            {
                item["in_build"] = index != null;
                item.AddIfAny("build_index", index);
            }
        }

        // By file; null for a scene that is in the list and switched off. Only the others are numbered.
        private static Dictionary<string, int?> BuildIndices()
        {
            var indices = new Dictionary<string, int?>();
            var next = 0;
            foreach (var scene in EditorBuildSettings.scenes)
            {
                indices[scene.path] = scene.enabled ? next++ : (int?)null;
            }
            return indices;
        }
    }
}
