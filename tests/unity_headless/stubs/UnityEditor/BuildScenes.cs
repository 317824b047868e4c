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
                    : Native.Editor.BuildScenes.Split(';').Where(path => path.Length > 0).Select(path => new EditorBuildSettingsScene(path, true)).ToArray();
            }
            set
            {
                Native.RequireMainThread("EditorBuildSettings.scenes");
                World.Build.Clear();
                Native.Editor.BuildScenes = string.Join(";", value.Select(scene => scene.path).ToArray());
            }
        }
    }
}
