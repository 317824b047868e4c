using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityEngine.UIElements;
using UnityBridge.Tools;
using UnityBridge.Wire;

namespace UnityBridge.GameUi
{
    /// <summary>
    /// What a player sees: the pixels of the Game view, and those of a picture of it with the default size. A screen position counts from
    /// the bottom left, as in uGUI; a position in a picture from the top left. Main thread.
    /// </summary>
    internal sealed class GameScreen
    {
        // Survives a domain reload: a picture that was taken before it is still the one that the caller has.
        private const string ShownKey = "UnityBridge.ShownGameView";

        private const long SteadyWithinMs = 1000;

        private readonly double _scale;
        private List<UIDocument> _documents;

        private GameScreen(int width, int height, int display)
        {
            Width = width;
            Height = height;
            Display = display;
            // As Picture.Of scales.
            _scale = Math.Min(1.0, (double)Screenshot.DefaultSize / Math.Max(width, height));
        }

        public int Width { get; }

        public int Height { get; }

        /// <summary>The display that the view shows, from 0.</summary>
        public int Display { get; }

        /// <summary>The documents of UI Toolkit in all scenes, of the first look: Unity searches all loaded objects for them, which is too slow for each
        /// position. Those that were destroyed since then are left out.</summary>
        public IEnumerable<UIDocument> Documents => (_documents ??= Resources.FindObjectsOfTypeAll<UIDocument>()
            .Where(document => document != null && document.gameObject.scene.IsValid()).ToList()).Where(document => document != null);

        public Rect All => new Rect(0, 0, Width, Height);

        public int PictureWidth => Math.Max(1, (int)Math.Round(Width * _scale));

        public int PictureHeight => Math.Max(1, (int)Math.Round(Height * _scale));

        /// <summary>Whether scripts see the view's size in <c>Screen</c>, which the raycasters of uGUI use (GraphicRaycaster.Raycast).</summary>
        public bool IsSteady => Screen.width == Width && Screen.height == Height;

        /// <summary>The main Game view; null, and why, if there is none to look at.</summary>
        public static GameScreen Find(out Refusal refusal)
        {
            var view = PlayModeViews.AreKnown ? PlayModeViews.Find() : null;
            var texture = view == null ? null : PlayModeViews.TextureOf(view);
            refusal = texture != null ? null : Refusal.NotExecuted("no_view", view == null
                ? "No Game view is open. Open one with Window > General > Game."
                : "The Game view has not been drawn: it is hidden behind another tab. Bring its tab to the front.");
            return texture == null ? null : new GameScreen(texture.width, texture.height, PlayModeViews.DisplayOf(view));
        }

        /// <summary>Remembers the shape of the view whose picture or elements the caller gets.</summary>
        public static void NoteShown(int width, int height) => SessionState.SetString(ShownKey, ShapeOf(width, height));

        public void NoteShown() => NoteShown(Width, Height);

        /// <summary>Whether the view has another shape than when a picture or its elements were last shown.</summary>
        public bool HasChanged => SessionState.GetString(ShownKey, "") is { Length: > 0 } shown && shown != ShapeOf(Width, Height);

        /// <summary>Whether a picture of that size shows the whole of this view.</summary>
        public bool IsShapeOf(int pictureWidth, int pictureHeight)
        {
            var scale = (double)pictureWidth / Width;
            return Math.Abs(Height * scale - pictureHeight) <= 1 + scale || Math.Abs((double)pictureHeight / Height * Width - pictureWidth) <= 1;
        }

        public Vector2 FromPicture(double x, double y, int pictureWidth, int pictureHeight) =>
            new Vector2((float)(x * Width / pictureWidth), (float)(Height - y * Height / pictureHeight));

        /// <summary>Left, top, width and height in whole pixels of the picture.</summary>
        public int[] ToPicture(Rect area)
        {
            var left = (int)Math.Round(area.xMin * _scale);
            var top = (int)Math.Round((Height - area.yMax) * _scale);
            return new[] { left, top, (int)Math.Round(area.xMax * _scale) - left, (int)Math.Round((Height - area.yMin) * _scale) - top };
        }

        /// <summary>The pixel that the position is in.</summary>
        public int[] ToPicture(Vector2 position) => new[] { PixelAt(position.x), PixelAt(Height - position.y) };

        // A position is a float: a hair below the edge of a pixel is that pixel.
        private int PixelAt(float side) => (int)Math.Floor(side * _scale + 0.001);

        private static string ShapeOf(int width, int height) =>
            width.ToString(CultureInfo.InvariantCulture) + "x" + height.ToString(CultureInfo.InvariantCulture);

        /// <summary>Looks for the screen over some updates: the view is drawn first, so that its size is that of now, and between the drawing of two
        /// windows Unity may report the size of another one.</summary>
        internal sealed class Wait
        {
            /// <summary>Once the steps are over and there is no refusal.</summary>
            public GameScreen Found { get; private set; }

            public Refusal Refusal { get; private set; }

            /// <summary>One for each update.</summary>
            public IEnumerator Steps()
            {
                var since = Stopwatch.StartNew();
                Refusal refusal;
                bool isWaiting;
                do
                {
                    isWaiting = Repaint();
                    if (isWaiting)
                    {
                        yield return null;
                    }
                    Found = Find(out refusal);
                }
                while (isWaiting && !(Found is { IsSteady: true }) && since.ElapsedMilliseconds < SteadyWithinMs);
                Refusal = Found is { IsSteady: false } ? Refusal.NotExecuted("no_view", "The Game view has " + ShapeOf(Found.Width, Found.Height)
                    + " pixels, and Unity reports a screen of " + ShapeOf(Screen.width, Screen.height)
                    + " to the game, so positions in it are not known. Click into the Game view once, and call again.") : refusal;
            }

            // False if there is no view to wait for.
            private static bool Repaint()
            {
                var view = PlayModeViews.AreKnown ? PlayModeViews.Find() : null;
                if (view == null)
                {
                    return false;
                }
                view.Repaint();
                EditorApplication.QueuePlayerLoopUpdate();
                return true;
            }
        }
    }
}
