using System.Linq;
using UnityEngine;

namespace UnityEditor
{
    public class EditorBuildSettingsScene
    {
        public EditorBuildSettingsScene(string path, bool enabled)
        {
            this.path = path;
            this.enabled = enabled;
        }

        public bool enabled { get; set; }
        public string path { get; set; }
    }

    public partial class EditorBuildSettings
    {
        public static EditorBuildSettingsScene[] scenes
        {
            get
            {
                Native.RequireMainThread("EditorBuildSettings.scenes");
#if !UNITY_2021_3
                // EditorBuildSettings.bindings.cs 6000.0.78f1:87-108: of the active profile, where that has a list of
                // its own.
                if (Own() is { } own) return own.scenes;
#endif
                return World.Build.Count > 0
                    ? World.Build.Select(scene => new EditorBuildSettingsScene(scene.Key, scene.Value)).ToArray()
                    : Native.Editor.BuildScenes.Split(';').Where(path => path.Length > 0)
                    .Select(path => new EditorBuildSettingsScene(path, true)).ToArray();
            }
            set
            {
                Native.RequireMainThread("EditorBuildSettings.scenes");
#if !UNITY_2021_3
                if (Own() is { } own)
                {
                    own.scenes = value;
                    return;
                }
#endif
                // Its native half marks the settings as changed.
                AssetDatabase.MarkDirty("ProjectSettings/EditorBuildSettings.asset");
                World.Build.Clear();
                Native.Editor.BuildScenes = string.Join(";", value.Select(scene => scene.path).ToArray());
            }
        }

#if !UNITY_2021_3
        private static Build.Profile.BuildProfile Own()
        {
            var active = UnityEditor.Build.Profile.BuildProfile.GetActiveBuildProfile();
            return active != null && active.overrideGlobalScenes ? active : null;
        }
#endif
    }
}
