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
        Generic = -1, Integer, Boolean, Float, String, Color, ObjectReference, LayerMask, Enum, Vector2, Vector3,
        Vector4, Rect, ArraySize,
        Character, AnimationCurve, Bounds, Gradient, Quaternion, ExposedReference, FixedBufferSize, Vector2Int,
        Vector3Int, RectInt,
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

    /// <summary>Since 6000.4 in UnityEngine (Runtime/Export/Scripting/GUID.bindings.cs).</summary>
    public struct GUID
    {
        internal string Hex;
        public GUID(string hexRepresentation) { Hex = hexRepresentation; }
        public static GUID Generate() { return new GUID(System.Guid.NewGuid().ToString("N")); }
        public override string ToString() { return Hex; }
    }

    /// <summary>
    /// Editor/Mono/SerializedObject.bindings.cs. To be disposed of; reading it changes nothing. What is written goes to
    /// a copy, which nobody else sees before ApplyModifiedProperties: that records Undo, and makes the scene or the
    /// asset dirty (manual, SerializedObject; in play mode no scene becomes dirty). On an instance of a prefab a
    /// changed field becomes an override.
    /// </summary>
    public class SerializedObject : IDisposable
    {
        internal readonly Object Target;
        internal bool IsDisposed;
        private FieldList _copy;

        public SerializedObject(Object obj)
        {
            World.Read("SerializedObject");
            if (obj == null) throw new ArgumentException("Object at index 0 is null");
            Target = obj;
            World.Serialized++;
            if (Target is GameObject) Target.Fields = FieldList.Of(Target);
        }

        public Object targetObject { get { return Target; } }

        internal FieldList Fields { get { return _copy ?? Target.Fields; } }

        internal FieldList ToWrite()
        {
            return _copy ?? (_copy = Target.Fields.Clone());
        }

        public void Dispose()
        {
            Native.RequireMainThread("SerializedObject.Dispose");
            if (!IsDisposed) World.Serialized--;
            IsDisposed = true;
        }

        /// <summary>Forgets what was written and not applied.</summary>
        public void Update()
        {
            World.Read("SerializedObject.Update");
            _copy = null;
        }

        public bool ApplyModifiedProperties()
        {
            World.Read("SerializedObject.ApplyModifiedProperties");
            if (_copy == null) return false;
            if (Native.Editor.Quirk("apply-throws")) throw new UnityException("thrown while properties were applied");
            var before = Target.Fields;
            Keep(_copy.Root, before.Root);
            Undo.Record(() => { Show(before); Undo.Mark(Target); });
            Show(_copy);
            _copy = null;
            Undo.Touch(Target);
            return true;
        }

        public bool ApplyModifiedPropertiesWithoutUndo()
        {
            World.Read("SerializedObject.ApplyModifiedPropertiesWithoutUndo");
            if (_copy == null) return false;
            Keep(_copy.Root, Target.Fields.Root);
            Show(_copy);
            _copy = null;
            if (Target.AssetPath.StartsWith("ProjectSettings/")) ProjectSettings.MarkDirty(Target);
            return true;
        }

        private void Show(FieldList fields)
        {
            Target.Fields = fields;
            ProjectSettings.Applied(Target);
            if (Target is GameObject) ((GameObject)Target).TakeFields();
        }

        // What an instance cannot override has the prefab's value; a script's OnValidate corrects what was set.
        private void Keep(FieldNode node, FieldNode before)
        {
            if (node.IsNotOverridable && PrefabUtility.IsPartOfPrefabInstance(Target)) node.Value = before.Value;
            if (node.Most != null && (double)node.Value > node.Most) node.Value = node.Most;
            if (node.IsArray || node.Referenced != null) return;
            for (var i = 0; i < node.Count; i++) Keep(node.At(i), before.At(i));
        }

        /// <summary>Before the first property: it has to be moved on with NextVisible(true).</summary>
        public SerializedProperty GetIterator()
        {
            return new SerializedProperty(this);
        }

        /// <summary>Null where there is none, also for an element past the end.</summary>
        public SerializedProperty FindProperty(string propertyPath)
        {
            return GetIterator().FindBelow(propertyPath);
        }
    }

    /// <summary>A place among the properties of an object, which NextVisible moves on. A string is an array as
    /// well.</summary>
    public class SerializedProperty : IDisposable
    {
        private readonly SerializedObject _object;
        private readonly List<FieldNode> _above = new List<FieldNode>();
        private readonly List<int> _indices = new List<int>();
        private FieldList _fields;
        private FieldNode _at;

        internal SerializedProperty(SerializedObject serialized)
        {
            _object = serialized;
            _fields = serialized.Fields;
            _at = _fields.Root;
        }

        public SerializedObject serializedObject { get { return _object; } }

        public void Dispose()
        {
            Native.RequireMainThread("SerializedProperty.Dispose");
        }

        // Verify of the reference source.
        private FieldNode At(string api)
        {
            World.Read("SerializedProperty." + api);
            if (_object.IsDisposed || _object.Target == null)
            {
                throw new NullReferenceException("SerializedObject of SerializedProperty has been Disposed.");
            }
            if (_at == null)
            {
                throw new InvalidOperationException(
                    "The operation is not possible when moved past all properties (Next returned false)");
            }
            if (_fields != _object.Fields) GoTo(_object.Fields);
            return _at;
        }

        // The same place in the copy that is written to, or in what was applied.
        private void GoTo(FieldList fields)
        {
            _fields = fields;
            _at = fields.Root;
            _above.Clear();
            foreach (var index in _indices)
            {
                if (index >= _at.Count && index < FieldNode.Numbers)
                {
                    throw new NullReferenceException("SerializedProperty " + _at.Name + " has disappeared!");
                }
                if (_at.IsArray && index > 0 && _object.Fields != _object.Target.Fields) _at.Materialize();
                _above.Add(_at);
                _at = _at.At(index);
            }
        }

        private FieldNode ToWrite(string api, params SerializedPropertyType[] kinds)
        {
            At(api, kinds);
            _object.ToWrite();
            _fields = null;
            return At(api);
        }

        private FieldNode At(string api, params SerializedPropertyType[] kinds)
        {
            var at = At(api);
            // Unity logs "type is not a supported ... value".
            if (!kinds.Contains(propertyType))
            {
                Native.Editor.Say("VIOLATION SerializedProperty." + api + " of a " + at.Kind);
            }
            return at;
        }

        public SerializedProperty Copy()
        {
            At("Copy");
            var copy = new SerializedProperty(_object) { _at = _at };
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

        /// <summary>Also those that the Inspector hides.</summary>
        public bool Next(bool enterChildren)
        {
            At("Next");
            Move(enterChildren);
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
            if (path.Length == 0) return null;
            foreach (var name in path.Replace(".Array.data[", ".[").Replace(".Array.size", ".size").Split('.'))
            {
                var index = name.StartsWith("[")
                    ? found._at.IsArray
                    ? int.Parse(name.Trim('[', ']')) + 1
                    : -1
                    : Enumerable.Range(0, found._at.Count)
                    .Where(i => found._at.At(i).Name == name).DefaultIfEmpty(-1).First();
                if (index < 0) index = found._at.NumberAt(name);
                if (index < 0 || (index >= found._at.Count && index < FieldNode.Numbers)) return null;
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

        /// <summary>The elements after it move up.</summary>
        public void DeleteArrayElementAtIndex(int index)
        {
            ToWrite("DeleteArrayElementAtIndex", SerializedPropertyType.Generic).RemoveAt(index);
        }

        public bool MoveArrayElement(int srcIndex, int dstIndex)
        {
            ToWrite("MoveArrayElement", SerializedPropertyType.Generic).Move(srcIndex, dstIndex);
            return true;
        }

        public SerializedProperty FindPropertyRelative(string relativePropertyPath)
        {
            At("FindPropertyRelative");
            return FindBelow(relativePropertyPath);
        }

        public int depth { get { At("depth"); return _above.Count - 1; } }
        public string name { get { return At("name").Name; } }
        public string type { get { return At("type").IsArray ? "vector" : _at.Type; } }
        public string arrayElementType { get { return At("arrayElementType").Type; } }
        public bool hasVisibleChildren { get { return At("hasVisibleChildren").Count > 0; } }
        public bool isArray { get { return At("isArray").IsArray || _at.Kind == "String"; } }
        public int arraySize
        {
            get { return At("arraySize").Size; }
            set { ToWrite("arraySize", SerializedPropertyType.Generic).Resize(value); }
        }

        public string propertyPath
        {
            get
            {
                At("propertyPath");
                var path = "";
                for (var i = 0; i < _above.Count; i++)
                {
                    var field = _above[i].At(_indices[i]);
                    path += (path.Length > 0 ? "." : "")
                        + (!_above[i].IsArray
                            ? field.Name
                            : field.Name == "size"
                            ? "Array.size"
                            : "Array.data[" + (_indices[i] - 1) + "]");
                }
                return path;
            }
        }

        public SerializedPropertyType propertyType
        {
            get { return (SerializedPropertyType)Enum.Parse(typeof(SerializedPropertyType), At("propertyType").Kind); }
        }

        public bool editable { get { return !At("editable").IsReadOnly; } }

        /// <summary>Its value differs from that of the prefab.</summary>
        public bool prefabOverride
        {
            get
            {
                At("prefabOverride");
                var source = PrefabUtility.SourceOf(_object.Target);
                if (source == null) return false;
                using (var original = new SerializedObject(source).FindProperty(propertyPath))
                {
                    // An element that the prefab's shorter list has not.
                    if (original == null) return true;
                    original.serializedObject.Dispose();
                    return original._at.Kind != "Generic" && !Equals(original._at.Value, _at.Value);
                }
            }
        }

        /// <summary>The position and rotation of the root of an instance, and its name, always differ (manual, Prefab
        /// Instance overrides).</summary>
        public bool isDefaultOverride
        {
            get
            {
                At("isDefaultOverride");
                var component = _object.Target as Component;
                var owner = component == null ? _object.Target as GameObject : component.Owner;
                return owner != null && PrefabUtility.IsOutermostPrefabInstanceRoot(owner)
                    && (propertyPath == "m_Name" || propertyPath.StartsWith("m_LocalPosition")
                        || propertyPath.StartsWith("m_LocalRotation"));
            }
        }

        public long longValue
        {
            get
            {
                return (long)At("longValue", SerializedPropertyType.Integer, SerializedPropertyType.ArraySize,
                    SerializedPropertyType.LayerMask,
                    SerializedPropertyType.FixedBufferSize, (SerializedPropertyType)26).Value;
            }
            set
            {
                var node = ToWrite("longValue", SerializedPropertyType.Integer, SerializedPropertyType.LayerMask,
                    (SerializedPropertyType)26);
                node.Value = Fitted(node, value);
            }
        }

        // What does not fit is cut without a word, as the native side cuts it.
        private static long Fitted(FieldNode node, long value)
        {
            switch (node.Kind == "Integer" ? node.Type : "int")
            {
                case "int": return unchecked((int)value);
                case "unsigned int": case "uint": return unchecked((uint)value);
                case "byte": return unchecked((byte)value);
                case "short": return unchecked((short)value);
                default: return value;
            }
        }

        /// <summary>Of an enum its value; of a character its code.</summary>
        public int intValue
        {
            get
            {
                var at = At("intValue", SerializedPropertyType.Integer, SerializedPropertyType.Character,
                    SerializedPropertyType.Enum, SerializedPropertyType.ArraySize);
                if (at.Kind == "Character") return ((string)at.Value)[0];
                return int.Parse(at.Value.ToString().Split(';')[0]);
            }
            set
            {
                if (propertyType == SerializedPropertyType.ArraySize)
                {
                    throw new NotSupportedException("the plugin sets the size of arrays by arraySize");
                }
                var node = ToWrite("intValue", SerializedPropertyType.Integer, SerializedPropertyType.Character,
                    SerializedPropertyType.Enum);
                if (node.Kind == "Character") node.Value = ((char)value).ToString();
                else if (node.Kind == "Enum") node.Value = value + ";" + ((string)node.Value).Split(';')[1];
                else node.Value = Fitted(node, value);
            }
        }

        public bool boolValue
        {
            get { return (bool)At("boolValue", SerializedPropertyType.Boolean).Value; }
            set { ToWrite("boolValue", SerializedPropertyType.Boolean).Value = value; }
        }

        public float floatValue
        {
            get { return (float)(double)At("floatValue", SerializedPropertyType.Float).Value; }
            set { ToWrite("floatValue", SerializedPropertyType.Float).Value = (double)value; }
        }

        public double doubleValue
        {
            get { return (double)At("doubleValue", SerializedPropertyType.Float).Value; }
            set { ToWrite("doubleValue", SerializedPropertyType.Float).Value = value; }
        }

        public string stringValue
        {
            get { return (string)At("stringValue", SerializedPropertyType.String).Value; }
            set { ToWrite("stringValue", SerializedPropertyType.String).Value = value; }
        }

        /// <summary>An object of another type than the field's becomes None (ValidateObjectReferenceValue is what
        /// editors ask before).</summary>
        public Object objectReferenceValue
        {
            get
            {
                var value = (Object)At("objectReferenceValue", SerializedPropertyType.ObjectReference).Value;
                return value == null ? null : value;
            }
            set
            {
                var node = ToWrite("objectReferenceValue", SerializedPropertyType.ObjectReference);
                var wanted = node.Type.Replace("PPtr<", "").Trim('$', '>');
                var type = value == null ? null : value.GetType();
                while (type != null && type.Name != wanted) type = type.BaseType;
                node.Value = type == null ? null : value;
            }
        }

        /// <summary>Not 0 for an object that is gone, or whose file is (SerializedProperty.bindings.cs; an error to the
        /// compiler since 6000.5).</summary>
        public int objectReferenceInstanceIDValue
        {
            get
            {
                var value = (Object)At("objectReferenceInstanceIDValue", SerializedPropertyType.ObjectReference).Value;
                return ReferenceEquals(value, null)
                    ? 0
                    : System.Runtime.CompilerServices.RuntimeHelpers.GetHashCode(value) | 1;
            }
        }

        /// <summary>A copy.</summary>
        public AnimationCurve animationCurveValue
        {
            get
            {
                return new AnimationCurve(
                    ((AnimationCurve)At("animationCurveValue", SerializedPropertyType.AnimationCurve).Value).keys);
            }
            set
            {
                ToWrite("animationCurveValue", SerializedPropertyType.AnimationCurve).Value =
                    new AnimationCurve(value.keys);
            }
        }

        /// <summary>Internal up to 2021.3, public from 2022.1. A copy.</summary>
        internal Gradient gradientValue
        {
            get { return ((Gradient)At("gradientValue", SerializedPropertyType.Gradient).Value).Copy(); }
            set { ToWrite("gradientValue", SerializedPropertyType.Gradient).Value = value.Copy(); }
        }

        [Obsolete(Newer.ThanOurs, true)]
        public EntityId entityIdValue
        {
            get { return new EntityId { Id = (string)At("entityIdValue", (SerializedPropertyType)27).Value }; }
            set { ToWrite("entityIdValue", (SerializedPropertyType)27).Value = value.Id; }
        }

        /// <summary>Since 6000.4.</summary>
        public GUID guidValue
        {
            get { return new GUID((string)At("guidValue", (SerializedPropertyType)28).Value); }
            set { ToWrite("guidValue", (SerializedPropertyType)28).Value = value.Hex; }
        }

        public Hash128 hash128Value
        {
            get { return Hash128.Parse((string)At("hash128Value", SerializedPropertyType.Hash128).Value); }
            set { ToWrite("hash128Value", SerializedPropertyType.Hash128).Value = value.Hex; }
        }

        /// <summary>"2;Red,Green,Blue": the value and the names; "6;A=2,B=4": with their values. An index of -1 where
        /// none has the value.</summary>
        public int enumValueIndex
        {
            get { return Array.IndexOf(EnumValues(), intValue); }
            set { intValue = EnumValues()[value]; }
        }

        public string[] enumNames { get { return EnumWords().Select(word => word.Split('=')[0]).ToArray(); } }

        private string[] EnumWords()
        {
            return ((string)At("enumNames", SerializedPropertyType.Enum).Value).Split(';')[1].Split(',');
        }

        private int[] EnumValues()
        {
            return EnumWords().Select((word, i) => word.Contains("=") ? int.Parse(word.Split('=')[1]) : i).ToArray();
        }

        public string managedReferenceFullTypename
        {
            get
            {
                if (propertyType != SerializedPropertyType.ManagedReference)
                    throw new InvalidOperationException(
                        "Attempting to get the managed reference full typename on a SerializedProperty that is set "
                        + "to a '" + type + "'");
                return (string)_at.Value;
            }
        }

        /// <summary>The field's own class: in this stub object, or the class of spells.</summary>
        public string managedReferenceFieldTypename
        {
            get
            {
                return At("managedReferenceFieldTypename").Type == "managedReference<object>"
                    ? "mscorlib System.Object"
                    : "UnityEngine Game.Spell";
            }
        }

        public object managedReferenceValue
        {
            set
            {
                At("managedReferenceValue");
                if (value != null && !(value is Game.Spell) && _at.Type != "managedReference<object>")
                    throw new InvalidOperationException(
                        "Cannot assign an object of type '" + value.GetType().Name
                        + "' to a managed reference with a base type of 'Spell'");
                var node = ToWrite("managedReferenceValue", SerializedPropertyType.ManagedReference);
                _object.ToWrite().Assign(node, value);
            }
        }

        /// <summary>Only an id that the object knows can be set.</summary>
        public long managedReferenceId
        {
            get { return At("managedReferenceId").ReferenceId; }
            set
            {
                if (string.IsNullOrEmpty(_object.Fields.ClassOf(value)))
                    throw new InvalidOperationException(
                        "The specified managed reference id cannot be set because it is not currently assigned to an "
                        + "object.");
                var node = ToWrite("managedReferenceId", SerializedPropertyType.ManagedReference);
                _object.ToWrite().Share(node, value);
            }
        }

        public Color colorValue
        {
            get
            {
                var v = Numbers("colorValue", SerializedPropertyType.Color);
                return new Color { r = v[0], g = v[1], b = v[2], a = v[3] };
            }
            set { Write("colorValue", SerializedPropertyType.Color, value.r, value.g, value.b, value.a); }
        }

        public Vector2 vector2Value
        {
            get
            {
                var v = Numbers("vector2Value", SerializedPropertyType.Vector2);
                return new Vector2 { x = v[0], y = v[1] };
            }
            set { Write("vector2Value", SerializedPropertyType.Vector2, value.x, value.y); }
        }

        public Vector3 vector3Value
        {
            get
            {
                var v = Numbers("vector3Value", SerializedPropertyType.Vector3);
                return new Vector3(v[0], v[1], v[2]);
            }
            set { Write("vector3Value", SerializedPropertyType.Vector3, value.x, value.y, value.z); }
        }

        public Vector4 vector4Value
        {
            get
            {
                var v = Numbers("vector4Value", SerializedPropertyType.Vector4);
                return new Vector4 { x = v[0], y = v[1], z = v[2], w = v[3] };
            }
            set { Write("vector4Value", SerializedPropertyType.Vector4, value.x, value.y, value.z, value.w); }
        }

        public Quaternion quaternionValue
        {
            get
            {
                var v = Numbers("quaternionValue", SerializedPropertyType.Quaternion);
                return new Quaternion { x = v[0], y = v[1], z = v[2], w = v[3] };
            }
            set { Write("quaternionValue", SerializedPropertyType.Quaternion, value.x, value.y, value.z, value.w); }
        }

        public Rect rectValue
        {
            get
            {
                var v = Numbers("rectValue", SerializedPropertyType.Rect);
                return new Rect { x = v[0], y = v[1], width = v[2], height = v[3] };
            }
            set { Write("rectValue", SerializedPropertyType.Rect, value.x, value.y, value.width, value.height); }
        }

        public Bounds boundsValue
        {
            get
            {
                var v = Numbers("boundsValue", SerializedPropertyType.Bounds);
                return new Bounds { center = new Vector3(v[0], v[1], v[2]), extents = new Vector3(v[3], v[4], v[5]) };
            }
            set
            {
                Write("boundsValue", SerializedPropertyType.Bounds, value.center.x, value.center.y, value.center.z,
                    value.extents.x, value.extents.y, value.extents.z);
            }
        }

        public Vector2Int vector2IntValue
        {
            get
            {
                var v = Wholes("vector2IntValue", SerializedPropertyType.Vector2Int);
                return new Vector2Int { x = v[0], y = v[1] };
            }
            set { ToWrite("vector2IntValue", SerializedPropertyType.Vector2Int).Value = new[] { value.x, value.y }; }
        }

        public Vector3Int vector3IntValue
        {
            get { return Whole(Wholes("vector3IntValue", SerializedPropertyType.Vector3Int), 0); }
            set
            {
                ToWrite("vector3IntValue", SerializedPropertyType.Vector3Int).Value =
                    new[] { value.x, value.y, value.z };
            }
        }

        public RectInt rectIntValue
        {
            get
            {
                var v = Wholes("rectIntValue", SerializedPropertyType.RectInt);
                return new RectInt { x = v[0], y = v[1], width = v[2], height = v[3] };
            }
            set
            {
                ToWrite("rectIntValue", SerializedPropertyType.RectInt).Value =
                    new[] { value.x, value.y, value.width, value.height };
            }
        }

        public BoundsInt boundsIntValue
        {
            get
            {
                var v = Wholes("boundsIntValue", SerializedPropertyType.BoundsInt);
                return new BoundsInt { position = Whole(v, 0), size = Whole(v, 3) };
            }
            set
            {
                ToWrite("boundsIntValue", SerializedPropertyType.BoundsInt).Value =
                    new[] { value.position.x, value.position.y, value.position.z,
                    value.size.x, value.size.y, value.size.z };
            }
        }

        private static Vector3Int Whole(int[] v, int from)
        {
            return new Vector3Int { x = v[from], y = v[from + 1], z = v[from + 2] };
        }

        private float[] Numbers(string api, SerializedPropertyType kind)
        {
            return (float[])At(api, kind).Value;
        }

        private int[] Wholes(string api, SerializedPropertyType kind)
        {
            return (int[])At(api, kind).Value;
        }

        private void Write(string api, SerializedPropertyType kind, params float[] numbers)
        {
            ToWrite(api, kind).Value = numbers;
        }
    }
}
