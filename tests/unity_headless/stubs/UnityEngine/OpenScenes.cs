namespace UnityEngine.SceneManagement
{
    /// <summary>Runtime/Export/SceneManager/Scene.cs.</summary>
    public partial struct Scene
    {
        public bool isLoaded
        {
            get
            {
                Native.RequireMainThread("Scene.isLoaded");
                return !World.Unloaded.Contains(_path) && !Native.Editor.IsUnloaded(_path);
            }
        }

        public int rootCount { get { World.Read("Scene.rootCount"); return World.RootsOf(_path).Length; } }

        public bool IsValid()
        {
            return _path != null;
        }

        public GameObject[] GetRootGameObjects()
        {
            World.Read("Scene.GetRootGameObjects");
            if (!IsValid()) throw new System.ArgumentException("The scene is invalid.");
            if (!Native.Playing && !isLoaded) throw new System.ArgumentException("The scene is not loaded.");
            return World.RootsOf(_path);
        }

        // By handle.
        public static bool operator ==(Scene lhs, Scene rhs)
        {
            return lhs._path == rhs._path;
        }

        public static bool operator !=(Scene lhs, Scene rhs)
        {
            return !(lhs == rhs);
        }

        public override bool Equals(object other)
        {
            return other is Scene && this == (Scene)other;
        }

        public override int GetHashCode()
        {
            return _path == null ? 0 : _path.GetHashCode();
        }
    }

    public partial class SceneManager
    {
        public static Scene GetActiveScene()
        {
            return Native.Editor.ActiveScene == null ? GetSceneAt(0) : new Scene(Native.Editor.ActiveScene);
        }

        public static bool SetActiveScene(Scene scene)
        {
            Native.RequireMainThread("SceneManager.SetActiveScene");
            if (!scene.isLoaded)
            {
                throw new System.ArgumentException("SceneManager.SetActiveScene failed; the scene is not loaded.");
            }
            Native.Editor.ActiveScene = scene.path;
            return true;
        }

        /// <summary>Invalid if it is not open.</summary>
        public static Scene GetSceneByPath(string scenePath)
        {
            Native.RequireMainThread("SceneManager.GetSceneByPath");
            for (var i = 0; i < sceneCount; i++)
            {
                if (GetSceneAt(i).path == scenePath) return GetSceneAt(i);
            }
            return new Scene();
        }
    }
}
