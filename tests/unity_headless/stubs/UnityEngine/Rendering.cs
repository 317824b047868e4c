using System;
using System.Runtime.CompilerServices;
using System.Text;

namespace UnityEngine
{
    public partial struct Vector2
    {
        public Vector2(float x, float y)
        {
            this.x = x;
            this.y = y;
        }
    }

    public partial struct Rect
    {
        public Rect(float x, float y, float width, float height) : this()
        {
            this.x = x;
            this.y = y;
            this.width = width;
            this.height = height;
        }
    }

    public struct Color32
    {
        public byte r, g, b, a;
    }

    public enum ColorSpace { Uninitialized = -1, Gamma = 0, Linear = 1 }

    public enum FilterMode { Point, Bilinear, Trilinear }

    public enum TextureFormat { RGB24 = 3, RGBA32 = 4 }

    public enum RenderTextureFormat { ARGB32 = 0, ARGBHalf = 2, DefaultHDR = 9, ARGBFloat = 11, RGB111110Float = 22 }

    public enum RenderTextureReadWrite { Default, Linear, sRGB }

    public enum CameraType { Game = 1, SceneView = 2, Preview = 4 }

    public sealed partial class QualitySettings : Object
    {
        /// <summary>The level in use, one of the list.</summary>
        public static int GetQualityLevel() { Native.RequireMainThread("QualitySettings.GetQualityLevel"); return 1; }
        public static ColorSpace activeColorSpace
        {
            get { return Native.Editor.Quirk("gamma-space") ? ColorSpace.Gamma : ColorSpace.Linear; }
        }
    }

    public static class SystemInfo
    {
        public static bool graphicsUVStartsAtTop { get { return !Native.Editor.Quirk("opengl"); } }
    }

    /// <summary>What a texture shows, in words: a picture here is what was drawn, and what happened to it
    /// since.</summary>
    public class Texture : Object
    {
        internal string Shows = "";
        internal int Draws;
        internal bool IsReleased;

        public int width { get; internal set; }
        public int height { get; internal set; }
        public FilterMode filterMode { get; set; }
    }

    public class RenderTexture : Texture
    {
        private static int _temporary;

        /// <summary>Runtime/Export/Graphics/Texture.cs, one of seven public ones.</summary>
        public RenderTexture(int width, int height, int depth)
            : this(width, height, RenderTextureFormat.ARGB32, false) { }

        internal RenderTexture(int width, int height, RenderTextureFormat format, bool sRGB)
        {
            this.width = width;
            this.height = height;
            this.format = format;
            this.sRGB = sRGB;
        }

        public static RenderTexture active { get; set; }

        public RenderTextureFormat format { get; private set; }
        public bool sRGB { get; private set; }

        public bool IsCreated()
        {
            return Shows.Length > 0;
        }

        /// <summary>In linear space the default is sRGB; in gamma space nothing is converted
        /// (Runtime/Export/Graphics/Texture.cs).</summary>
        public static RenderTexture GetTemporary(
            int width, int height, int depthBuffer, RenderTextureFormat format, RenderTextureReadWrite readWrite)
        {
            Native.RequireMainThread("RenderTexture.GetTemporary");
            _temporary++;
            var isLinear = QualitySettings.activeColorSpace == ColorSpace.Linear;
            return new RenderTexture(width, height, format, isLinear && readWrite != RenderTextureReadWrite.Linear);
        }

        public static void ReleaseTemporary(RenderTexture texture)
        {
            if (texture.IsReleased || active == texture)
            {
                Native.Editor.Say("VIOLATION a texture is released twice, or while it is active");
            }
            texture.IsReleased = true;
            _temporary--;
        }

        internal static int Temporary { get { return _temporary; } }
    }

    /// <summary>Its pixels are on the processor, and drawing uses the copy that Apply uploads
    /// (Runtime/Export/Graphics/Texture.cs).</summary>
    public class Texture2D : Texture
    {
        private static readonly ConditionalWeakTable<Color32[], string> Pictured =
            new ConditionalWeakTable<Color32[], string>();
        private static int _alive;

        internal readonly bool IsLinear;
        private string _set = "";

        public Texture2D(int width, int height, TextureFormat textureFormat, bool mipChain, bool linear)
        {
            Native.RequireMainThread("Texture2D");
            this.width = width;
            this.height = height;
            IsLinear = linear;
            _alive++;
        }

        /// <summary>A file's, which nobody destroys.</summary>
        internal static Texture2D OfFile()
        {
            _alive--;
            return new Texture2D(2, 2, TextureFormat.RGBA32, false, false);
        }

