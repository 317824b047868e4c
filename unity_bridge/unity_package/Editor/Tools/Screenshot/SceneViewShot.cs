using System;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;

namespace UnityBridge.Tools
{
    /// <summary>
    /// A picture of the Scene view: the view is drawn once, which moves its camera to where it looks from, and the camera renders for
    /// the call, without gizmos. Main thread.
    /// </summary>
    internal sealed class SceneViewShot : IDisposable
    {
        // How long the view must not draw before it will not: it is behind another tab.
        private const long NotDrawnMs = 500;

        private const int MostPixels = 4096;
        private const int DepthBits = 24;

        private readonly ToolCall _call;
        private readonly ShotRequest _asked;
        private readonly TickClock _ticks;
        private SceneView _view;
        private bool _isDrawn;
        private long _sinceMs;

        public SceneViewShot(ToolCall call, ShotRequest asked, TickClock ticks)
        {
            _call = call;
            _asked = asked;
            _ticks = ticks;
        }

        /// <summary>In every update. True once it is answered.</summary>
        public bool Advance()
        {
            if (_view == null)
            {
                return Begin();
            }
            if (!_isDrawn && _ticks.Ms - _sinceMs < NotDrawnMs)
            {
                Repaint();
                return false;
            }
            Answer();
            return true;
        }

        public void Dispose() => SceneView.duringSceneGui -= Note;

        private bool Begin()
        {
            _view = SceneView.lastActiveSceneView;
            if (_view == null || _view.camera == null)
            {
                ShotRequest.Refuse(_call, "No Scene view is open. Open one with Window > General > Scene, or ask for view game.");
                return true;
            }
            _sinceMs = _ticks.Ms;
            SceneView.duringSceneGui -= Note;
            DomainEnd.Subscribe(() => SceneView.duringSceneGui += Note, () => SceneView.duringSceneGui -= Note);
            Repaint();
            return false;
        }

        private void Repaint()
        {
            _view.Repaint();
            EditorApplication.QueuePlayerLoopUpdate();
        }

        private void Note(SceneView drawn) => _isDrawn |= drawn == _view;

        private void Answer()
        {
            var scale = EditorGUIUtility.pixelsPerPoint;
            var target = RenderTexture.GetTemporary(
                Pixels(_view.position.width * scale), Pixels(_view.position.height * scale), DepthBits,
                RenderTextureFormat.ARGB32, RenderTextureReadWrite.Default);
            try
            {
                Render(_view.camera, target);
                _asked.Answer(_call, ShotRequest.SceneView, target, flips: false, fresh: true, _isDrawn ? null
                    : "The Scene view is behind another tab, so this is seen from where it looked when it was shown last.");
            }
            finally
            {
                RenderTexture.ReleaseTemporary(target);
            }
        }

        private static void Render(Camera camera, RenderTexture target)
        {
            var texture = camera.targetTexture;
            var rect = camera.rect;
            try
            {
                camera.targetTexture = target;
                camera.rect = new Rect(0, 0, 1, 1);
                camera.Render();
            }
            finally
            {
                camera.targetTexture = texture;
                camera.rect = rect;
            }
        }

        private static int Pixels(float length) => Math.Max(1, Math.Min(MostPixels, (int)length));
    }
}
