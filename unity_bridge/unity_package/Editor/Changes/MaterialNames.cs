using System.Linq;

namespace UnityBridge.Changes
{
    /// <summary>
    /// What the properties of materials are called by code and by the shaders of the pipelines: Standard, Universal
    /// (Lit.shader) and High
    /// Definition (Lit.shader of com.unity.render-pipelines.high-definition).
    /// </summary>
    internal static class MaterialNames
    {
        // The word that people use, and then the names of shaders; of several that a shader has, the first is meant.
        private static readonly string[][] Groups = new[]
        {
            "color _BaseColor _Color", "mainTexture _BaseMap _BaseColorMap _MainTex", "metallic _Metallic",
            "smoothness _Smoothness _Glossiness", "emission _EmissionColor _EmissiveColor",
            "normalMap _BumpMap _NormalMap",
        }.Select(names => names.Split(' ')).ToArray();

        /// <summary>The names that mean the same as this one; none for a name that is not known.</summary>
        public static string[] SameAs(string name) => Groups.FirstOrDefault(group => group.Contains(name))
            ?? new string[0];

        /// <summary>Whether it is a word for a property, and no name of one.</summary>
        public static bool IsWord(string name) => Groups.Any(group => group[0] == name);
    }
}
