using System;
using System.Collections.Generic;
using UnityEngine;

namespace UnityEditor
{
    /// <summary>A window draws when it was asked to repaint and its tab is the one in front; no callback reports when
    /// it is not (Editor/Mono/HostView.cs).</summary>
    public partial class EditorWindow : ScriptableObject
    {
        private static readonly List<EditorWindow> Open = new List<EditorWindow>();

        private bool _wantsRepaint;

        public Rect position { get; internal set; }

        public void Repaint()
        {
            Native.RequireMainThread("EditorWindow.Repaint");
            _wantsRepaint = true;
        }

        internal static void DrawAll()
        {
            if (RenderTexture.Temporary != 0) Native.Editor.Say("VIOLATION a temporary texture was not released");
            if (Texture2D.Alive != 0) Native.Editor.Say("VIOLATION a texture was not destroyed");
            foreach (var window in Open)
            {
                if (window._wantsRepaint && !Native.Editor.Quirk("hidden-tab")) window.OnGUI();
                window._wantsRepaint = false;
            }
        }

        internal void Show()
        {
            Open.Add(this);
        }

        internal virtual void OnGUI()
        {
        }
    }

    public sealed partial class EditorGUIUtility
    {
        public static float pixelsPerPoint
        {
            get { Native.RequireMainThread("EditorGUIUtility.pixelsPerPoint"); return 2; }
        }

        /// <summary>A static of its own: EditorGUIUtility.bindings.cs, 2021.3.</summary>
        public static string systemCopyBuffer
        {
            set
            {
                Native.RequireMainThread("EditorGUIUtility.systemCopyBuffer");
                Native.Editor.Say("copies " + value.Replace("\n", "\\n"));
            }
        }
    }

    /// <summary>Editor/Mono/PlayModeView/PlayModeView.cs, 2021.3 to 6000.7: internal, with these two members.</summary>
    internal abstract class PlayModeView : EditorWindow
    {
        private static PlayModeView _open;

        private RenderTexture m_TargetTexture;

        // protected up to 2021.3, public in 6000.7.
        protected int targetDisplay { get { return Native.Editor.QuirkValue("view-display"); } }

        internal static PlayModeView GetMainPlayModeView()
        {
            Native.RequireMainThread("PlayModeView.GetMainPlayModeView");
            if (Native.Editor.Quirk("no-views")) return null;
            if (_open == null)
            {
                _open = new GameView();
                _open.Show();
            }
            return _open;
        }

        // ConfigureTargetTexture and RenderPlayModeViewCamerasInternal. A view without a camera is cleared and shows a
        // word.
        internal override void OnGUI()
        {
            var hdr = Native.Editor.Quirk("hdr");
            var sRGB = !hdr && QualitySettings.activeColorSpace == ColorSpace.Linear;
            if (m_TargetTexture == null || m_TargetTexture.sRGB != sRGB
                || m_TargetTexture.format == RenderTextureFormat.ARGBHalf != hdr
                || m_TargetTexture.width != Screen.ViewWidth)
            {
                m_TargetTexture = new RenderTexture(Screen.ViewWidth, Screen.ViewHeight,
                    hdr ? RenderTextureFormat.ARGBHalf : RenderTextureFormat.ARGB32, sRGB);
            }
            if (Native.Paused && !Native.Editor.Quirk("still-canvases")) Canvas.SendWillRenderCanvases();
            if (Native.Editor.Quirk("no-camera")) m_TargetTexture.Shows = "cleared";
            else new Camera { cameraType = CameraType.Game }.Draw(m_TargetTexture);
        }
    }

    internal sealed class GameView : PlayModeView
    {
    }

    /// <summary>Its camera is moved to where the view looks from only while the view is drawn
    /// (Editor/Mono/SceneView/SceneView.cs, SetupCamera and CallOnSceneGUI, 2021.3 to 6000.7).</summary>
    public class SceneView : EditorWindow
    {
        private static SceneView _only;

        private readonly Camera _camera =
            new Camera { cameraType = CameraType.SceneView, rect = new Rect(0, 0, 1, 0.9f) };

        public static event Action<SceneView> duringSceneGui;

        public static SceneView lastActiveSceneView
        {
            get
            {
                if (Native.Editor.Quirk("no-views")) return null;
                if (_only == null)
                {
                    _only = new SceneView { position = new Rect(0, 0, 700, 400) };
                    _only.Show();
                }
                return _only;
            }
        }

        public Camera camera { get { return _camera; } }

        internal override void OnGUI()
        {
            _camera.Place = Native.Editor.LookFrom;
            if (duringSceneGui != null) duringSceneGui(this);
        }
    }
}
