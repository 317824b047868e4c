using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;

namespace UnityBridge.Tools
{
    /// <summary>
    /// A picture of the Game view: it is repainted, a camera is seen to render to it, and in the next update its texture is read.
    /// Main thread.
    /// </summary>
    internal sealed class GameViewShot
    {
        // How long no camera must render before none will: the view is hidden, or there is no camera.
        private const long NoRenderMs = 2000;

        private readonly ToolCall _call;
        private readonly ShotRequest _asked;
        private readonly RenderWatch _watch;
        private readonly TickClock _ticks;
        private EditorWindow _view;
        private long _rendersBefore;
        private long _sinceMs;

        public GameViewShot(ToolCall call, ShotRequest asked, RenderWatch watch, TickClock ticks)
        {
            _call = call;
            _asked = asked;
            _watch = watch;
            _ticks = ticks;
        }

        /// <summary>In every update. True once it is answered.</summary>
        public bool Advance()
        {
            if (_view == null)
            {
                return Begin();
            }
            var fresh = _watch.Count() > _rendersBefore;
            if (!fresh && _ticks.Ms - _sinceMs < NoRenderMs)
            {
                Repaint();
                return false;
            }
            Answer(fresh);
            return true;
        }

        private bool Begin()
        {
            if (!PlayModeViews.AreKnown)
            {
                ShotRequest.Refuse(_call, "This version of Unity keeps its Game view elsewhere, so no picture of it can be taken. Ask for view scene.");
                return true;
            }
            _view = PlayModeViews.Find();
            if (_view == null)
            {
                ShotRequest.Refuse(_call, "No Game view is open. Open one with Window > General > Game, or ask for view scene.");
                return true;
            }
            _rendersBefore = _watch.Count();
            _sinceMs = _ticks.Ms;
            Repaint();
            return false;
        }

        private void Repaint()
        {
            _view.Repaint();
            EditorApplication.QueuePlayerLoopUpdate();
        }

        private void Answer(bool fresh)
        {
            var texture = PlayModeViews.TextureOf(_view);
            if (texture == null)
            {
                ShotRequest.Refuse(_call, "The Game view has not been drawn: it is hidden behind another tab. Bring its tab to the front, or ask for view scene.");
                return;
            }
            // What cameras render for the screen lies upside down in it where textures begin at the top (GameView.OnGUI,
            // deviceFlippedTargetInView).
            _asked.Answer(_call, ShotRequest.GameView, texture, SystemInfo.graphicsUVStartsAtTop, fresh, fresh ? null
                : "No camera rendered within 2 s: the Game view is hidden, or no camera is in the scene. This is the last picture of it.");
        }
    }
}
