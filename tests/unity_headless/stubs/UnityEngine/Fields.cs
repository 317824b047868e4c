using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;

namespace UnityEngine
{
    /// <summary>What Unity has serialized of an object, as a tree. A managed reference may lead back to a part of
    /// itself.</summary>
    internal sealed class FieldNode
    {
        private List<FieldNode> _children = new List<FieldNode>();
        private FieldNode _referenced;
        private FieldNode _template;
        private int _size = -1;

        /// <summary>From this index on: the numbers of a vector or a color, which FindProperty finds, and NextVisible
        /// passes over.</summary>
        public const int Numbers = 1000 * 1000 * 1000;

        private static readonly string[] NumberNames = { "xyzw", "rgba" };
        private FieldNode _whole;
        private int _place;
        private object _value;

        public string Name, Kind, Type;

        public object Value
        {
            get { return _whole == null ? _value : (double)((float[])_whole.Value)[_place]; }
            set
            {
                if (_whole == null) { _value = value; return; }
                var numbers = (float[])((float[])_whole.Value).Clone();
                numbers[_place] = (float)(double)value;
                _whole.Value = numbers;
            }
        }

        public bool IsVisible = true;
        /// <summary>SerializedProperty.editable is false.</summary>
        public bool IsReadOnly;
        /// <summary>An instance of a prefab has the prefab's value in any case.</summary>
        public bool IsNotOverridable;
        /// <summary>The script's OnValidate keeps it at or below this.</summary>
        public double? Most;
        public long ReferenceId;

        /// <summary>An array's first child is its size.</summary>
        public int Count { get { return _size >= 0 ? _size + 1 : Own.Count; } }

        public bool IsArray { get { return _size >= 0; } }

        public int Size { get { return _size; } }

        public FieldNode Template { get { return _template; } }

        public FieldNode Referenced { get { return _referenced; } }

        private List<FieldNode> Own { get { return _referenced == null ? _children : _referenced._children; } }

        /// <summary>-1 where it has no such number.</summary>
        public int NumberAt(string name)
        {
            var numbers = name.Length == 1 && Kind != "Rect" && Kind != "Bounds" ? _value as float[] : null;
            var place = numbers == null ? -1 : NumberNames[Kind == "Color" ? 1 : 0].IndexOf(name[0]);
            return numbers == null || place < 0 || place >= numbers.Length ? -1 : Numbers + place;
        }

        public FieldNode At(int index)
        {
            if (index >= Numbers)
            {
                var name = NumberNames[Kind == "Color" ? 1 : 0][index - Numbers].ToString();
                return new FieldNode { Name = name, Kind = "Float", Type = "float", _whole = this,
                    _place = index - Numbers };
            }
            if (!IsArray) return Own[index];
            if (index == 0)
            {
                return new FieldNode { Name = "size", Kind = "ArraySize", Type = "ArraySize", Value = (long)_size };
            }
            return _children.Count > 0 ? _children[index - 1] : Element(index - 1);
        }

        public FieldNode Find(string name)
        {
            return name.StartsWith("[")
                ? At(int.Parse(name.Trim('[', ']')) + 1)
                : Own.Find(child => child.Name == name);
        }

        public void Add(FieldNode child)
        {
            Own.Add(child);
        }

        /// <param name="template">What a new element is; null for an array of which element i has the value i, until
        /// one is written.</param>
        public void MakeArray(int size, FieldNode template)
        {
            _template = template;
            _size = size;
            if (template != null) Materialize();
        }

        public void Refer(FieldNode target)
        {
            _referenced = target;
        }

        /// <summary>Before an element is written, or the length.</summary>
        public void Materialize()
        {
            while (_children.Count < _size) _children.Add(Element(_children.Count));
        }

        /// <summary>Unity fills a longer array with copies of its last element: a managed reference is the same object
        /// again.</summary>
        public void Resize(int size)
        {
            Materialize();
            while (_children.Count < size)
            {
                _children.Add(_children.Count > 0 ? _children.Last().Clone(null) : Element(0));
            }
            _children.RemoveRange(size, _children.Count - size);
            _size = size;
        }

        public void RemoveAt(int index)
        {
            Materialize();
            _children.RemoveAt(index);
            _size--;
        }

        public void Move(int from, int to)
        {
            Materialize();
            var moved = _children[from];
            _children.RemoveAt(from);
            _children.Insert(to, moved);
        }

