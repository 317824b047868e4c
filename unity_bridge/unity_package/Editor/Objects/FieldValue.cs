using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>
    /// A serialized field as JSON: numbers with every digit, references as paths, long things cut. One value is read in
    /// one go, so what it takes is bounded: how deep, how many elements of a list, how many parts in all.
    /// </summary>
    internal sealed class FieldValue
    {
        private const int MaxElements = 20;
        private const int MaxParts = 300;
        private const int MaxChars = 2000;

        // What JSON readers that know only doubles still read exactly.
        private const long MaxExact = 1L << 53;

        private readonly List<long> _references = new List<long>();
        private int _parts;

        private FieldValue()
        {
        }

        /// <param name="depth">How many levels of structures and lists are shown.</param>
        public static object ToJson(SerializedProperty property, int depth) => new FieldValue().Read(property, depth);

        /// <summary>A field as <c>inspect</c> lists it.</summary>
        public static JsonObject Row(string component, string field, string type, object value) => new JsonObject
        {
            { "component", component }, { "field", field }, { "type", type }, { "value", value },
        };

        /// <summary>The name of a field's type, as close to the code as Unity reports it.</summary>
        public static string TypeOf(SerializedProperty property)
        {
            switch (property.propertyType)
            {
                case SerializedPropertyType.Generic:
                    return property.isArray ? Plain(property.arrayElementType) + "[]" : property.type;
                case SerializedPropertyType.Integer:
                case SerializedPropertyType.Float:
                    return property.type;
                case SerializedPropertyType.ManagedReference:
                    return ClassOf(property) ?? "managed reference";
                case SerializedPropertyType.ObjectReference:
                    return Plain(property.type);
                default:
                    return property.propertyType.ToString();
            }
        }

        /// <summary>The class of the object behind a managed reference; null for none, and for one whose class is
        /// gone.</summary>
        public static string ClassOf(SerializedProperty property) =>
            property.managedReferenceFullTypename is { Length: > 0 } full ? full.Substring(full.IndexOf(' ') + 1)
                : null;

        // "PPtr<$Material>" is a reference to a Material.
        private static string Plain(string type) =>
            type.StartsWith("PPtr<", StringComparison.Ordinal) ? type.Substring(5).TrimStart('$').TrimEnd('>') : type;

        // Of the object that it refers to, also of one that is gone. An int up to 6000.3; the first name is an error to
        // the compiler since 6000.5 (SerializedProperty.bindings.cs, 2021.3 to 6000.7).
        private static readonly PropertyInfo ReferredId =
            typeof(SerializedProperty).GetProperty("objectReferenceEntityIdValue")
            ?? typeof(SerializedProperty).GetProperty("objectReferenceInstanceIDValue");

        /// <summary>Whether a reference leads to an object that is not there; one that was never set is none.</summary>
        public static bool IsMissing(SerializedProperty property)
        {
            var id = property.objectReferenceValue != null ? null : ReferredId?.GetValue(property, null);
            return id != null && !id.Equals(Activator.CreateInstance(id.GetType()));
        }

        public static object Reference(SerializedProperty property) =>
            IsMissing(property) ? new JsonObject { { "missing", true } } : Reference(property.objectReferenceValue);

        public static object Reference(Object target)
        {
            if (target == null)
            {
                // Unity keeps the reference to an object that was deleted.
                return (object)target == null ? null : new JsonObject { { "missing", true } };
            }
            var json = new JsonObject { { "type", TypeNames.NameOf(target) },
                { "name", Cut.AndCount(target.name, MaxChars) } };
            var owner = ObjectPart.OwnerOf(target);
            var path = owner != null ? ObjectPath.PathOf(owner.transform) : AssetDatabase.GetAssetPath(target);
            if (!string.IsNullOrEmpty(path))
            {
                json["path"] = path;
            }
            else
            {
                GlobalIds.AddTo(json, target);
            }
            return json;
        }

        private object Read(SerializedProperty property, int depth)
        {
            switch (property.propertyType)
            {
                case SerializedPropertyType.Integer:
                case SerializedPropertyType.LayerMask:
                case SerializedPropertyType.ArraySize:
                case SerializedPropertyType.FixedBufferSize:
                    return Integer(property);
                case SerializedPropertyType.Boolean: return property.boolValue;
                case SerializedPropertyType.Float:
                    return property.type == "double" ? Real(property.doubleValue) : Real(property.floatValue);
                case SerializedPropertyType.String: return Cut.AndCount(property.stringValue, MaxChars);
                case SerializedPropertyType.Character: return ((char)property.intValue).ToString();
                case SerializedPropertyType.Enum: return EnumOf(property);
                case SerializedPropertyType.ObjectReference: return Reference(property);
                case SerializedPropertyType.AnimationCurve: return Curve(property.animationCurveValue);
                case SerializedPropertyType.Hash128: return property.hash128Value.ToString();
                case SerializedPropertyType.ManagedReference: return Managed(property, depth);
                case SerializedPropertyType.Generic:
                    return property.isArray ? Array(property, depth) : Structure(property, depth, new JsonObject());
                default: return VectorValue.ToJson(property) ?? Other(property, depth);
            }
        }

        private object Other(SerializedProperty property, int depth)
        {
            if (NewerFieldValue.TryRead(property, out var value))
            {
                return value;
            }
            return property.hasVisibleChildren ? Structure(property, depth, new JsonObject())
                : new JsonObject { { "$type", property.propertyType.ToString() }, { "not_shown", true } };
        }

        private static object Integer(SerializedProperty property)
        {
            var value = property.longValue;
            if (property.type is "ulong" or "UInt64" && value < 0)
            {
                return ((ulong)value).ToString(CultureInfo.InvariantCulture);
            }
            return Integer(value);
        }

        /// <summary>All digits that distinguish this number from its neighbours; a value that is no JSON number is a
        /// text.</summary>
        public static object Real(float value) => float.IsNaN(value) || float.IsInfinity(value)
            ? value.ToString(CultureInfo.InvariantCulture)
            : new RawJson(value.ToString("R", CultureInfo.InvariantCulture));

        public static object Real(double value) => double.IsNaN(value) || double.IsInfinity(value)
            ? value.ToString(CultureInfo.InvariantCulture)
            : new RawJson(value.ToString("R", CultureInfo.InvariantCulture));

        private static object EnumOf(SerializedProperty property)
        {
            var names = property.enumNames;
            var index = property.enumValueIndex;
            return index >= 0 && index < names.Length ? names[index] : (object)property.intValue;
        }

        private static object Curve(AnimationCurve curve)
        {
            var keys = curve.keys.Take(MaxElements).Select(key => new JsonObject
            {
                { "time", Real(key.time) }, { "value", Real(key.value) },
                { "in_tangent", Real(key.inTangent) }, { "out_tangent", Real(key.outTangent) },
            });
            return ListOf(keys.ToList<object>(), curve.length);
        }

        private object Managed(SerializedProperty property, int depth)
        {
            var type = ClassOf(property);
            var id = property.managedReferenceId;
            if (type == null)
            {
                // -1 and -2 are ManagedReferenceUtility's RefIdUnknown and RefIdNull. The class of any other is gone.
                return id < 0 ? null : new JsonObject { { "missing", true }, { "$id", Integer(id) } };
            }
            var json = new JsonObject { { "$type", type }, { "$id", Integer(id) } };
            if (_references.Contains(id))
            {
                return json;
            }
            _references.Add(id);
            Structure(property, depth, json);
            _references.Remove(id);
            return json;
        }

        private static object Integer(long value) =>
            value > MaxExact || value < -MaxExact ? value.ToString(CultureInfo.InvariantCulture) : (object)value;

        private object Array(SerializedProperty property, int depth)
        {
            var size = property.arraySize;
            if (depth == 0)
            {
                return new JsonObject { { "size", size } };
            }
            var elements = new List<object>();
            for (var i = 0; i < size && i < MaxElements && _parts++ < MaxParts; i++)
            {
                using var element = property.GetArrayElementAtIndex(i);
                elements.Add(Read(element, depth - 1));
            }
            return ListOf(elements, size);
        }

        // A list of which a part is shown says how long it is.
        private static object ListOf(List<object> shown, int size) =>
            shown.Count == size ? (object)shown : new JsonObject { { "size", size }, { "first", shown } };

        private JsonObject Structure(SerializedProperty property, int depth, JsonObject json)
        {
            if (depth == 0)
            {
                json["not_shown"] = true;
                return json;
            }
            foreach (var child in ObjectPart.Children(property))
            {
                if (_parts++ >= MaxParts)
                {
                    json["not_shown"] = true;
                    break;
                }
                json[child.name] = Read(child, depth - 1);
            }
            return json;
        }

    }

    /// <summary>What has a fixed handful of numbers.</summary>
    internal static class VectorValue
    {
        /// <summary>Null for any other kind.</summary>
        public static JsonObject ToJson(SerializedProperty property)
        {
            switch (property.propertyType)
            {
                case SerializedPropertyType.Color:
                    return ToJson(property.colorValue);
                case SerializedPropertyType.Vector2:
                    return ToJson(property.vector2Value);
                case SerializedPropertyType.Vector3:
                    return ToJson(property.vector3Value);
                case SerializedPropertyType.Vector4:
                    return ToJson(property.vector4Value);
                case SerializedPropertyType.Quaternion:
                    return ToJson(property.quaternionValue);
                case SerializedPropertyType.Rect:
                    var rect = property.rectValue;
                    return Reals("x", rect.x, "y", rect.y, "width", rect.width, "height", rect.height);
                case SerializedPropertyType.Bounds:
                    var bounds = property.boundsValue;
                    return new JsonObject { { "center", ToJson(bounds.center) },
                        { "extents", ToJson(bounds.extents) } };
                case SerializedPropertyType.Vector2Int:
                    var whole = property.vector2IntValue;
                    return new JsonObject { { "x", whole.x }, { "y", whole.y } };
                case SerializedPropertyType.Vector3Int:
                    return ToJson(property.vector3IntValue);
                case SerializedPropertyType.RectInt:
                    var area = property.rectIntValue;
                    return new JsonObject { { "x", area.x }, { "y", area.y }, { "width", area.width },
                        { "height", area.height } };
                case SerializedPropertyType.BoundsInt:
                    var box = property.boundsIntValue;
                    return new JsonObject { { "position", ToJson(box.position) }, { "size", ToJson(box.size) } };
                default:
                    return null;
            }
        }

        public static JsonObject ToJson(Color color) => Reals("r", color.r, "g", color.g, "b", color.b, "a", color.a);

        public static JsonObject ToJson(Vector2 vector) => Reals("x", vector.x, "y", vector.y);

        public static JsonObject ToJson(Vector4 vector) =>
            Reals("x", vector.x, "y", vector.y, "z", vector.z, "w", vector.w);

        public static JsonObject ToJson(Quaternion turn) => Reals("x", turn.x, "y", turn.y, "z", turn.z, "w", turn.w);

        public static JsonObject ToJson(Vector3 vector) => Reals("x", vector.x, "y", vector.y, "z", vector.z);

        private static JsonObject ToJson(Vector3Int vector) =>
            new JsonObject { { "x", vector.x }, { "y", vector.y }, { "z", vector.z } };

        private static JsonObject Reals(params object[] namesAndValues)
        {
            var json = new JsonObject();
            for (var i = 0; i < namesAndValues.Length; i += 2)
            {
                json[(string)namesAndValues[i]] = FieldValue.Real((float)namesAndValues[i + 1]);
            }
            return json;
        }
    }
}
