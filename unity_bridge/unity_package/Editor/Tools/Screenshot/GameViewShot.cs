using System;
using UnityEditor;
using UnityEngine;
using UnityBridge.GameUi;

namespace UnityBridge.Tools
{
    /// <summary>
    /// The Game view: it is repainted, a camera is seen to render to it, and in the next update its texture is read.
    /// Main thread.
    /// </summary>
    internal sealed class GameViewShot : IPicturedView
    {
        private readonly RenderWatch _watch;
        private EditorWindow _view;
        private long _rendersBefore;

        public GameViewShot(RenderWatch watch)
        {
            _watch = watch;
        }

        public string Name => ShotRequest.GameView;

        // How long no camera must render before none will: the view is hidden, or there is no camera.
        public long PatienceMs => 2000;

        public string NotDrawn =>
            "No camera rendered within 2 s: the Game view is hidden, or no camera is in the scene. This is the last "
            + "picture of it.";

        public string Begin()
        {
            if (!PlayModeViews.AreKnown)
            {
                return "This version of Unity keeps its Game view elsewhere, so no picture of it can be taken. Ask "
                    + "for view scene.";
            }
            _view = PlayModeViews.Find();
            if (_view == null)
            {
                return "No Game view is open. Open one with Window > General > Game, or ask for view scene.";
            }
            _rendersBefore = _watch.Count();
            Repaint();
            return null;
        }

        public bool HasDrawn()
        {
            var hasDrawn = _watch.Count() > _rendersBefore;
            if (!hasDrawn && _view != null)
            {
                Repaint();
            }
            return hasDrawn;
        }

        public string Show(Action<RenderTexture, bool> use)
        {
            if (_view == null)
            {
                return "The Game view was closed. Open one with Window > General > Game, or ask for view scene.";
            }
            var texture = PlayModeViews.TextureOf(_view);
            if (texture == null)
            {
                return "The Game view has not been drawn: it is hidden behind another tab. Bring its tab to the "
                    + "front, or ask for view scene.";
            }
            // What cameras render for the screen lies upside down in it where textures begin at the top
            // (GameView.OnGUI, deviceFlippedTargetInView).
            GameScreen.NoteShown(texture.width, texture.height);
            use(texture, SystemInfo.graphicsUVStartsAtTop);
            return null;
        }

        public int Frame => _watch.Frame ?? Time.frameCount;

        public bool IsFresh(bool hasDrawn) => hasDrawn;

        public void Dispose()
        {
        }

        private void Repaint()
        {
            _view.Repaint();
            EditorApplication.QueuePlayerLoopUpdate();
        }
    }
}
