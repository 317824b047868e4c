namespace UnityEngine
{
    /// <summary>Its name meets System.Random's in code that uses both namespaces.</summary>
    public static class Random
    {
        public static float value { get { return 0.5f; } }
    }
}
