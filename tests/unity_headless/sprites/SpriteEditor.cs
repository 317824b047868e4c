using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;

namespace UnityEditor
{
    public class SpriteRect
    {
        public string name { get; set; }
        public Rect rect { get; set; }
        public SpriteAlignment alignment { get; set; }
        public Vector2 pivot { get; set; }
        public GUID spriteID { get; set; }
    }

    public class SpriteNameFileIdPair
    {
        public SpriteNameFileIdPair(string name, GUID fileId)
        {
            this.name = name;
            this.fileId = fileId;
        }

        public string name { get; private set; }
        public GUID fileId { get; private set; }
    }
}

namespace UnityEditor.U2D.Sprites
{
    /// <summary>com.unity.2d.sprite, SpriteEditorWindow.cs: with slices that a person has not applied it asks in a
    /// modal dialog when another texture is selected, when play mode begins or ends, and after an import of its
    /// texture.</summary>
    internal sealed class SpriteEditorWindow : EditorWindow
    {
        internal override bool IsUnsaved { get { return Native.Editor.Quirk("unapplied-slices"); } }
    }

    public interface ISpriteEditorDataProvider
    {
        void InitSpriteEditorDataProvider();
        SpriteRect[] GetSpriteRects();
        void SetSpriteRects(SpriteRect[] spriteRects);
        void Apply();
        T GetDataProvider<T>() where T : class;
    }

    public interface ISpriteNameFileIdDataProvider
    {
        void SetNameFileIdPairs(IEnumerable<SpriteNameFileIdPair> nameFileIdPairs);
    }

    public class SpriteDataProviderFactories
    {
        private bool _isReady;

        public void Init() { _isReady = true; }

        public ISpriteEditorDataProvider GetSpriteEditorDataProviderFromObject(UnityEngine.Object obj)
        {
            return _isReady ? new TextureImporterDataProvider((TextureImporter)obj) : null;
        }
    }

    /// <summary>com.unity.2d.sprite, TextureImporterDataProvider.cs: it reads the mode when it is made, and takes one
    /// slice unless that is Multiple. A slice with the same spriteID keeps its id, or one that the table has under its
    /// name; all others get a new one, and what refers to the old one misses it.</summary>
    internal class TextureImporterDataProvider : ISpriteEditorDataProvider, ISpriteNameFileIdDataProvider
    {
        private readonly TextureImporter _importer;
        private readonly bool _isMultiple;
        private List<SpriteRect> _rects;
        private string[] _named = new string[0];

        public TextureImporterDataProvider(TextureImporter importer)
        {
            _importer = importer;
            _isMultiple = importer.spriteImportMode == SpriteImportMode.Multiple;
        }

        void ISpriteEditorDataProvider.InitSpriteEditorDataProvider()
        {
            _rects = _importer.Slices.Select(slice => new SpriteRect
            {
                name = slice.Name, rect = slice.Rect, alignment = slice.Alignment, pivot = slice.Pivot,
                spriteID = new GUID(slice.Guid),
            }).ToList();
        }

        SpriteRect[] ISpriteEditorDataProvider.GetSpriteRects() { return _rects.ToArray(); }

        void ISpriteEditorDataProvider.SetSpriteRects(SpriteRect[] spriteRects)
        {
            _rects = spriteRects.Take(_isMultiple ? spriteRects.Length : 1).ToList();
        }

        T ISpriteEditorDataProvider.GetDataProvider<T>() { return this as T; }

        void ISpriteNameFileIdDataProvider.SetNameFileIdPairs(IEnumerable<SpriteNameFileIdPair> nameFileIdPairs)
        {
            _named = nameFileIdPairs.Select(pair => pair.name).ToArray();
        }

        void ISpriteEditorDataProvider.Apply()
        {
            if (!_rects.All(rect => _named.Contains(rect.name)))
            {
                Native.Editor.Say("VIOLATION the table of ids lacks a slice");
            }
            var before = _importer.Slices;
            _importer.Slices = _rects.Select(rect => new TextureImporter.Slice
            {
                Name = rect.name, Rect = rect.rect, Alignment = rect.alignment, Pivot = rect.pivot,
                Guid = rect.spriteID.ToString(), Id = IdOf(rect, before),
            }).ToList();
        }

        private static long IdOf(SpriteRect rect, List<TextureImporter.Slice> before)
        {
            var there = before.Find(slice => slice.Guid == rect.spriteID.ToString());
            return there != null ? there.Id : ++TextureImporter.LastId;
        }
    }
}
