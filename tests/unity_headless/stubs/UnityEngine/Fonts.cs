using System.Collections.Generic;

namespace UnityEngine.TextCore.Text
{
    public enum AtlasPopulationMode { Static, Dynamic, DynamicOS }

    /// <summary>A dynamic one marks itself as changed when a text is drawn with a new character, with a texture that it
    /// adds to its file (TextEditorResourceManager.cs 2021.3 and 2022.3, DoPostRenderUpdates and AddTextureToAsset;
    /// TextMesh Pro's TMP_FontAsset does the same).</summary>
    public class FontAsset : ScriptableObject
    {
        public AtlasPopulationMode atlasPopulationMode { get; set; }

        /// <summary>What is changed in a file whose name says what it is: "... Dynamic.asset", "... Static.asset", and
        /// "... Dynamic.asset:material" with the material of a dynamic one, which only a person changes.</summary>
        internal static IEnumerable<Object> InFile(string changed)
        {
            var path = changed.Split(':')[0];
            if (Main(path) is not { } font)
            {
                yield return new ScriptableObject { AssetPath = changed };
                yield break;
            }
            yield return font;
            yield return new Texture { AssetPath = path };
            if (path != changed) yield return new Material(null) { AssetPath = path };
        }

        /// <summary>Null for a file that is no font.</summary>
        internal static FontAsset Main(string path)
        {
            var isDynamic = path.EndsWith(" Dynamic.asset");
            return !isDynamic && !path.EndsWith(" Static.asset") ? null
                : new FontAsset { AssetPath = path,
                    atlasPopulationMode = isDynamic ? AtlasPopulationMode.Dynamic : AtlasPopulationMode.Static };
        }
    }
}
