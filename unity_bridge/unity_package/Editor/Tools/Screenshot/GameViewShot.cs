using System;
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
        private GameViewFrames _view;

        public string Name => ShotRequest.GameView;

        // How long no camera must render before none will: the view is hidden, or there is no camera.
        public long PatienceMs => 2000;

        public string NotDrawn =>
            "No camera rendered within 2 s: the Game view is hidden, or no camera is in the scene. This is the last "
            + "picture of it.";

        public string Begin()
        {
            _view = GameViewFrames.Find("or ask for view scene.", out var fault);
            _view?.Repaint();
            return PlayModeViews.AreKnown ? fault : fault + " Ask for view scene.";
        }

        public bool HasDrawn()
        {
            if (!_view.HasDrawn)
            {
                _view.Repaint();
            }
            return _view.HasDrawn;
        }

        public string Show(Action<RenderTexture, bool> use)
        {
            if (_view.IsClosed)
            {
                return "The Game view was closed. Open one with Window > General > Game, or ask for view scene.";
            }
            var texture = _view.Newest(out var flips);
            if (texture == null)
            {
                return "The Game view has not been drawn: it is hidden behind another tab. Bring its tab to the "
                    + "front, or ask for view scene.";
            }
            use(texture, flips);
            return null;
        }

        public int Frame => GameViewFrames.Frame;

        public bool IsFresh(bool hasDrawn) => hasDrawn;

        public void Dispose()
        {
        }
    }
}