        /// <summary>Those that no script has destroyed: they stay until assets that nothing uses are
        /// unloaded.</summary>
        internal static int Alive { get { return _alive; } }

        internal override void Destroyed()
        {
            _alive--;
        }

        internal void Resize(int newWidth, int newHeight, string shows, int draws)
        {
            width = newWidth;
            height = newHeight;
            Shows = shows;
            Draws = draws;
        }

        /// <summary>Copies the values as they are stored.</summary>
        public void ReadPixels(Rect source, int destX, int destY)
        {
            Native.RequireMainThread("Texture2D.ReadPixels");
            var active = RenderTexture.active;
            if (active == null || active.IsReleased) Native.Editor.Say("VIOLATION pixels are read of no texture");
            if (active.width != source.width || active.height != source.height)
            {
                Native.Editor.Say("VIOLATION pixels are read outside of the texture");
            }
            Shows = active.Shows + (active.sRGB == IsLinear ? " converted" : "");
            Draws = active.Draws;
            if (Native.Editor.Quirk("reports-pixels")) Native.Editor.Say("pixels " + width + "x" + height);
        }

        /// <summary>Rows from the bottom to the top. With the quirks "moves N" and "moves-by N" the last N percent of
        /// them are of another shade whenever a camera has drawn once more.</summary>
        public Color32[] GetPixels32()
        {
            var pixels = new Color32[width * height];
            if (!Native.Editor.Quirk("black"))
            {
                pixels[pixels.Length - 1].g = 200;
                var shade = (byte)(Draws % 2 * Native.Editor.QuirkValue("moves-by"));
                for (var i = pixels.Length - pixels.Length * Native.Editor.QuirkValue("moves") / 100;
                    i < pixels.Length; i++)
                {
                    pixels[i].b = shade;
                }
            }
            Pictured.Add(pixels, Shows);
            return pixels;
        }

        public void SetPixels32(Color32[] colors)
        {
            Native.RequireMainThread("Texture2D.SetPixels32");
            if (colors.Length != width * height)
            {
                throw new UnityException("SetPixels32 called with an array of another size than the texture");
            }
            _set = "";
        }

        public void SetPixels32(int x, int y, int blockWidth, int blockHeight, Color32[] colors)
        {
            Native.RequireMainThread("Texture2D.SetPixels32");
            if (x < 0 || y < 0 || x + blockWidth > width || y + blockHeight > height
                || colors.Length != blockWidth * blockHeight)
                throw new UnityException(
                    "SetPixels32 called with a block outside of the texture, or an array of another size than the "
                    + "block");
            string shows;
            _set += " [" + x + "," + y + " " + blockWidth + "x" + blockHeight + " "
                + (Pictured.TryGetValue(colors, out shows) ? shows : "") + "]";
        }

        public void Apply(bool updateMipmaps)
        {
            Native.RequireMainThread("Texture2D.Apply");
            Shows = "grid" + _set;
        }
    }

    /// <summary>Modules/ImageConversion: encodes the values as they are stored. A picture costs as many bytes as the
    /// quirk says.</summary>
    public static class ImageConversion
    {
        public static byte[] EncodeToPNG(this Texture2D tex)
        {
            var size = new byte[] { 0, 0, (byte)(tex.width >> 8), (byte)tex.width, 0, 0, (byte)(tex.height >> 8),
                (byte)tex.height, 8, 2, 0, 0, 0 };
            return Join(new byte[] { 0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A },
                Chunk("IHDR", size), Chunk("tEXt", Text(tex, "png")), Chunk("IDAT", Pixels(tex, 4)),
                Chunk("IEND", new byte[0]));
        }

        public static byte[] EncodeToJPG(this Texture2D tex, int quality)
        {
            var text = Text(tex, "jpg");
            var frame = new byte[] { 0xFF, 0xC0, 0, 11, 8, (byte)(tex.height >> 8), (byte)tex.height,
                (byte)(tex.width >> 8), (byte)tex.width, 1, 1, 0x11, 0 };
            return Join(new byte[] { 0xFF, 0xD8, 0xFF, 0xFE, (byte)((text.Length + 2) >> 8), (byte)(text.Length + 2) },
                text, frame,
                new byte[] { 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0x3F, 0 }, Pixels(tex, 1), new byte[] { 0xFF, 0xD9 });
        }

