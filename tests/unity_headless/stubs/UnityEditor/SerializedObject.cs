using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    /// <summary>The numbers of 2021.3, and those that newer Unitys add, which the package cannot name
    /// (Editor/Mono/SerializedProperty.bindings.cs of 6000.0, 6000.3, 6000.4 and 6000.7).</summary>
    public enum SerializedPropertyType
    {
        Generic = -1, Integer, Boolean, Float, String, Color, ObjectReference, LayerMask, Enum, Vector2, Vector3, Vector4, Rect, ArraySize,
        Character, AnimationCurve, Bounds, Gradient, Quaternion, ExposedReference, FixedBufferSize, Vector2Int, Vector3Int, RectInt,
        BoundsInt, ManagedReference, Hash128,
        [Obsolete(Newer.ThanOurs, true)] RenderingLayerMask,
        [Obsolete(Newer.ThanOurs, true)] EntityId,
        [Obsolete(Newer.ThanOurs, true)] GUID,
        [Obsolete(Newer.ThanOurs, true)] LoadableObjectId,
        [Obsolete(Newer.ThanOurs, true)] LoadableSceneId,
    }

    internal static class Newer
    {
        public const string ThanOurs = "The package is compiled in 2021.3, too.";
    }

    /// <summary>Since 6000.3 (Runtime/Export/Scripting/UnityEngineObject.bindings.cs). Equal to its default value, None, or an object's.</summary>
    [Obsolete(Newer.ThanOurs, true)]
    public struct EntityId
    {
        internal string Id;
    }

    /// <summary>Since 6000.4 in UnityEngine (Runtime/Export/Scripting/GUID.bindings.cs).</summary>
    public struct GUID
    {
        internal string Hex;
        public override string ToString() { return Hex; }
    }

    /// <summary>Editor/Mono/SerializedObject.bindings.cs. To be disposed of; reading it changes nothing.</summary>
    public class SerializedObject : IDisposable
    {
        internal readonly Object Target;
        internal bool IsDisposed;

        public SerializedObject(Object obj)
        {
            World.Read("SerializedObject");
            if (obj == null) throw new ArgumentException("Object at index 0 is null");
            Target = obj;
            World.Serialized++;
        }

        public void Dispose()
        {
            Native.RequireMainThread("SerializedObject.Dispose");
            if (!IsDisposed) World.Serialized--;
            IsDisposed = true;
        }

        /// <summary>Before the first property: it has to be moved on with NextVisible(true).</summary>
        public SerializedProperty GetIterator()
        {
            return new SerializedProperty(this, Target.Fields.Root);
        }

        public SerializedProperty FindProperty(string propertyPath)
        {
            return GetIterator().FindBelow(propertyPath);
        }
    }

    /// <summary>A place among the properties of an object, which NextVisible moves on. A string is an array as well.</summary>
    public class SerializedProperty : IDisposable
    {
        private readonly SerializedObject _object;
        private readonly FieldNode _root;
        private readonly List<FieldNode> _above = new List<FieldNode>();
        private readonly List<int> _indices = new List<int>();
        private FieldNode _at;

        internal SerializedProperty(SerializedObject serialized, FieldNode root)
        {
            _object = serialized;
            _root = _at = root;
        }

        public void Dispose()
        {
            Native.RequireMainThread("SerializedProperty.Dispose");
        }

        // Verify of the reference source.
        private FieldNode At(string api)
        {
            World.Read("SerializedProperty." + api);
            if (_object.IsDisposed || _object.Target == null) throw new NullReferenceException("SerializedObject of SerializedProperty has been Disposed.");
            if (_at == null) throw new InvalidOperationException("The operation is not possible when moved past all properties (Next returned false)");
            return _at;
        }

        private FieldNode At(string api, params SerializedPropertyType[] kinds)
        {
            var at = At(api);
            // Unity logs "type is not a supported ... value".
            if (!kinds.Contains(propertyType)) Native.Editor.Say("VIOLATION SerializedProperty." + api + " of a " + at.Kind);
            return at;
        }

        public SerializedProperty Copy()
        {
            At("Copy");
            var copy = new SerializedProperty(_object, _root) { _at = _at };
            copy._above.AddRange(_above);
            copy._indices.AddRange(_indices);
            return copy;
        }

        public bool NextVisible(bool enterChildren)
        {
            At("NextVisible");
            var enters = enterChildren;
            do
            {
                Move(enters);
                enters = false;
            }
            while (_at != null && !_at.IsVisible);
            return _at != null;
        }

        private void Move(bool enters)
        {
            if (enters && _at.Count > 0)
            {
                _above.Add(_at);
                _indices.Add(0);
            }
            else
            {
                while (_above.Count > 0 && ++_indices[_indices.Count - 1] >= _above[_above.Count - 1].Count)
                {
                    _above.RemoveAt(_above.Count - 1);
                    _indices.RemoveAt(_indices.Count - 1);
                }
            }
            _at = _above.Count == 0 ? null : _above[_above.Count - 1].At(_indices[_indices.Count - 1]);
        }

        internal SerializedProperty FindBelow(string path)
        {
            var found = Copy();
            foreach (var name in path.Replace(".Array.data[", ".[").Split('.'))
            {
                var index = name.StartsWith("[") ? int.Parse(name.Trim('[', ']')) + 1 : Enumerable.Range(0, found._at.Count)
                    .Where(i => found._at.At(i).Name == name).DefaultIfEmpty(-1).First();
                if (index < 0 || index >= found._at.Count) return null;
                found._above.Add(found._at);
                found._indices.Add(index);
                found._at = found._at.At(index);
            }
            return found;
        }

        public SerializedProperty GetArrayElementAtIndex(int index)
        {
            At("GetArrayElementAtIndex");
            return FindBelow("[" + index + "]");
        }

        public int depth { get { At("depth"); return _above.Count - 1; } }
        public string name { get { return At("name").Name; } }
        public string type { get { return At("type").IsArray ? "vector" : _at.Type; } }
        public string arrayElementType { get { return At("arrayElementType").Type; } }
        public bool hasVisibleChildren { get { return At("hasVisibleChildren").Count > 0; } }
        public bool isArray { get { return At("isArray").IsArray || _at.Kind == "String"; } }
        public int arraySize { get { return At("arraySize").Size; } }

        public string propertyPath
        {
            get
            {
                At("propertyPath");
                var path = "";
                for (var i = 0; i < _above.Count; i++)
                {
                    var field = _above[i].At(_indices[i]);
                    path += (path.Length > 0 ? "." : "") + (!_above[i].IsArray ? field.Name : field.Name == "size" ? "Array.size" : "Array.data[" + (_indices[i] - 1) + "]");
                }
                return path;
            }
        }

        public SerializedPropertyType propertyType
        {
            get { return (SerializedPropertyType)Enum.Parse(typeof(SerializedPropertyType), At("propertyType").Kind); }
        }

        public long longValue
        {
            get
            {
                return (long)At("longValue", SerializedPropertyType.Integer, SerializedPropertyType.ArraySize, SerializedPropertyType.LayerMask,
                    SerializedPropertyType.FixedBufferSize, (SerializedPropertyType)26).Value;
            }
        }

        public int intValue { get { return int.Parse(At("intValue", SerializedPropertyType.Character, SerializedPropertyType.Enum).Value.ToString().Split(';')[0]); } }
        public bool boolValue { get { return (bool)At("boolValue", SerializedPropertyType.Boolean).Value; } }
        public float floatValue { get { return (float)(double)At("floatValue", SerializedPropertyType.Float).Value; } }
        public double doubleValue { get { return (double)At("doubleValue", SerializedPropertyType.Float).Value; } }
        public string stringValue { get { return (string)At("stringValue", SerializedPropertyType.String).Value; } }
        public Object objectReferenceValue { get { return (Object)At("objectReferenceValue", SerializedPropertyType.ObjectReference).Value; } }
        public AnimationCurve animationCurveValue { get { At("animationCurveValue", SerializedPropertyType.AnimationCurve);
            return new AnimationCurve(new Keyframe(0, 0.5f), new Keyframe(1, 1)); } }
        /// <summary>Internal up to 2021.3, public from 2022.1.</summary>
        internal Gradient gradientValue { get { At("gradientValue", SerializedPropertyType.Gradient); return new Gradient(); } }

        [Obsolete(Newer.ThanOurs, true)]
        public EntityId entityIdValue { get { return new EntityId { Id = (string)At("entityIdValue", (SerializedPropertyType)27).Value }; } }

        /// <summary>Since 6000.4.</summary>
        public GUID guidValue { get { return new GUID { Hex = (string)At("guidValue", (SerializedPropertyType)28).Value }; } }

        public Hash128 hash128Value { get { At("hash128Value", SerializedPropertyType.Hash128); return new Hash128(); } }

        /// <summary>"2;Red,Green,Blue": the value and the names; an index of -1 where none has the value.</summary>
        public int enumValueIndex { get { return intValue < enumNames.Length ? intValue : -1; } }
        public string[] enumNames { get { return ((string)At("enumNames", SerializedPropertyType.Enum).Value).Split(';')[1].Split(','); } }

        public string managedReferenceFullTypename
        {
            get
            {
                if (propertyType != SerializedPropertyType.ManagedReference)
                    throw new InvalidOperationException("Attempting to get the managed reference full typename on a SerializedProperty that is set to a '" + type + "'");
                return (string)_at.Value;
            }
        }

        public long managedReferenceId { get { return At("managedReferenceId").ReferenceId; } }

        public Color colorValue { get { var v = Numbers("colorValue", SerializedPropertyType.Color); return new Color { r = v[0], g = v[1], b = v[2], a = v[3] }; } }
        public Vector3 vector3Value { get { var v = Numbers("vector3Value", SerializedPropertyType.Vector3); return new Vector3(v[0], v[1], v[2]); } }
        public Quaternion quaternionValue { get { var v = Numbers("quaternionValue", SerializedPropertyType.Quaternion);
            return new Quaternion { x = v[0], y = v[1], z = v[2], w = v[3] }; } }
        public Vector2 vector2Value { get { At("vector2Value", SerializedPropertyType.Vector2); return new Vector2(); } }
        public Vector4 vector4Value { get { At("vector4Value", SerializedPropertyType.Vector4); return new Vector4(); } }
        public Rect rectValue { get { At("rectValue", SerializedPropertyType.Rect); return new Rect(); } }
        public Bounds boundsValue { get { At("boundsValue", SerializedPropertyType.Bounds); return new Bounds(); } }
        public Vector2Int vector2IntValue { get { At("vector2IntValue", SerializedPropertyType.Vector2Int); return new Vector2Int(); } }
        public Vector3Int vector3IntValue { get { At("vector3IntValue", SerializedPropertyType.Vector3Int); return new Vector3Int(); } }
        public RectInt rectIntValue { get { At("rectIntValue", SerializedPropertyType.RectInt); return new RectInt(); } }
        public BoundsInt boundsIntValue { get { At("boundsIntValue", SerializedPropertyType.BoundsInt); return new BoundsInt(); } }

        private float[] Numbers(string api, SerializedPropertyType kind)
        {
            return (float[])At(api, kind).Value;
        }
    }
}
