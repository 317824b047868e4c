using System;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Platform;

namespace UnityBridge.GameUi
{
    /// <summary>
    /// The Game view, or the Device Simulator in its place, and the texture that it renders to. Main thread.
    /// </summary>
    /// <remarks>Internal in Unity, and the same from 2021.3 to 6000.7: PlayModeView.GetMainPlayModeView() is the view
    /// that last had the focus, m_TargetTexture what its cameras and its overlays are rendered to
    /// (Editor/Mono/PlayModeView/PlayModeView.cs).</remarks>
    internal static class PlayModeViews
    {
        private static readonly Type View = typeof(EditorWindow).Assembly.GetType("UnityEditor.PlayModeView");
        private static readonly MethodInfo Main = Members.Method(View, "GetMainPlayModeView");
        private static readonly FieldInfo Target = View?.GetField("m_TargetTexture", Members.Any);

        /// <summary>Whether this Unity has what is known of it.</summary>
        public static bool AreKnown => Main != null && Target != null;

        /// <summary>Null where none is open.</summary>
        public static EditorWindow Find() => Main.Invoke(null, null) as EditorWindow;

        /// <summary>Null where it never rendered.</summary>
        public static RenderTexture TextureOf(EditorWindow view)
        {
            var texture = Target.GetValue(view) as RenderTexture;
            return texture != null && texture.IsCreated() ? texture : null;
        }

        /// <summary>The display whose cameras and canvases it shows, from 0.</summary>
        public static int DisplayOf(EditorWindow view) => Members.Get(view, "targetDisplay") as int? ?? 0;
    }
}
