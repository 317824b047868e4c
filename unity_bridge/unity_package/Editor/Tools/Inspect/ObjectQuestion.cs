using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Tools
{
    /// <summary>
    /// One object: itself, then each component with its serialized fields, as the Inspector window lists them. The
    /// query
    /// <c>Component</c> asks for one component, <c>Component.field</c> for what is in one field.
    /// </summary>
    internal sealed class ObjectQuestion : Question
    {
        private const int MostOverrides = 50;

        private readonly InspectQuery _query;
        private readonly List<ObjectPart> _parts = new List<ObjectPart>();

        // What has names of its own besides serialized fields: a material's properties, import settings.
        private readonly List<JsonObject> _rows = new List<JsonObject>();
        private Object _target;
        private string _path;
        private List<string> _sameNames;
        private string _field;

        public ObjectQuestion(InspectQuery query)
        {
            _query = query;
        }

        public override IEnumerable<Found> Walk(int[] from)
        {
            var finder = new ObjectFinder();
            foreach (var _ in finder.Find(_query.Path))
            {
                yield return null;
            }
            _target = finder.Target;
            _path = finder.Path;
            _sameNames = finder.SameNames;
            Remark = finder.Remark;
            Fault = OnlyCSharp.Explain(finder)
                ?? (_target == null ? "This is a scene. what: hierarchy shows it." : null) ?? Collect();
            if (Fault != null)
            {
                yield break;
            }
            foreach (var step in _field == null || _parts.Count == 0 ? WalkParts(from) : WalkField(_parts[0], from))
            {
                yield return step;
            }
        }

        // What is wrong with the query, or null.
        private string Collect()
        {
            _rows.AddRange(_target is Material material
                ? StagedMaterial.Shown(material)
                : Enumerable.Empty<JsonObject>());
            _rows.AddRange(AssetMembers.ForObject(null, _target)?.Rows() ?? Enumerable.Empty<JsonObject>());
            var hasOwnRows = _rows.Count > 0;
            _rows.AddRange(SettingsMembers.Shown(_target));
            _rows.AddRange(StagedImporter.FromAsset(_target)?.Rows() ?? Enumerable.Empty<JsonObject>());
            if (_query.Query == null)
            {
                // The serialized fields are the same again, in lists that nobody can address.
                _parts.AddRange(hasOwnRows ? new List<ObjectPart>() : ObjectPart.PartsOf(_target));
                return null;
            }
            var query = _query.Query;
            if (_target is Material shown)
            {
                query = new StagedMaterial(null, shown).PropertyOf(query.Replace("Material.", "")) ?? query;
            }
            _rows.RemoveAll(row => query != row.Text("component")
                && query != row.Text("component") + "." + row.Text("field")
                && !(query == row.Text("field") && (hasOwnRows || SettingsMembers.ClassesOf(_target).Length > 0)));
            if (_rows.Count > 0)
            {
                return null;
            }
            _parts.AddRange(ObjectPart.PartsOf(_target));
            return Choose(query);
        }

        private string Choose(string query)
        {
            var chosen = _parts.Find(part => part.FieldIn(query) != null);
            if (chosen == null && _parts.Count == 1 && !(_target is GameObject))
            {
                // An asset has no components: the query is a field.
                chosen = _parts[0];
                query = chosen.Name + "." + query;
            }
            if (chosen == null)
            {
                if (_target is GameObject owner && OwnerOf(owner, query) is { } part)
                {
                    _field = query;
                    _parts.Clear();
                    _parts.Add(part);
                    return null;
                }
                return "There is no component '" + Quoted.Text(query)
                    + "'. A query is Component or Component.field; it has "
                    + Quoted.Text(string.Join(", ", _parts.ConvertAll(part => part.Name))) + ".";
            }
            _field = chosen.FieldIn(query) is { Length: > 0 } field ? field : null;
            _parts.Clear();
            _parts.Add(chosen);
            return null;
        }

        // A field without its component, as set_fields takes it.
        private static ObjectPart OwnerOf(GameObject target, string query)
        {
            try
            {
                return FieldAddress.PartOf(ChangeTarget.PartsOf(target), query, out var field) is { } part
                    && field == query ? part : null;
            }
            catch (CommandRefused)
            {
                return null;
            }
        }

        private IEnumerable<Found> WalkParts(int[] from)
        {
            var hasHead = _query.Query == null && !(_target is Component);
            if (Total == null)
            {
                Total = (hasHead ? 1 : 0) + _rows.Count;
                foreach (var part in _parts)
                {
                    foreach (var field in part.Fields())
                    {
                        Total++;
                        yield return null;
                    }
                    Total += part.IsComponent ? 1 : 0;
                }
            }
            if (_target == null)
            {
                // Counting the fields of a large object takes several updates.
                Fault = Quoted.Text(_path)
                    + " was destroyed while it was read. what: hierarchy shows what is there now.";
                yield break;
            }
            var first = from[0];
            if (hasHead && first == 0)
            {
                yield return new Found(Head(), _path, 0, 0);
            }
            for (var i = Math.Max(first, 1); i <= _parts.Count; i++)
            {
                var part = _parts[i - 1];
                var skipped = i == first && from.Length > 1 ? from[1] : 0;
                if (part.IsComponent && skipped == 0)
                {
                    yield return new Found(part.Describe(), part.Name, i, 0);
                }
                var index = 0;
                foreach (var field in part.Fields())
                {
                    index++;
                    yield return index < skipped
                        ? null
                        : new Found(Item(part, field), part.Name + "." + field.name, i, index);
                }
            }
            for (var i = first > _parts.Count && from.Length > 1 ? from[1] : 0; i < _rows.Count; i++)
            {
                yield return new Found(_rows[i], _rows[i].Text("component") + "." + _rows[i].Text("field"),
                    _parts.Count + 1, i);
            }
        }

        private IEnumerable<Found> WalkField(ObjectPart part, int[] from)
        {
            var first = from[0];
            if (part.Target == null)
            {
                Fault = "The script of this component is missing: it has no fields to show.";
                yield break;
            }
            using var serialized = new SerializedObject(part.Target);
            using var field = FieldAddress.Lookup(serialized, _field, out var above, out var missing);
            if (field == null && EditorApplication.isPlaying
                && UnserializedField.Find(part.Target, _field) is { } hidden)
            {
                Total = 1;
                yield return new Found(UnserializedField.Item(part, hidden, _field), _field, 0);
                yield break;
            }
            if (field == null)
            {
                Fault = FieldAddress.Missing(serialized, above, part.Name, missing);
                yield break;
            }
            if (field.isArray && field.propertyType == SerializedPropertyType.Generic)
            {
                Total ??= field.arraySize;
                for (var i = first; i < field.arraySize; i++)
                {
                    using (var element = field.GetArrayElementAtIndex(i))
                    {
                        yield return new Found(Item(part, element), element.propertyPath, i);
                    }
                    if (part.Target == null)
                    {
                        yield break;
                    }
                }
                yield break;
            }
            if (field.propertyType is not (SerializedPropertyType.Generic or SerializedPropertyType.ManagedReference)
                || !field.hasVisibleChildren)
            {
                Total = 1;
                yield return new Found(Item(part, field), field.propertyPath, 0);
                yield break;
            }
            if (Total == null)
            {
                Total = 0;
                foreach (var child in ObjectPart.Children(field))
                {
                    Total++;
                    yield return null;
                }
            }
            var index = 0;
            foreach (var child in ObjectPart.Children(field))
            {
                yield return index < first ? null : new Found(Item(part, child), child.propertyPath, index);
                index++;
            }
        }

        private JsonObject Item(ObjectPart part, SerializedProperty field) => FieldValue.Row(part.Name,
            ObjectPart.FromUnity(field.propertyPath), FieldValue.TypeOf(field),
            FieldValue.ToJson(field, _query.Depth));

        private JsonObject Head()
        {
            var item = new JsonObject { { "path", _path }, { "name", _target.name },
                { "type", TypeNames.NameOf(_target) } };
            GlobalIds.AddTo(item, _target);
            if (_sameNames.Count > 0)
            {
                item["equal_names"] = _sameNames;
            }
            if (_target is GameObject owner)
            {
                ObjectNode.DescribeActive(item, owner);
                item["tag"] = owner.tag;
                item["layer"] = LayerMask.LayerToName(owner.layer) is { Length: > 0 } layer
                    ? layer
                    : (object)owner.layer;
                item["static"] = owner.isStatic;
                item["components"] = ObjectNode.ComponentsOf(owner);
                item["children"] = owner.transform.childCount;
                if (PrefabUtility.GetOutermostPrefabInstanceRoot(owner) == owner)
                {
                    item["prefab"] = PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(owner);
                    item["overrides"] = PrefabOverrides.RowsOf(owner, MostOverrides);
                }
            }
            return item;
        }
    }
}
