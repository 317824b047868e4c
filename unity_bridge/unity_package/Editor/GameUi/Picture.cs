using System;
using UnityEngine;

namespace UnityBridge.GameUi
{
    /// <summary>A texture as a file: scaled in its own colour space, and small enough for the wire. Main
    /// thread.</summary>
    internal sealed class Picture
    {
        public const string Jpg = "jpg";
        public const string Png = "png";

        // base64 makes four characters of three bytes.
        private const int MostBytes = 700000 / 4 * 3 - 3;
        private const int Quality = 85;
        private const int LeastSide = 16;

        private Picture(int width, int height, byte[] bytes, bool isUniform)
        {
            Width = width;
            Height = height;
            Bytes = bytes;
            IsUniform = isUniform;
        }

        public int Width { get; }

        public int Height { get; }

        /// <summary>The file.</summary>
        public byte[] Bytes { get; }

        public string Base64 => Convert.ToBase64String(Bytes);

        /// <summary>One colour all over.</summary>
        public bool IsUniform { get; }

        /// <param name="maxSize">Of the longer side, which is never made longer.</param>
        /// <param name="flips">The texture has its first row at the top.</param>
        public static Picture FromTexture(Texture source, int maxSize, string format, bool flips)
        {
            var scale = Math.Min(1.0, (double)maxSize / Math.Max(source.width, source.height));
            while (true)
            {
                var width = Side(source.width, scale);
                var height = Side(source.height, scale);
                var texture = Read(source, width, height, flips);
                try
                {
                    var bytes = format == Png ? texture.EncodeToPNG() : texture.EncodeToJPG(Quality);
                    if (bytes.Length <= MostBytes || Math.Max(width, height) <= LeastSide)
                    {
                        return new Picture(width, height, bytes, IsOneColour(texture.GetPixels32()));
                    }
                    // Bytes grow with the area.
                    scale *= Math.Min(0.9, 0.95 * Math.Sqrt((double)MostBytes / bytes.Length));
                }
                finally
                {
                    UnityEngine.Object.DestroyImmediate(texture);
                }
            }
        }

        /// <summary>A side at that scale, in whole pixels.</summary>
        public static int Side(int length, double scale) => Math.Max(1, (int)Math.Round(length * scale));

        /// <summary>The texture at that size, from the bottom row to the top one, as a file of it would have
        /// them.</summary>
        public static Color32[] Pixels(Texture source, int width, int height, bool flips)
        {
            var texture = Read(source, width, height, flips);
            try
            {
                return texture.GetPixels32();
            }
            finally
            {
                UnityEngine.Object.DestroyImmediate(texture);
            }
        }

        public static bool IsOneColour(Color32[] pixels) => Array.TrueForAll(pixels,
            pixel => pixel.r == pixels[0].r && pixel.g == pixels[0].g && pixel.b == pixels[0].b);

        private static Texture2D Read(Texture source, int width, int height, bool flips)
        {
            var active = RenderTexture.active;
            var scaled = Scaled(source, width, height, flips);
            try
            {
                RenderTexture.active = scaled;
                var texture = new Texture2D(width, height, TextureFormat.RGB24, false, !scaled.sRGB);
                texture.ReadPixels(new Rect(0, 0, width, height), 0, 0);
                return texture;
            }
            finally
            {
                RenderTexture.active = active;
                RenderTexture.ReleaseTemporary(scaled);
            }
        }

        // Halved until one step is left: a single step would leave pixels out.
        private static RenderTexture Scaled(Texture source, int width, int height, bool flips)
        {
            var space = source is RenderTexture rendered ? SpaceOf(rendered) : RenderTextureReadWrite.Linear;
            var from = source;
            var flipsNow = flips;
            while (true)
            {
                var nextWidth = Math.Max(width, (from.width + 1) / 2);
                var nextHeight = Math.Max(height, (from.height + 1) / 2);
                var next = RenderTexture.GetTemporary(nextWidth, nextHeight, 0, RenderTextureFormat.ARGB32, space);
                next.filterMode = FilterMode.Bilinear;
                Graphics.Blit(from, next, new Vector2(1, flipsNow ? -1 : 1), new Vector2(0, flipsNow ? 1 : 0));
                if (from != source)
                {
                    RenderTexture.ReleaseTemporary((RenderTexture)from);
                }
                from = next;
                flipsNow = false;
                if (nextWidth == width && nextHeight == height)
                {
                    return next;
                }
            }
        }

        // A texture of encoded values is decoded as it is read and encoded as it is written; one of linear values, for
        // HDR, has yet to be encoded; in gamma space nothing is. Encoding twice makes pictures that look washed out.
        private static RenderTextureReadWrite SpaceOf(RenderTexture source)
        {
            var isHdr =
                source.format is RenderTextureFormat.DefaultHDR or RenderTextureFormat.ARGBHalf
                or RenderTextureFormat.ARGBFloat
                or RenderTextureFormat.RGB111110Float;
            return QualitySettings.activeColorSpace == ColorSpace.Linear && (source.sRGB || isHdr)
                ? RenderTextureReadWrite.sRGB
                : RenderTextureReadWrite.Linear;
        }
    }
}