        private FieldNode Element(int index)
        {
            if (_template == null)
            {
                return new FieldNode { Name = "data", Kind = "Integer", Type = Type, Value = (long)index };
            }
            return _template.Clone(null);
        }

        /// <param name="references">The referenced objects that are cloned already; null: they are shared.</param>
        public FieldNode Clone(Dictionary<FieldNode, FieldNode> references)
        {
            var clone = (FieldNode)MemberwiseClone();
            clone._children = _children.ConvertAll(child => child.Clone(references));
            if (_referenced == null || references == null) return clone;
            FieldNode target;
            if (!references.TryGetValue(_referenced, out target))
            {
                references[_referenced] = target = new FieldNode();
                target._children = _referenced._children.ConvertAll(child => child.Clone(references));
            }
            clone._referenced = target;
            return clone;
        }

        public IEnumerable<FieldNode> All()
        {
            return new[] { this }.Concat(_children.SelectMany(child => child.All()));
        }
    }

    internal sealed class FieldList
    {
        public readonly FieldNode Root;
        private readonly Dictionary<long, FieldNode> _references = new Dictionary<long, FieldNode>();
        private readonly Dictionary<long, object> _classes = new Dictionary<long, object>();

        private FieldList(FieldNode root)
        {
            Root = root;
        }

        /// <summary>What every object of its type has. The enabled state is not visible to NextVisible.</summary>
        public static FieldList Of(Object target)
        {
            var fields = new FieldList(new FieldNode { Name = "Base", Kind = "Generic", Type = "" });
            if (target is Behaviour)
            {
                fields.Set("m_Enabled", "Boolean", "bool", "true");
                fields.Root.Find("m_Enabled").IsVisible = false;
            }
            if (target is MonoBehaviour || target is ScriptableObject)
            {
                fields.Set("m_Script", "ObjectReference", "PPtr<MonoScript>", "");
            }
            if (target is ScriptableObject) fields.Set("m_Name", "String", "string", target.RawName);
            if (target is ScriptableObject) fields.Mark("m_Name", "hidden");
            if (target is Light) fields.Set("m_Intensity", "Float", "float", "1.5");
            if (target.GetType().FullName == "UnityEngine.UI.Button") fields.SetEvent("m_OnClick");
            if (target is Renderer) fields.Set("m_Materials", "Items", "PPtr<$Material>", "ObjectReference");
            if (target is Camera) fields.Set("near clip plane", "Float", "float", "0.3");
            if (target is Transform)
            {
                fields.Set("m_LocalRotation", "Quaternion", "Quaternionf", "0,0,0,1");
                fields.Set("m_LocalPosition", "Vector3", "Vector3f", "0.1,0,-16777216");
                fields.Set("m_LocalScale", "Vector3", "Vector3f", "1,1,1");
            }
            UnityFields.AddTo(fields, target);
            var type = target.GetType();
            if ((target is MonoBehaviour || target is ScriptableObject) && type.Assembly != typeof(Object).Assembly
                && (type.Namespace ?? "").StartsWith("Unity") == false)
            {
                foreach (var member in type.GetFields(BindingFlags.Instance | BindingFlags.Public))
                {
                    if (member.FieldType == typeof(int))
                    {
                        fields.Set(member.Name, "Integer", "int", member.GetValue(target).ToString());
                    }
                    else if (member.FieldType == typeof(string))
                    {
                        fields.Set(member.Name, "String", "string", (string)member.GetValue(target) ?? "");
                    }
                }
            }
            var owner = target as GameObject;
            if (owner == null) return fields;
            fields.Set("m_Layer", "Integer", "unsigned int", owner.Layer.ToString());
            fields.Set("m_Name", "String", "string", owner.RawName);
            fields.Set("m_TagString", "String", "string", owner.Tag);
            fields.Set("m_IsActive", "Boolean", "bool", owner.IsOff ? "false" : "true");
            fields.Set("m_StaticEditorFlags", "Integer", "unsigned int", owner.StaticFlags.ToString());
            return fields;
        }

        /// <summary>What SerializedObject works on once something is written: managed references lead to the same
        /// copies.</summary>
        public FieldList Clone()
        {
            var references = new Dictionary<FieldNode, FieldNode>();
            var clone = new FieldList(Root.Clone(references));
            foreach (var pair in _references)
            {
                FieldNode target;
                clone._references[pair.Key] = references.TryGetValue(pair.Value, out target) ? target : pair.Value;
            }
            foreach (var pair in _classes) clone._classes[pair.Key] = pair.Value;
            return clone;
        }

