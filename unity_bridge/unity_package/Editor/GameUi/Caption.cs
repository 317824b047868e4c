using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityBridge.GameUi
{
    /// <summary>A time, and marks of what happened, drawn at the bottom of a picture's pixels. No font is
    /// needed.</summary>
    internal static class Caption
    {
        private const int GlyphWidth = 3;
        private const int GlyphHeight = 5;

        // A cell of this width has glyphs of single pixels; 522, a third of the usual sheet, has glyphs of 12 by 20.
        private const int PixelWidth = 130;

        private static readonly Color32 Band = new Color32 { a = 255 };
        private static readonly Color32 Text = new Color32 { r = 255, g = 255, b = 255, a = 255 };
        private static readonly Color32 Input = new Color32 { r = 255, g = 210, b = 0, a = 255 };
        private static readonly Color32 Error = new Color32 { r = 255, g = 60, b = 40, a = 255 };

        // Rows from the top, three bits each.
        private static readonly Dictionary<char, int[]> Glyphs = new Dictionary<char, int[]>
        {
            { '0', new[] { 7, 5, 5, 5, 7 } }, { '1', new[] { 2, 6, 2, 2, 7 } }, { '2', new[] { 7, 1, 7, 4, 7 } },
            { '3', new[] { 7, 1, 7, 1, 7 } }, { '4', new[] { 5, 5, 7, 1, 1 } }, { '5', new[] { 7, 4, 7, 1, 7 } },
            { '6', new[] { 7, 4, 7, 5, 7 } }, { '7', new[] { 7, 1, 1, 2, 2 } }, { '8', new[] { 7, 5, 7, 5, 7 } },
            { '9', new[] { 7, 5, 7, 1, 7 } }, { '.', new[] { 0, 0, 0, 0, 2 } }, { 's', new[] { 0, 7, 6, 3, 7 } },
            { '>', new[] { 4, 6, 7, 6, 4 } }, { '!', new[] { 2, 2, 2, 0, 2 } },
        };

        /// <param name="pixels">Rows from the bottom to the top.</param>
        /// <param name="text">Digits, points and s.</param>
        public static void Draw(Color32[] pixels, int width, string text, bool hasInput, bool hasError)
        {
            var canvas = new Canvas(pixels, width, Math.Max(1, width / PixelWidth));
            var shown = new List<(char, Color32)>();
            foreach (var character in text)
            {
                shown.Add((character, Text));
            }
            if (hasInput)
            {
                shown.Add(('>', Input));
            }
            if (hasError)
            {
                shown.Add(('!', Error));
            }
            canvas.Fill(0, 0, shown.Count * (GlyphWidth + 1) + 1, GlyphHeight + 2, Band);
            for (var i = 0; i < shown.Count; i++)
            {
                DrawGlyph(canvas, 1 + i * (GlyphWidth + 1), shown[i].Item1, shown[i].Item2);
            }
        }

        private static void DrawGlyph(Canvas canvas, int left, char character, Color32 color)
        {
            var rows = Glyphs[character];
            for (var row = 0; row < GlyphHeight; row++)
            {
                for (var column = 0; column < GlyphWidth; column++)
                {
                    if ((rows[row] & (1 << (GlyphWidth - 1 - column))) != 0)
                    {
                        canvas.Fill(left + column, GlyphHeight - row, 1, 1, color);
                    }
                }
            }
        }

        /// <summary>Pixels in squares of one size, from the lower left corner. What lies outside is left out.</summary>
        private sealed class Canvas
        {
            private readonly Color32[] _pixels;
            private readonly int _width;
            private readonly int _size;

            public Canvas(Color32[] pixels, int width, int size)
            {
                _pixels = pixels;
                _width = width;
                _size = size;
            }

            public void Fill(int left, int bottom, int columns, int rows, Color32 color)
            {
                var right = Math.Min((left + columns) * _size, _width);
                var top = Math.Min((bottom + rows) * _size, _pixels.Length / _width);
                for (var y = bottom * _size; y < top; y++)
                {
                    for (var x = left * _size; x < right; x++)
                    {
                        _pixels[y * _width + x] = color;
                    }
                }
            }
        }
    }
}
