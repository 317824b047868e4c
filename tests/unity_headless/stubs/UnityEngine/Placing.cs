using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace UnityEngine
{
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class ColorUsageAttribute : Attribute
    {
        public readonly bool showAlpha, hdr;

        public ColorUsageAttribute(bool showAlpha, bool hdr) { this.showAlpha = showAlpha; this.hdr = hdr; }
    }

    /// <summary>Runtime/Export/Math/ColorUtility.bindings.cs; the names are those of its page in the manual.</summary>
    public class ColorUtility
    {
        private static readonly Dictionary<string, string> Names = new Dictionary<string, string>
        {
            { "red", "ff0000" }, { "cyan", "00ffff" }, { "blue", "0000ff" }, { "darkblue", "0000a0" },
            { "lightblue", "add8e6" }, { "purple", "800080" },
            { "yellow", "ffff00" }, { "lime", "00ff00" }, { "fuchsia", "ff00ff" }, { "white", "ffffff" },
            { "silver", "c0c0c0" }, { "grey", "808080" },
            { "black", "000000" }, { "orange", "ffa500" }, { "brown", "a52a2a" }, { "maroon", "800000" },
            { "green", "008000" }, { "olive", "808000" },
            { "navy", "000080" }, { "teal", "008080" }, { "aqua", "00ffff" }, { "magenta", "ff00ff" },
        };

        public static bool TryParseHtmlString(string htmlString, out Color color)
        {
            color = new Color { a = 1 };
            string hex;
            if (!Names.TryGetValue(htmlString.ToLowerInvariant(), out hex))
            {
                hex = htmlString.StartsWith("#") ? htmlString.Substring(1) : "";
            }
            if (hex.Length == 3 || hex.Length == 4) hex = string.Concat(hex.Select(digit => "" + digit + digit));
            uint number;
            if (hex.Length != 6 && hex.Length != 8) return false;
            if (!uint.TryParse(hex.PadRight(8, 'f'), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture,
                out number))
            {
                return false;
            }
            color = new Color { r = (number >> 24) / 255f, g = (number >> 16 & 255) / 255f,
                b = (number >> 8 & 255) / 255f, a = (number & 255) / 255f };
            return true;
        }
    }

    public partial struct Vector3
    {
        public static Vector3 up { get { return new Vector3(0, 1, 0); } }
        public static Vector3 right { get { return new Vector3(1, 0, 0); } }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return new Vector3(a.x - b.x, a.y - b.y, a.z - b.z); }
        public float sqrMagnitude { get { return x * x + y * y + z * z; } }
        internal Vector3 Times(Vector3 by) { return new Vector3(x * by.x, y * by.y, z * by.z); }
        internal Vector3 Unit
        {
            get { var length = (float)Math.Sqrt(sqrMagnitude); return new Vector3(x / length, y / length, z / length); }
        }
        internal static Vector3 Cross(Vector3 a, Vector3 b)
        {
            return new Vector3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
        }
    }

    /// <summary>Runtime/Export/Math/Quaternion.cs and Quaternion.bindings.cs.</summary>
    public partial struct Quaternion
    {
        public Quaternion(float x, float y, float z, float w) : this()
        {
            this.x = x;
            this.y = y;
            this.z = z;
            this.w = w;
        }

        public static Quaternion Inverse(Quaternion rotation)
        {
            return new Quaternion(-rotation.x, -rotation.y, -rotation.z, rotation.w);
        }

        public static Quaternion operator *(Quaternion a, Quaternion b)
        {
            return new Quaternion(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
        }

        public static Vector3 operator *(Quaternion rotation, Vector3 point)
        {
            var turned = rotation * new Quaternion(point.x, point.y, point.z, 0) * Inverse(rotation);
            return new Vector3(turned.x, turned.y, turned.z);
        }

        /// <summary>Its z is forward, and its y as near to upwards as can be.</summary>
        public static Quaternion LookRotation(Vector3 forward, Vector3 upwards)
        {
            var z = forward.Unit;
            var sideways = Vector3.Cross(upwards, z);
            var x = sideways.sqrMagnitude < 1e-9f ? Vector3.right : sideways.Unit;
            var y = Vector3.Cross(z, x);
            var trace = x.x + y.y + z.z;
            var w = (float)Math.Sqrt(Math.Max(0, 1 + trace)) / 2;
            if (w > 1e-4f)
            {
                return new Quaternion((y.z - z.y) / (4 * w), (z.x - x.z) / (4 * w), (x.y - y.x) / (4 * w), w);
            }
            return new Quaternion(Root(x.x - y.y - z.z), Root(y.y - x.x - z.z), Root(z.z - x.x - y.y), 0);
        }

        public static Quaternion FromToRotation(Vector3 fromDirection, Vector3 toDirection)
        {
            var from = fromDirection.Unit;
            var to = toDirection.Unit;
            var axis = Vector3.Cross(from, to);
            var w = 1 + from.x * to.x + from.y * to.y + from.z * to.z;
            var length = (float)Math.Sqrt(axis.sqrMagnitude + w * w);
            return new Quaternion(axis.x / length, axis.y / length, axis.z / length, w / length);
        }

        /// <summary>From 0 to 360, about z, then x, then y.</summary>
        public Vector3 eulerAngles
        {
            get
            {
                var sine = Math.Max(-1, Math.Min(1, 2.0 * (x * w - y * z)));
                return new Vector3(Degrees(Math.Asin(sine)),
                    Degrees(Math.Atan2(2 * (x * z + y * w), 1 - 2 * (x * x + y * y))),
                    Degrees(Math.Atan2(2 * (x * y + z * w), 1 - 2 * (x * x + z * z))));
            }
        }

        private static float Root(float three) { return (float)Math.Sqrt(Math.Max(0, 1 + three)) / 2; }

        private static float Degrees(double radians)
        {
            var degrees = radians * 180 / Math.PI;
            return (float)(degrees < -1e-4 ? degrees + 360 : degrees);
        }
    }

    public sealed partial class RectTransform
    {
        /// <summary>Its local position follows from it, one to one; a test that moves a control reads the
        /// fields.</summary>
        public Vector2 anchoredPosition
        {
            get
            {
                Access("RectTransform.anchoredPosition");
                var field = Fields.Root.Find("m_AnchoredPosition");
                var numbers = field == null ? new float[2] : (float[])field.Value;
                return new Vector2 { x = numbers[0], y = numbers[1] };
            }
        }
    }

    /// <summary>Runtime/Transform/ScriptBindings/Transform.bindings.cs: where it is in the world.</summary>
    public partial class Transform
    {
        public Quaternion localRotation
        {
            get { var n = Numbers("m_LocalRotation"); return new Quaternion(n[0], n[1], n[2], n[3]); }
        }
        public Quaternion rotation
        {
            get { return ReferenceEquals(Above, null) ? localRotation : Above.rotation * localRotation; }
        }
        public Vector3 eulerAngles { get { return rotation.eulerAngles; } }
        public Vector3 position
        {
            get { return ReferenceEquals(Above, null) ? localPosition : Above.TransformPoint(localPosition); }
        }

        public Vector3 TransformPoint(Vector3 position) { return this.position + rotation * position.Times(Size); }

        public Vector3 InverseTransformPoint(Vector3 position)
        {
            var size = Size;
            return (Quaternion.Inverse(rotation) * (position - this.position))
                .Times(new Vector3(1 / size.x, 1 / size.y, 1 / size.z));
        }

        private Vector3 Size
        {
            get { return ReferenceEquals(Above, null) ? localScale : localScale.Times(Above.Size); }
        }

        private float[] Numbers(string field)
        {
            Access("Transform." + field);
            return (float[])Fields.Root.Find(field).Value;
        }
    }
}
