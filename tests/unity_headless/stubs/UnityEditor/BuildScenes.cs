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
                return World.Build.Count > 0
                    ? World.Build.Select(scene => new EditorBuildSettingsScene(scene.Key, scene.Value)).ToArray()
                    : Native.Editor.BuildScenes.Split(';').Select(path => new EditorBuildSettingsScene(path, true)).ToArray();
            }
        }
    }
}
