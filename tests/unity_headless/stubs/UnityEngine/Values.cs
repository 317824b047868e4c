using System;
using System.Collections.Generic;

namespace UnityEngine
{
    public partial struct Vector2
    {
        public float x, y;
    }

    public partial struct Vector3
    {
        public float x, y, z;

        public Vector3(float x, float y, float z)
        {
            this.x = x;
            this.y = y;
            this.z = z;
        }
    }

    public partial struct Vector4
    {
        public float x, y, z, w;
    }

    public partial struct Quaternion
    {
        public float x, y, z, w;

        /// <summary>Degrees about z, then x, then y (Quaternion.Euler in the manual).</summary>
        public static Quaternion Euler(float x, float y, float z)
        {
            Func<float, double> half = degrees => degrees * Math.PI / 360;
            double sx = Math.Sin(half(x)), sy = Math.Sin(half(y)), sz = Math.Sin(half(z)), cx = Math.Cos(half(x)), cy =
                Math.Cos(half(y)), cz = Math.Cos(half(z));
            return new Quaternion
            {
                x = (float)(cy * sx * cz + sy * cx * sz), y = (float)(sy * cx * cz - cy * sx * sz),
                z = (float)(cy * cx * sz - sy * sx * cz), w = (float)(cy * cx * cz + sy * sx * sz),
            };
        }
    }

    public partial struct Color
    {
        public float r, g, b, a;
    }

    public partial struct Rect
    {
        public float x { get; set; }
        public float y { get; set; }
        public float width { get; set; }
        public float height { get; set; }
    }

    public partial struct Bounds
    {
        public Vector3 center { get; set; }
        public Vector3 extents { get; set; }
    }

    public partial struct Vector2Int
    {
        public int x { get; set; }
        public int y { get; set; }
    }

    public partial struct Vector3Int
    {
        public int x { get; set; }
        public int y { get; set; }
        public int z { get; set; }
    }

    public partial struct RectInt
    {
        public int x { get; set; }
        public int y { get; set; }
        public int width { get; set; }
        public int height { get; set; }
    }

    public partial struct BoundsInt
    {
        public Vector3Int position { get; set; }
        public Vector3Int size { get; set; }
    }

    /// <summary>Runtime/Export/Hashing/Hash128.cs: Parse takes 32 digits.</summary>
    public partial struct Hash128
    {
        internal string Hex;

        public static Hash128 Parse(string hashString)
        {
            return new Hash128 { Hex = hashString };
        }

        public override string ToString()
        {
            return Hex;
        }
    }

    public struct Keyframe
    {
        public Keyframe(float time, float value) : this()
        {
            this.time = time;
            this.value = value;
        }

        public float time { get; set; }
        public float value { get; set; }
        public float inTangent { get; set; }
        public float outTangent { get; set; }
    }

    // Runtime/Export/Math/Gradient.bindings.cs; PerceptualBlend is new in 2022.
    public enum GradientMode { Blend, Fixed, PerceptualBlend }

    public struct GradientColorKey
    {
        public Color color;
        public float time;
    }

    public struct GradientAlphaKey
    {
        public float alpha;
        public float time;
    }

    /// <summary>SetKeys takes 1 to 8 keys of each kind (Runtime/Export/Math/Gradient.bindings.cs).</summary>
    public class Gradient
    {
        public Gradient()
        {
            colorKeys = new[] { new GradientColorKey { color = new Color { r = 1, g = 0.5f, b = 0, a = 1 },
                time = 0 } };
            alphaKeys = new[] { new GradientAlphaKey { alpha = 0.25f, time = 1 } };
        }

        public GradientMode mode { get; set; }
        public GradientColorKey[] colorKeys { get; set; }
        public GradientAlphaKey[] alphaKeys { get; set; }

        public void SetKeys(GradientColorKey[] colorKeys, GradientAlphaKey[] alphaKeys)
        {
            this.colorKeys = colorKeys;
            this.alphaKeys = alphaKeys;
        }

        internal Gradient Copy()
        {
            return new Gradient { mode = mode, colorKeys = colorKeys, alphaKeys = alphaKeys };
        }
    }

    public class AnimationCurve
    {
        private List<Keyframe> _keys = new List<Keyframe>();

        public AnimationCurve(params Keyframe[] keys)
        {
            _keys.AddRange(keys);
        }

        public int length { get { return _keys.Count; } }

        public Keyframe this[int index] { get { return _keys[index]; } }

        public Keyframe[] keys { get { return _keys.ToArray(); } set { _keys = new List<Keyframe>(value); } }
    }
}
