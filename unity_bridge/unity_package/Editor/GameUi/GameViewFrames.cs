using UnityEditor;
using UnityEngine;

namespace UnityBridge.GameUi
{
    /// <summary>The frames that the Game view shows, one after the other. Nothing renders for them. Main
    /// thread.</summary>
    internal sealed class GameViewFrames
    {
        // Its callbacks stay for as long as the domain lives.
        private static readonly RenderWatch Renders = new RenderWatch();

        private readonly EditorWindow _view;
        private long _seen;

        private GameViewFrames(EditorWindow view)
        {
            _view = view;
            _seen = Renders.Count();
        }

        public bool IsClosed => _view == null;

        /// <summary>Whether the game has drawn since the last frame.</summary>
        public bool HasDrawn => Renders.Count() > _seen;

        /// <summary>The frame of the game that was drawn last.</summary>
        public static int Frame => Renders.Frame ?? Time.frameCount;

        /// <param name="fault">Why there is none, and what to do.</param>
        public static GameViewFrames Find(string advice, out string fault)
        {
            var view = PlayModeViews.AreKnown ? PlayModeViews.Find() : null;
            fault = !PlayModeViews.AreKnown
                ? "This version of Unity keeps its Game view elsewhere, so no picture of it can be taken."
                : view == null ? "No Game view is open. Open one with Window > General > Game, " + advice : null;
            return fault == null ? new GameViewFrames(view) : null;
        }

        /// <summary>The next frame, and whether its first row is at the top; null while the game has not drawn since
        /// the last one.</summary>
        public RenderTexture Next(out bool flips)
        {
            flips = false;
            return HasDrawn ? Newest(out flips) : null;
        }

        /// <summary>The frame that the view has; null if it was never drawn, or is closed.</summary>
        public RenderTexture Newest(out bool flips)
        {
            // What cameras render for the screen lies upside down in it where textures begin at the top
            // (GameView.OnGUI, deviceFlippedTargetInView).
            flips = SystemInfo.graphicsUVStartsAtTop;
            var texture = IsClosed ? null : PlayModeViews.TextureOf(_view);
            if (texture != null)
            {
                _seen = Renders.Count();
                GameScreen.NoteShown(texture.width, texture.height);
            }
            return texture;
        }

        /// <summary>Asks for a frame of a view that Unity would not draw by itself now.</summary>
        public void Repaint()
        {
            if (!IsClosed)
            {
                _view.Repaint();
                EditorApplication.QueuePlayerLoopUpdate();
            }
        }
    }
}
