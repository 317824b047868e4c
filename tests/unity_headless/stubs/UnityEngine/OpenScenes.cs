namespace UnityEngine.SceneManagement
{
    public partial struct Scene
    {
        public bool isLoaded { get { Native.RequireMainThread("Scene.isLoaded"); return true; } }

        // By handle (Runtime/Export/SceneManager/Scene.cs).
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
            return _path.GetHashCode();
        }
    }

    public partial class SceneManager
    {
        public static Scene GetActiveScene()
        {
            return GetSceneAt(0);
        }
    }
}
