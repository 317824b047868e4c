using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Wire;

namespace UnityBridge.GameUi
{
    /// <summary>
    /// What a player sees: the pixels of the Game view, and those of a picture of it with the default size. A screen
    /// position counts from the bottom left, as in uGUI; a position in a picture from the top left. Main thread.
    /// </summary>
    internal sealed class GameScreen
    {
        /// <summary>The longer side of a picture of it, in pixels, where a caller names none.</summary>
        public const int DefaultSize = 1024;

        // Survives a domain reload: a picture that was taken before it is still the one that the caller has.
        private const string ShownKey = "UnityBridge.ShownGameView";

        private readonly double _scale;
        private List<ToolkitDocument> _documents;

        private GameScreen(int width, int height, int display)
        {
            Width = width;
            Height = height;
            Display = display;
            // As Picture.Of scales.
            _scale = Math.Min(1.0, (double)DefaultSize / Math.Max(width, height));
        }

        public int Width { get; }

        public int Height { get; }

        /// <summary>The display that the view shows, from 0.</summary>
        public int Display { get; }

        /// <summary>The documents of UI Toolkit in all scenes, of the first look: Unity searches all loaded objects for
        /// them, which is too slow for each position. Those that were destroyed since then are left out.</summary>
        public IEnumerable<ToolkitDocument> Documents =>
            (_documents ??= ToolkitDocument.All()).Where(document => document.IsAlive);

        public Rect All => new Rect(0, 0, Width, Height);

        public int PictureWidth => Picture.Side(Width, _scale);

        public int PictureHeight => Picture.Side(Height, _scale);

        /// <summary>Whether <c>Screen</c> has the view's size now; Unity rounds the sides on its own.</summary>
        public bool IsSteady => Math.Abs(Screen.width - Width) <= 1 && Math.Abs(Screen.height - Height) <= 1;

        /// <summary>Whether the raycasters of uGUI see all of the view now: they find nothing outside of
        /// <c>Screen</c>.</summary>
        public bool IsWhole => Screen.width >= Width - 1 && Screen.height >= Height - 1;

        /// <summary>The main Game view; null, and why, if it has never been drawn.</summary>
        public static GameScreen Find(out Refusal refusal)
        {
            var view = PlayModeViews.Find();
            var texture = view == null ? null : PlayModeViews.TextureOf(view);
            refusal = texture != null
                ? null
                : NoView(
                    "The Game view has not been drawn: it is hidden behind another tab. Bring its tab to the front.");
            return texture == null
                ? null
                : new GameScreen(texture.width, texture.height, PlayModeViews.DisplayOf(view));
        }

        public static Refusal NoView(string message) => Refusal.NotExecuted("no_view", message);

        /// <summary>Remembers the shape of the view whose picture or elements the caller gets.</summary>
        public static void NoteShown(int width, int height) => SessionState.SetString(ShownKey, ShapeOf(width, height));

        public void NoteShown() => NoteShown(Width, Height);

        /// <summary>Whether the view has another shape than when a picture or its elements were last shown.</summary>
        public bool HasChanged =>
            SessionState.GetString(ShownKey, "") is { Length: > 0 } shown && shown != ShapeOf(Width, Height);

        /// <summary>Whether a picture of that size shows the whole of this view.</summary>
        public bool IsShapeOf(int pictureWidth, int pictureHeight)
        {
            var scale = (double)pictureWidth / Width;
            return Math.Abs(Height * scale - pictureHeight) <= 1 + scale
                || Math.Abs((double)pictureHeight / Height * Width - pictureWidth) <= 1;
        }

        public Vector2 FromPicture(double x, double y, int pictureWidth, int pictureHeight) =>
            new Vector2((float)(x * Width / pictureWidth), (float)(Height - y * Height / pictureHeight));

        /// <summary>Left, top, width and height in whole pixels of the picture.</summary>
        public int[] ToPicture(Rect area)
        {
            var left = (int)Math.Round(area.xMin * _scale);
            var top = (int)Math.Round((Height - area.yMax) * _scale);
            return new[] { left, top, (int)Math.Round(area.xMax * _scale) - left,
                (int)Math.Round((Height - area.yMin) * _scale) - top };
        }

        /// <summary>The pixel that the position is in.</summary>
        public int[] ToPicture(Vector2 position) => new[] { PixelAt(position.x), PixelAt(Height - position.y) };

        // A position is a float: a hair below the edge of a pixel is that pixel.
        private int PixelAt(float side) => (int)Math.Floor(side * _scale + 0.001);

        private static string ShapeOf(int width, int height) => width + "x" + height;
    }
}
