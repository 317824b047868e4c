using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;

namespace UnityBridge.GameUi
{
    /// <summary>Several frames in one picture, from left to right and from top to bottom, in cells that are as large as
    /// they can be. Main thread.</summary>
    internal sealed class PictureGrid
    {
        private readonly int _columns;
        private readonly int _rows;
        private readonly int _cellWidth;
        private readonly int _cellHeight;
        private readonly int _maxSize;
        private readonly List<(int Width, int Height, Color32[] Pixels)> _frames = new List<(int, int, Color32[])>();

        /// <param name="frames">How many will come.</param>
        /// <param name="width">Of the first frame's texture.</param>
        /// <param name="height">Of the first frame's texture.</param>
        /// <param name="maxSize">Of the longer side of the whole grid.</param>
        public PictureGrid(int frames, int width, int height, int maxSize)
        {
            var best = 0.0;
            for (var columns = 1; columns <= frames; columns++)
            {
                var rows = (frames + columns - 1) / columns;
                var scale = Math.Min(1.0,
                    Math.Min((double)maxSize / (columns * width), (double)maxSize / (rows * height)));
                if (scale > best)
                {
                    best = scale;
                    _columns = columns;
                    _rows = rows;
                }
            }
            // Not rounded up: the cells together are no larger than was asked for.
            _cellWidth = Math.Max(1, (int)(width * best));
            _cellHeight = Math.Max(1, (int)(height * best));
            _maxSize = maxSize;
        }

        /// <summary>Whether the frame is one colour all over. Another shape than the first's, as after a person resized
        /// the view, leaves a part of its cell black.</summary>
        /// <param name="draw">Draws on the pixels of the cell, whose first row is the lowest; null for nothing.</param>
        public bool Add(Texture texture, bool flips, Action<Color32[], int> draw = null)
        {
            var scale = Math.Min(1.0,
                Math.Min((double)_cellWidth / texture.width, (double)_cellHeight / texture.height));
            var width = Math.Min(_cellWidth, Picture.Side(texture.width, scale));
            var height = Math.Min(_cellHeight, Picture.Side(texture.height, scale));
            var pixels = Picture.Pixels(texture, width, height, flips);
            var isUniform = Picture.IsOneColour(pixels);
            draw?.Invoke(pixels, width);
            _frames.Add((width, height, pixels));
            return isUniform;
        }

        public Picture ToPicture(string format)
        {
            var width = _columns * _cellWidth;
            var height = _rows * _cellHeight;
            // The pixels are encoded as they are shown, so nothing may convert them: the texture counts as one of
            // linear values.
            var whole = new Texture2D(width, height, TextureFormat.RGB24, false, true);
            try
            {
                whole.SetPixels32(new Color32[width * height]);
                for (var i = 0; i < _frames.Count; i++)
                {
                    // Textures begin at the bottom.
                    var top = height - i / _columns * _cellHeight;
                    whole.SetPixels32(i % _columns * _cellWidth, top - _frames[i].Height, _frames[i].Width,
                        _frames[i].Height, _frames[i].Pixels);
                }
                whole.Apply(false);
                return Picture.FromTexture(whole, _maxSize, format, flips: false);
            }
            finally
            {
                UnityEngine.Object.DestroyImmediate(whole);
            }
        }
    }

    /// <summary>A frame at so few pixels that two can be compared: noise of a renderer is no change, and something that
    /// moves is one.</summary>
    internal sealed class PictureSample
    {
        private const int Width = 160;
        private const int MostDifference = 8;
        private const int MostOfBlack = 16;
        private const int Digits = 5;

        private readonly int _width;
        private readonly Color32[] _pixels;

        public PictureSample(Texture texture, bool flips)
        {
            _width = Math.Min(Width, texture.width);
            _pixels = Picture.Pixels(
                texture, _width, Picture.Side(texture.height, (double)_width / texture.width), flips);
        }

        public bool IsBlack => Array.TrueForAll(
            _pixels, pixel => Math.Max(pixel.r, Math.Max(pixel.g, pixel.b)) <= MostOfBlack);

        /// <summary>The share of pixels that differ visibly, from 0 to 1. Pictures of different shapes differ in all of
        /// them.</summary>
        public double ChangedFrom(PictureSample other)
        {
            if (_width != other._width || _pixels.Length != other._pixels.Length)
            {
                return 1;
            }
            var changed = _pixels.Where((pixel, place) => Differ(pixel, other._pixels[place])).Count();
            return Math.Round((double)changed / _pixels.Length, Digits);
        }

        private static bool Differ(Color32 one, Color32 other) => Math.Abs(one.r - other.r) > MostDifference
            || Math.Abs(one.g - other.g) > MostDifference || Math.Abs(one.b - other.b) > MostDifference;
    }
}
