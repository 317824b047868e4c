using System;
using UnityEditor;
using UnityEngine;

namespace UnityBridge.Tools
{
    /// <summary>A picture of the Scene view, which its camera renders for the call, without gizmos. Main thread.</summary>
    internal static class SceneViewShot
    {
        private const int MostPixels = 4096;
        private const int DepthBits = 24;

        /// <summary>True: it is answered.</summary>
        public static bool Take(ToolCall call, ShotRequest asked)
        {
            var view = SceneView.lastActiveSceneView;
            if (view == null || view.camera == null)
            {
                ShotRequest.Refuse(call, "No Scene view is open. Open one with Window > General > Scene, or ask for view game.");
                return true;
            }
            var scale = EditorGUIUtility.pixelsPerPoint;
            var target = RenderTexture.GetTemporary(
                Pixels(view.position.width * scale), Pixels(view.position.height * scale), DepthBits,
                RenderTextureFormat.ARGB32, RenderTextureReadWrite.Default);
            try
            {
                Render(view.camera, target);
                asked.Answer(call, ShotRequest.SceneView, target, flips: false, fresh: true);
            }
            finally
            {
                RenderTexture.ReleaseTemporary(target);
            }
            return true;
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
