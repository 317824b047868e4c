namespace UnityEngine
{
    public abstract partial class Native
    {
        /// <summary>The paths of the scenes that are built, with ";" between.</summary>
        public string BuildScenes { get; set; } = "Assets/Clean.unity";
    }
}