        /// <param name="path">"stats.hp" is a part of the field stats, which is there already; "names.[1]" is an
        /// element.</param>
        public void Set(string path, string kind, string type, string value)
        {
            var names = path.Split('.');
            var parent = names.Take(names.Length - 1).Aggregate(Root, (node, name) => node.Find(name));
            var field = new FieldNode { Name = names.Last(),
                Kind = kind == "Array" || kind == "Items" ? "Generic" : kind, Type = type };
            if (kind == "Array") field.MakeArray(int.Parse(value), null);
            else if (kind == "Items") MakeItems(field, type, value);
            else if (kind == "ManagedReference") Refer(field, value);
            else field.Value = Read(kind, value);
            var there = parent.Find(field.Name);
            if (there == null) parent.Add(field);
            else there.Value = field.Value;
        }

        /// <summary>A UnityEvent without listeners (Runtime/Export/UnityEvent/UnityEvent.cs).</summary>
        private void SetEvent(string name)
        {
            Set(name, "Generic", "UnityEvent", "");
            Set(name + ".m_PersistentCalls", "Generic", "PersistentCallGroup", "");
            Set(name + ".m_PersistentCalls.m_Calls", "Items", "PersistentCall",
                "Generic:0:m_Target=ObjectReference PPtr<$Object> ;m_TargetAssemblyTypeName=String string ;"
                + "m_MethodName=String string ;m_Mode=Enum Enum 1;m_CallState=Enum Enum 2;m_Arguments=Generic "
                + "ArgumentCache ");
            var element = Root.Find(name).Find("m_PersistentCalls").Find("m_Calls").Template;
            element.Find("m_Mode").Value = "1;EventDefined,Void,Object,Int,Float,String,Bool";
            element.Find("m_CallState").Value = "2;Off,EditorAndRuntime,RuntimeOnly";
            var arguments = element.Find("m_Arguments");
            foreach (var one in new[] { "ObjectReference PPtr<$Object> m_ObjectArgument",
                "String string m_ObjectArgumentAssemblyTypeName", "Integer int m_IntArgument",
                "Float float m_FloatArgument", "String string m_StringArgument", "Boolean bool m_BoolArgument" })
            {
                var words = one.Split(' ');
                arguments.Add(new FieldNode { Name = words[2], Kind = words[0], Type = words[1],
                    Value = words[0] == "Integer" ? 0L : words[0] == "Float" ? 0.0
                    : words[0] == "Boolean" ? false : words[0] == "String" ? "" : (object)null });
            }
        }

        /// <summary>hidden, readonly, locked (a prefab's instance cannot override it), most N (OnValidate).</summary>
        public void Mark(string path, string mark)
        {
            var field = path.Split('.').Aggregate(Root, (node, name) => node.Find(name));
            if (mark == "hidden") field.IsVisible = false;
            else if (mark == "readonly") field.IsReadOnly = true;
            else if (mark == "locked") field.IsNotOverridable = true;
            else field.Most = double.Parse(mark.Substring(5), CultureInfo.InvariantCulture);
        }

        // "String:a,b": the kind of the elements, and their values. Elements of the kind Generic have parts, which may
        // be in parts: "Generic:2:hp=Integer int 3;more.hp=Integer int 4".
        private void MakeItems(FieldNode field, string type, string value)
        {
            var words = value.Split(new[] { ':' }, 3);
            var template = new FieldNode { Name = "data", Kind = words[0], Type = type };
            if (words[0] == "Generic")
            {
                foreach (var part in words[2].Split(';'))
                {
                    var named = part.Split(new[] { '=' }, 2);
                    var typed = named[1].Split(new[] { ' ' }, 3);
                    var names = named[0].Split('.');
                    var added = new FieldNode { Name = names.Last(), Kind = typed[0], Type = typed[1] };
                    if (typed[0] == "ManagedReference") Refer(added, typed[2]);
                    else added.Value = Read(typed[0], typed[2]);
                    var around = names.Length == 1
                        ? template
                        : new FieldNode { Name = names[0], Kind = "Generic", Type = names[0] };
                    around.Add(added);
                    if (around != template) template.Add(around);
                }
                field.MakeArray(int.Parse(words[1]), template);
                return;
            }
            if (words[0] == "ManagedReference") Refer(template, "");
            else
            {
                template.Value = words[0] == "ObjectReference" ? null : Read(words[0], words[0] == "String" ? "" : "0");
            }
            var items = words.Length < 2 || words[1].Length == 0 ? new string[0] : words[1].Split(',');
            field.MakeArray(items.Length, template);
            for (var i = 0; i < items.Length; i++)
            {
                if (words[0] == "ManagedReference") Refer(field.At(i + 1), items[i]);
                else field.At(i + 1).Value = Read(words[0], items[i]);
            }
        }

