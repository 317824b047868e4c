using System;

namespace UnityEngine
{
    public enum FullScreenMode { ExclusiveFullScreen = 0, FullScreenWindow = 1, MaximizedWindow = 2, Windowed = 3 }

    public enum TransparencySortMode { Default = 0, Perspective = 1, Orthographic = 2, CustomAxis = 3 }

    /// <summary>Runtime/Export/RenderSettings: one object of each scene. It is changed by its serialized names, which
    /// are the same in all versions (Editor/Mono/SettingsWindow/LightingEditor.cs and FogEditor.cs, 2021.3 to
    /// 6000.7).</summary>
    public sealed class RenderSettings : Object
    {
        internal string Scene;
    }

    public sealed class LightingSettings : Object { }

    public static class DynamicGI
    {
        /// <summary>Ambient light and reflections show a new sky only after it (manual).</summary>
        public static void UpdateEnvironment()
        {
            Native.RequireMainThread("DynamicGI.UpdateEnvironment");
            Native.Editor.Say("environment-updated");
        }
    }

    /// <summary>Runtime/Export/2D/SortingLayer.bindings.cs: 2021.3.58f1 has onLayerChanged alone, 2022.3.76f1 and
    /// 6000.7.0a1:35-41 all three, of which the page Tags and Layers calls each (TagManagerInspector.cs).</summary>
    public struct SortingLayer
    {
        /// <summary>As the running editor has them: the numbers of their ids.</summary>
        internal static string[] Order = { "Default" };

        internal static long[] Ids = { 0 };

        public int id { get; private set; }
        public string name { get; private set; }

        public static SortingLayer[] layers
        {
            get
            {
                Native.RequireMainThread("SortingLayer.layers");
                var all = new SortingLayer[Order.Length];
                for (var i = 0; i < all.Length; i++)
                {
                    all[i].id = unchecked((int)Ids[i]);
                    all[i].name = Order[i];
                }
                return all;
            }
        }

#if !UNITY_2021_3
        public delegate void LayerCallback(SortingLayer layer);

        public static LayerCallback onLayerAdded = layer =>
            Native.Editor.Say("sorting-layer-added " + layer.name + " " + layer.id);
        public static LayerCallback onLayerRemoved = layer =>
            Native.Editor.Say("sorting-layer-removed " + layer.name + " " + Array.IndexOf(Order, layer.name));
#endif
        internal static Action onLayerChanged = () => Native.Editor.Say("sorting-layers-changed");
    }

    /// <summary>Modules/Physics/ScriptBindings/Physics.bindings.cs: a matrix of 32 by 32, which is symmetric. Setting
    /// it marks the settings as changed.</summary>
    [Module("physics")]
    public static class Physics
    {
        internal static readonly bool[,] Ignored = new bool[32, 32];
        internal static Action Changed = () => { };

        public static void IgnoreLayerCollision(int layer1, int layer2, bool ignore)
        {
            Native.RequireMainThread("Physics.IgnoreLayerCollision");
            Ignored[layer1, layer2] = Ignored[layer2, layer1] = ignore;
            Changed();
        }

        public static bool GetIgnoreLayerCollision(int layer1, int layer2) { return Ignored[layer1, layer2]; }
    }
}

namespace UnityEngine.Rendering
{
    public enum AmbientMode { Skybox = 0, Trilight = 1, Flat = 3, Custom = 4 }
}
