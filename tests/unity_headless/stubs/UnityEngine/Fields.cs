using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace UnityEngine
{
    /// <summary>What Unity has serialized of an object, as a tree. A managed reference may lead back to a part of itself.</summary>
    internal sealed class FieldNode
    {
        private readonly List<FieldNode> _children = new List<FieldNode>();
        private FieldNode _referenced;
        private int _size = -1;

        public string Name, Kind, Type;
        public object Value;
        public bool IsVisible = true;
        public long ReferenceId;

        /// <summary>An array's first child is its size.</summary>
        public int Count { get { return _size >= 0 ? _size + 1 : Own.Count; } }

        public bool IsArray { get { return _size >= 0; } }

        public int Size { get { return _size; } }

        private List<FieldNode> Own { get { return _referenced == null ? _children : _referenced._children; } }

        public FieldNode At(int index)
        {
            if (!IsArray) return Own[index];
            if (index == 0) return new FieldNode { Name = "size", Kind = "ArraySize", Type = "ArraySize", Value = (long)_size };
            return new FieldNode { Name = "data", Kind = "Integer", Type = Type, Value = (long)(index - 1) };
        }

        public FieldNode Find(string name)
        {
            return Own.Find(child => child.Name == name);
        }

        public void Add(FieldNode child)
        {
            Own.Add(child);
        }

        public void MakeArray(int size)
        {
            _size = size;
        }

        public void Refer(FieldNode target)
        {
            _referenced = target;
        }
    }

    internal sealed class FieldList
    {
        public readonly FieldNode Root = new FieldNode { Name = "Base", Kind = "Generic", Type = "" };
        private readonly Dictionary<long, FieldNode> _references = new Dictionary<long, FieldNode>();

        /// <summary>What every object of its type has. The enabled state is not visible to NextVisible.</summary>
        public static FieldList Of(Object target)
        {
            var fields = new FieldList();
            if (target is Behaviour)
            {
                fields.Set("m_Enabled", "Boolean", "bool", "true");
                fields.Root.Find("m_Enabled").IsVisible = false;
            }
            if (target is MonoBehaviour || target is ScriptableObject) fields.Set("m_Script", "ObjectReference", "PPtr<MonoScript>", "");
            if (target is Transform)
            {
                fields.Set("m_LocalRotation", "Quaternion", "Quaternionf", "0,0,0,1");
                fields.Set("m_LocalPosition", "Vector3", "Vector3f", "0.1,0,-16777216");
                fields.Set("m_LocalScale", "Vector3", "Vector3f", "1,1,1");
            }
            return fields;
        }

        /// <param name="path">"stats.hp" is a part of the field stats, which is there already.</param>
        public void Set(string path, string kind, string type, string value)
        {
            var names = path.Split('.');
            var parent = names.Take(names.Length - 1).Aggregate(Root, (node, name) => node.Find(name));
            var field = new FieldNode { Name = names.Last(), Kind = kind == "Array" ? "Generic" : kind, Type = type };
            if (kind == "Array") field.MakeArray(int.Parse(value));
            else if (kind == "ManagedReference") Refer(field, value);
            else field.Value = Read(kind, value);
            parent.Add(field);
        }

        // "7 Game Game.Spell": its id and its type; "" is no object.
        private void Refer(FieldNode field, string value)
        {
            field.Value = value.Length == 0 ? "" : value.Substring(value.IndexOf(' ') + 1);
            field.ReferenceId = value.Length == 0 ? -2 : long.Parse(value.Split(' ')[0]);
            if (value.Length == 0) return;
            if (!_references.ContainsKey(field.ReferenceId)) _references[field.ReferenceId] = new FieldNode();
            field.Refer(_references[field.ReferenceId]);
        }

        private static object Read(string kind, string value)
        {
            switch (kind)
            {
                case "RenderingLayerMask": return (long)int.Parse(value); // Unity keeps the 32 bits of an uint
                case "EntityId": return value.Length == 0 ? null : value;
                case "Integer": return value.StartsWith("18446744") ? (long)ulong.Parse(value) : long.Parse(value);
                case "Boolean": return value == "true";
                case "Float": return double.Parse(value, CultureInfo.InvariantCulture);
                case "Vector3": case "Quaternion": case "Color":
                    return value.Split(',').Select(part => float.Parse(part, CultureInfo.InvariantCulture)).ToArray();
                case "ObjectReference": return value.Length == 0 ? null : World.ById[value];
                case "String": return value.StartsWith("long ") ? new string('x', int.Parse(value.Substring(5))) : value;
                default: return value;
            }
        }
    }
}
