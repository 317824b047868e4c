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

        /// <param name="fault">Why there is none, and what to do.</param>
        public static GameViewFrames Find(out string fault)
        {
            fault = null;
            var view = PlayModeViews.AreKnown ? PlayModeViews.Find() : null;
            if (view == null)
            {
                fault = PlayModeViews.AreKnown
                    ? "No Game view is open. Open one with Window > General > Game, then record again."
                    : "This version of Unity keeps its Game view elsewhere, so no picture of it can be taken.";
                return null;
            }
            return new GameViewFrames(view);
        }

        /// <summary>The next frame, and whether its first row is at the top; null while the game has not drawn since
        /// the last one.</summary>
        public RenderTexture Next(out bool flips)
        {
            flips = SystemInfo.graphicsUVStartsAtTop;
            var count = Renders.Count();
            var texture = _view == null || count == _seen ? null : PlayModeViews.TextureOf(_view);
            if (texture != null)
            {
                _seen = count;
                GameScreen.NoteShown(texture.width, texture.height);
            }
            return texture;
        }

        /// <summary>Asks for a frame of a view that Unity would not draw by itself now.</summary>
        public void Repaint()
        {
            if (_view != null)
            {
                _view.Repaint();
                EditorApplication.QueuePlayerLoopUpdate();
            }
        }
    }
}