        /// <summary>Says in the file what it shows.</summary>
        private static byte[] Text(Texture2D tex, string format)
        {
            Native.RequireMainThread("ImageConversion." + format);
            return Encoding.UTF8.GetBytes(
                "\n" + format + " " + tex.width + "x" + tex.height + " " + tex.Shows + "\ndraws " + tex.Draws + "\n");
        }

        /// <summary>The texture takes the size of the picture; false, and a red question mark of 8x8, for what is none
        /// (Modules/ImageConversion/ScriptBindings, 2021.3 to 6000.7).</summary>
        public static bool LoadImage(this Texture2D tex, byte[] data)
        {
            Native.RequireMainThread("ImageConversion.LoadImage");
            var lines = Encoding.UTF8.GetString(data).Split('\n');
            var place = System.Array.FindIndex(lines, line => line.StartsWith("jpg ") || line.StartsWith("png "));
            if (place < 0)
            {
                tex.Resize(8, 8, "?", 0);
                return false;
            }
            var words = lines[place].Split(new[] { ' ' }, 3);
            var size = words[1].Split('x');
            tex.Resize(int.Parse(size[0]), int.Parse(size[1]), words[2],
                int.Parse(lines[place + 1].Substring("draws ".Length)));
            return true;
        }

        private static byte[] Pixels(Texture2D tex, int cost)
        {
            return new byte[tex.width * tex.height * Native.Editor.QuirkValue("tenths-of-a-byte") * cost / 10];
        }

        /// <summary>Of a PNG, without its checksum.</summary>
        private static byte[] Chunk(string kind, byte[] data)
        {
            var length = new byte[] { (byte)(data.Length >> 24), (byte)(data.Length >> 16), (byte)(data.Length >> 8),
                (byte)data.Length };
            return Join(length, Encoding.ASCII.GetBytes(kind), data, new byte[4]);
        }

        private static byte[] Join(params byte[][] parts)
        {
            var file = new System.Collections.Generic.List<byte>();
            foreach (var part in parts) file.AddRange(part);
            return file.ToArray();
        }
    }

    public static class Graphics
    {
        /// <summary>Converts where the two differ: an sRGB texture is decoded as it is sampled, and encoded as it is
        /// written.</summary>
        public static void Blit(Texture source, RenderTexture dest, Vector2 scale, Vector2 offset)
        {
            Native.RequireMainThread("Graphics.Blit");
            var from = source as RenderTexture;
            var fromSRGB = from != null
                ? from.sRGB
                : QualitySettings.activeColorSpace == ColorSpace.Linear && !((Texture2D)source).IsLinear;
            if (source.IsReleased || dest.IsReleased) Native.Editor.Say("VIOLATION a released texture is drawn");
            if (dest.width * 2 < source.width || dest.height * 2 < source.height)
            {
                Native.Editor.Say("VIOLATION scaled by more than a half leaves pixels out");
            }
            var isLinear = QualitySettings.activeColorSpace == ColorSpace.Linear;
            var encodes = isLinear && !fromSRGB && dest.sRGB;
            var decodes = isLinear && fromSRGB && !dest.sRGB;
            dest.Draws = source.Draws;
            dest.Shows = source.Shows + (scale.y < 0 && offset.y == 1 ? " flipped" : "") + (encodes ? " encoded" : "")
                + (decodes ? " decoded" : "");
        }
    }

    public sealed partial class Camera : Behaviour
    {
        public delegate void CameraCallback(Camera camera);

        public static CameraCallback onPostRender;

        private static int _draws;

        internal string Place = "";

        public CameraType cameraType { get; set; }
        public RenderTexture targetTexture { get; set; }
        public Rect rect { get; set; }

        public void Render()
        {
            Native.RequireMainThread("Camera.Render");
            Draw(targetTexture);
        }

        /// <summary>In a scriptable pipeline onPostRender is not raised (manual, Camera.onPostRender).</summary>
        internal void Draw(RenderTexture target)
        {
            target.Draws = ++_draws;
            target.Shows = cameraType + " frame " + Time.frameCount + (Place.Length > 0 ? " from " + Place : "");
            if (Native.Editor.Quirk("scriptable-pipeline")) Rendering.RenderPipelineManager.RaiseEndCamera(this);
            else if (onPostRender != null) onPostRender(this);
        }
    }
}

namespace UnityEngine.Rendering
{
    public struct ScriptableRenderContext
    {
    }

    public static class RenderPipelineManager
    {
        public static event Action<ScriptableRenderContext, Camera> endCameraRendering;

        internal static void RaiseEndCamera(Camera camera)
        {
            if (endCameraRendering != null) endCameraRendering(new ScriptableRenderContext(), camera);
        }
    }
}
