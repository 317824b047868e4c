using System;
using UnityEditor;
using UnityEngine;
using UnityBridge.EditorLife;

namespace UnityBridge.Tools
{
    /// <summary>
    /// The Scene view: it is drawn once, which moves its camera to where it looks from, and the camera renders for the
    /// call, without gizmos. Main thread.
    /// </summary>
    internal sealed class SceneViewShot : IPicturedView
    {
        private const int MostPixels = 4096;
        private const int DepthBits = 24;

        private SceneView _view;
        private bool _watches;
        private bool _isDrawn;

        public string Name => ShotRequest.SceneView;

        // How long the view must not draw before it will not: it is behind another tab.
        public long PatienceMs => 500;

        public string NotDrawn => "The Scene view is behind another tab, so the picture has its last camera position.";

        public string Begin()
        {
            _view = SceneView.lastActiveSceneView;
            if (_view == null || _view.camera == null)
            {
                return "No Scene view is open. Open one with Window > General > Scene, or ask for view game.";
            }
            if (!_watches)
            {
                _watches = true;
                DomainEnd.Subscribe(() => SceneView.duringSceneGui += Note, () => SceneView.duringSceneGui -= Note);
            }
            _isDrawn = false;
            Repaint();
            return null;
        }

        public bool HasDrawn()
        {
            if (!_isDrawn && _view != null)
            {
                Repaint();
            }
            return _isDrawn;
        }

        public string Show(Action<RenderTexture, bool> use)
        {
            if (_view == null || _view.camera == null)
            {
                return "The Scene view was closed. Open one with Window > General > Scene, or ask for view game.";
            }
            var scale = EditorGUIUtility.pixelsPerPoint;
            var target = RenderTexture.GetTemporary(
                Pixels(_view.position.width * scale), Pixels(_view.position.height * scale), DepthBits,
                RenderTextureFormat.ARGB32, RenderTextureReadWrite.Default);
            try
            {
                Render(_view.camera, target);
                use(target, false);
            }
            finally
            {
                RenderTexture.ReleaseTemporary(target);
            }
            return null;
        }

        public int Frame => Time.frameCount;

        public bool IsFresh(bool hasDrawn) => true;

        public void Dispose() => SceneView.duringSceneGui -= Note;

        private void Repaint()
        {
            _view.Repaint();
            EditorApplication.QueuePlayerLoopUpdate();
        }

        private void Note(SceneView drawn) => _isDrawn |= drawn == _view;

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