        // "7 Game Game.Spell": its id and its type; "" is no object.
        private void Refer(FieldNode field, string value)
        {
            field.Value = value.Length == 0 ? "" : value.Substring(value.IndexOf(' ') + 1);
            field.ReferenceId = value.Length == 0 ? -2 : long.Parse(value.Split(' ')[0]);
            if (value.Length == 0) return;
            if (!_references.ContainsKey(field.ReferenceId)) _references[field.ReferenceId] = new FieldNode();
            _classes[field.ReferenceId] = field.Value;
            field.Refer(_references[field.ReferenceId]);
        }

        /// <summary>Null if there is no such object.</summary>
        public string ClassOf(long id)
        {
            return _classes.ContainsKey(id) ? (string)_classes[id] : null;
        }

        public void Share(FieldNode field, long id)
        {
            field.ReferenceId = id;
            field.Value = _classes[id];
            field.Refer(_references[id]);
        }

        /// <summary>A new object gets a new id; its public fields are serialized.</summary>
        public void Assign(FieldNode field, object made)
        {
            if (made == null)
            {
                field.Value = "";
                field.ReferenceId = -2;
                field.Refer(null);
                return;
            }
            var id = _references.Count == 0 ? 1000 : Math.Max(1000, _references.Keys.Max() + 1);
            var target = new FieldNode();
            foreach (var member in made.GetType().GetFields(BindingFlags.Instance | BindingFlags.Public))
            {
                var value = member.GetValue(made);
                var part = new FieldNode { Name = member.Name, Kind = "String", Type = "string", Value = value };
                if (member.FieldType == typeof(int))
                {
                    part.Kind = "Integer";
                    part.Type = "int";
                    part.Value = (long)(int)value;
                }
                else if (member.FieldType == typeof(float))
                {
                    part.Kind = "Float";
                    part.Type = "float";
                    part.Value = (double)(float)value;
                }
                else if (member.IsDefined(typeof(SerializeReference), false))
                {
                    part.Kind = "ManagedReference";
                    part.Type = "managedReference<" + member.FieldType.Name + ">";
                    Assign(part, value);
                }
                target.Add(part);
            }
            _references[id] = target;
            _classes[id] = made.GetType().Assembly.GetName().Name + " " + made.GetType().FullName;
            Share(field, id);
        }

        private static object Read(string kind, string value)
        {
            switch (kind)
            {
                case "RenderingLayerMask": return (long)int.Parse(value); // Unity keeps the 32 bits of an uint
                case "EntityId": return value.Length == 0 ? null : value;
                case "Integer": case "LayerMask": case "FixedBufferSize": return value.StartsWith("18446744")
                    ? (long)ulong.Parse(value) : long.Parse(value);
                case "Boolean": return value == "true";
                case "Float": return double.Parse(value, CultureInfo.InvariantCulture);
                case "Vector2": case "Vector4": case "Rect": case "Bounds":
                case "Vector3": case "Quaternion": case "Color":
                    return value.Split(',').Select(part => float.Parse(part, CultureInfo.InvariantCulture)).ToArray();
                case "Vector2Int": case "Vector3Int": case "RectInt": case "BoundsInt": return value.Split(',')
                    .Select(int.Parse).ToArray();
                case "ObjectReference": return value.Length == 0
                    ? null : value == "deleted"
                    ? World.Deleted : World.ById[value];
                case "String": return value.StartsWith("long ")
                    ? new string('x', int.Parse(value.Substring(5))) : value;
                case "AnimationCurve": return new AnimationCurve(
                    value.Length == 0 ? new[] { new Keyframe(0, 0.5f), new Keyframe(1, 1) }
                    : Enumerable.Range(0, int.Parse(value)).Select(i => new Keyframe(i, i * 2)).ToArray());
                case "Gradient": return new Gradient();
                case "Hash128": return value.Length == 0 ? new string('0', 32) : value;
                default: return value;
            }
        }
    }
}
