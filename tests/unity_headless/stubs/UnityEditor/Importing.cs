using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    public enum TextureImporterType { Default, NormalMap, GUI, Sprite = 8 }

    public enum SpriteImportMode { None, Single, Multiple }

    /// <summary>Editor/Mono/AssetPipeline/AssetImporter.bindings.cs. A folder has one of this type.</summary>
    public class AssetImporter : Object
    {
        private static readonly Dictionary<string, AssetImporter> All = new Dictionary<string, AssetImporter>();

        public string assetPath { get { World.Read("AssetImporter.assetPath"); return AssetPath; } }
        public string userData { get; set; }

        public static AssetImporter GetAtPath(string path)
        {
            World.Read("AssetImporter.GetAtPath");
            if (!World.AssetByPath.ContainsKey(path)) return null;
            AssetImporter found;
            if (!All.TryGetValue(path, out found))
                All[path] = found = path.EndsWith(".png")
                    ? new TextureImporter { AssetPath = path }
                    : path.EndsWith(".dll")
                    ? new PluginImporter { AssetPath = path }
                    : new AssetImporter { AssetPath = path };
            return found;
        }

        /// <summary>Settings that are marked dirty are written by the import.</summary>
        public void SaveAndReimport()
        {
            World.Read("AssetImporter.SaveAndReimport");
            AssetDatabase.AskWhatToSave();
            if (Native.Editor.Quirk("unapplied-slices"))
            {
                Native.Editor.Say("VIOLATION a modal dialog: Unapplied import settings");
            }
            Native.Editor.DiskAt("before-meta");
            File.WriteAllText(Making.FileOf(AssetPath + ".meta"), Settings());
            Native.Editor.DiskAt("after-meta");
            // As AssetDatabase.WriteImportSettingsIfDirty, which Unity calls first (AssetImporter.bindings.cs).
            Native.Editor.CleanAsset(AssetPath);
            AssetDatabase.ImportAsset(AssetPath);
            Imported();
        }

        internal virtual void Imported() { }

        internal virtual string Settings() { return "meta"; }
        internal virtual Action Back() { return () => { }; }
    }

    public sealed class PluginImporter : AssetImporter
    {
        public bool isPreloaded { get; set; }
    }

    /// <summary>Editor/Mono/AssetPipeline/TextureImporterEnums.cs.</summary>
    public enum TextureImporterCompression { Uncompressed, Compressed, CompressedHQ, CompressedLQ }

    /// <summary>Editor/Mono/AssetPipeline/TextureImporter.bindings.cs. A new type resets what belongs to the former
    /// one; a sprite is Multiple then, as it is by default in Unity 6.</summary>
    public sealed class TextureImporter : AssetImporter
    {
        private TextureImporterType _type;

        public TextureImporterType textureType
        {
            get { Access("TextureImporter.textureType"); return _type; }
            set
            {
                Access("TextureImporter.textureType");
                if (_type == value) return;
                _type = value;
                mipmapEnabled = value == TextureImporterType.Default;
                spriteImportMode = value == TextureImporterType.Sprite
                    ? SpriteImportMode.Multiple
                    : SpriteImportMode.None;
            }
        }

        internal sealed class Slice
        {
            public string Name, Guid;
            public Rect Rect;
            public SpriteAlignment Alignment;
            public Vector2 Pivot;
            public long Id;
        }

        internal static long LastId;
        internal List<Slice> Slices = new List<Slice>();

        /// <summary>Of the file; the texture may be smaller.</summary>
        public void GetSourceTextureWidthAndHeight(out int width, out int height)
        {
            Access("TextureImporter.GetSourceTextureWidthAndHeight");
            width = 130;
            height = 70;
        }

        // A slice is a sprite in the file, by its id.
        internal override void Imported()
        {
            var slices = spriteImportMode == SpriteImportMode.Multiple ? Slices : new List<Slice>();
            World.SubAssets.RemoveAll(
                part => part is Sprite && part.AssetPath == AssetPath && slices.All(slice => slice.Id != part.LocalId));
            foreach (var slice in slices)
            {
                var sprite = World.SubAssets.FirstOrDefault(
                    part => part.AssetPath == AssetPath && part.LocalId == slice.Id);
                if (sprite == null)
                {
                    World.SubAssets.Add(sprite = new Sprite { AssetPath = AssetPath, LocalId = slice.Id });
                }
                sprite.SetName(slice.Name);
            }
        }

        public SpriteImportMode spriteImportMode { get; set; }
        public bool mipmapEnabled { get; set; } = true;
        public int maxTextureSize { get; set; } = 2048;
        public float spritePixelsPerUnit { get; set; } = 100;
        public FilterMode filterMode { get; set; } = FilterMode.Bilinear;
        public TextureImporterCompression textureCompression { get; set; } = TextureImporterCompression.Compressed;
        public Vector2 spritePivot { get; set; }
        public Vector4 spriteBorder { get; set; }
        [Obsolete("Use spritePixelsPerUnit property instead.")]
        public float spritePixelsToUnits
        {
            get { throw new InvalidOperationException("an obsolete property was read"); }
            set { }
        }
        public bool qualifiesForSpritePacking { get { return false; } }

        internal override string Settings()
        {
            return _type + " " + spriteImportMode + " " + maxTextureSize + " " + mipmapEnabled;
        }

        internal override Action Back()
        {
            var type = _type;
            var mode = spriteImportMode;
            var size = maxTextureSize;
            var mips = mipmapEnabled;
            var filter = filterMode;
            var compression = textureCompression;
            var slices = Slices;
            return () =>
            {
                _type = type;
                spriteImportMode = mode;
                maxTextureSize = size;
                mipmapEnabled = mips;
                filterMode = filter;
                textureCompression = compression;
                Slices = slices;
                SaveAndReimport();
            };
        }
    }
}
