using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Values that have been converted and checked, in serialized objects that nobody else sees. Without
    /// <see cref="Apply"/> they are forgotten.</summary>
    internal sealed class StagedFields : IDisposable
    {
        // What Unity keeps itself. The Inspector shows them as read-only or not at all; to set them breaks the object.
        private static readonly HashSet<string> Unitys = new HashSet<string>((
            "m_Script m_GameObject m_Component m_Father m_Children m_RootOrder m_CorrespondingSourceObject "
            + "m_PrefabInstance m_PrefabAsset m_PrefabInternal m_PrefabParentObject m_ObjectHideFlags "
            + "m_EditorHideFlags m_EditorClassIdentifier").Split(' '));

        private readonly List<ObjectPart> _parts;
        private readonly Dictionary<Object, SerializedObject> _serialized = new Dictionary<Object, SerializedObject>();
        private readonly List<Field> _fields = new List<Field>();
        private readonly List<string> _remarks = new List<string>();
        private readonly ChangeCall _call;
        private readonly Object _target;
        private StagedMaterial _material;
        private readonly SettingsEdit _settings;
        private readonly AssetMembers _members;
        private StagedImporter _importer;

        public StagedFields(ChangeCall call, Object target)
        {
            _call = call;
            _target = target;
            _parts = ChangeTarget.PartsOf(target);
            _settings = SettingsEdit.ForObject(target);
            _members = AssetMembers.ForObject(call, target);
            if (_settings is { IsOfProject: true } && call?.Batch != null)
            {
                throw ChangeTarget.Refused(
                    "Settings of the project are set by a call of their own: a batch that fails could not take them "
                    + "back.");
            }
        }

        public void Stage(string key, object value)
        {
            if (_members != null && _members.TryStage(key, value))
            {
                return;
            }
            if (value is JsonObject members && FieldAddress.ComponentNamed(_parts, key) is { } component)
            {
                foreach (var member in members)
                {
                    Stage(component.Name + "." + member.Key, member.Value);
                }
                return;
            }
            if (StagedImporter.FieldIn(_target, key) is { } setting
                && (_importer ??= StagedImporter.FromAsset(_target)) != null)
            {
                _importer.Stage(setting, value);
                return;
            }
            key = _settings == null ? key : _settings.Key(key);
            var part = FieldAddress.PartOf(_parts, key, out var name);
            if (_settings != null && _settings.TryStage(name, value))
            {
                return;
            }
            if (part.Target is Material material
                && (_material ??= new StagedMaterial(_call, material)).TryStage(name, value))
            {
                ChangeTarget.RequireWritable(material);
                return;
            }
            if (_settings == null)
            {
                ChangeTarget.RequireWritable(part.Target, NameOfRoot(part.Target, name, value));
            }
            var serialized = SerializedOf(part.Target);
            if (TransformPlace.Has(part, name))
            {
                StagePlace(part, serialized, name, value);
                return;
            }
            StageField(part, FieldAddress.Find(serialized, part.Name, name), value);
        }

        private SerializedObject SerializedOf(Object target)
        {
            if (!_serialized.TryGetValue(target, out var serialized))
            {
                _serialized[target] = serialized = new SerializedObject(target);
            }
            return serialized;
        }

        private void StagePlace(ObjectPart part, SerializedObject serialized, string name, object value)
        {
            var fields = FieldFault.InField(part.Name + "." + name, () =>
                TransformPlace.FieldsFor((Transform)part.Target, name, value));
            foreach (var field in fields)
            {
                StageField(part, FieldAddress.Find(serialized, part.Name, field.Key), field.Value);
            }
        }

        /// <summary>Turns the object to a point of the world, from where its values will have put it.</summary>
        public void StageLookAt(Vector3 point)
        {
            var part = _parts.Find(candidate => candidate.Target is Transform)
                ?? throw ChangeTarget.Refused("look_at is for objects, and this is none.");
            var transform = (Transform)part.Target;
            ChangeTarget.RequireWritable(transform);
            var serialized = SerializedOf(transform);
            using var position = serialized.FindProperty("m_LocalPosition");
            var from = transform.parent == null ? position.vector3Value
                : transform.parent.TransformPoint(position.vector3Value);
            var fields = FieldFault.InField("look_at", () => TransformPlace.LookingAt(transform, from, point));
            StageField(part, serialized.FindProperty("m_LocalRotation"), fields["m_LocalRotation"]);
        }

        private void StageField(ObjectPart part, SerializedProperty property, object value)
        {
            if (property.propertyPath == "m_Name" && PrefabMode.AutoSavedWith(part.Target) is { } stage
                && stage.prefabContentsRoot == part.Target
                && !Equals(value, PrefabMode.FileNameOf(stage)))
            {
                throw new CommandRefused(
                    "would_ask",
                    "With a new name of the open prefab's root, Unity's Auto Save would ask in a dialog whether to "
                    + "rename its file too. Rename the file instead (move_asset), which renames the root. Nothing was "
                    + "changed.");
            }
            var field = new Field(part, property);
            if (_fields.Find(other =>
                other.Part.Target == part.Target
                && Overlap(other.Property.propertyPath, property.propertyPath)) is { } twice)
            {
                throw ChangeTarget.Refused(field.Name + " is given twice, also as " + twice.Name + " or a part of it.");
            }
            _fields.Add(field);
            Write(field, value);
            if (property.propertyType == SerializedPropertyType.Color && ColorText.RemarkOn(value) is { } remark)
            {
                _remarks.Add(remark);
            }
        }

        // The file's name, if this gives it to the open prefab's root; else null.
        private static string NameOfRoot(Object target, string field, object value)
        {
            var stage = field is "name" or "m_Name" ? PrefabStageUtility.GetCurrentPrefabStage() : null;
            var isLikeFile = stage != null && stage.prefabContentsRoot == target
                && Equals(value, PrefabMode.FileNameOf(stage));
            return isLikeFile ? (string)value : null;
        }

        public void StageAll(IDictionary<string, object> values)
        {
            var refusals = new Refusals();
            // The shader decides which properties a material has.
            foreach (var pair in values.OrderByDescending(pair => pair.Key is "shader" or "Material.shader"))
            {
                refusals.Try(() => Stage(pair.Key, pair.Value));
            }
            refusals.Throw();
            _members?.Check();
        }

        public void Apply(ChangeReport report) => Apply(report, null);

        /// <param name="newPath">Where the object will be saved, for one that is in no file yet: nothing of it is
        /// recorded for Undo, or left unsaved. Null for all others.</param>
        public void Apply(ChangeReport report, string newPath)
        {
            report.Touching(_target);
            foreach (var serialized in _serialized.Values)
            {
                if (newPath == null && _settings is not { IsOfProject: true })
                {
                    _call.Edits.Apply(serialized);
                }
                else
                {
                    serialized.ApplyModifiedPropertiesWithoutUndo();
                }
                serialized.Update();
            }
            foreach (var field in _fields.Where(field => field.IsStaged))
            {
                Report(field, report, newPath);
            }
            _remarks.ForEach(report.Remark);
            _material?.Apply(report, newPath);
            _importer?.Apply(report);
            _settings?.Apply(report,
                _fields.FindAll(field => field.IsStaged).ConvertAll(field => field.Property.propertyPath));
            if (newPath == null)
            {
                ApplyMembers(report);
            }
        }

        /// <summary>What is made of parts, which need a file to be in.</summary>
        public void ApplyMembers(ChangeReport report) => _members?.Apply(report);

        public void Dispose()
        {
            foreach (var field in _fields)
            {
                field.Property.Dispose();
            }
            foreach (var serialized in _serialized.Values)
            {
                serialized.Dispose();
            }
        }

        private void Write(Field field, object value)
        {
            var type = FieldValue.TypeOf(field.Property);
            try
            {
                field.IsStaged = FieldWriter.Write(_call, field.Property,
                    SettingsMembers.ValueFor(field.Property, HeadValue.ToStored(field.Property, value)));
            }
            catch (FieldFault fault)
            {
                throw ChangeTarget.Refused(
                    field.Name + fault.Message + " It is of type " + Quoted.Text(type) + " and is "
                    + Quoted.Text(JsonWriter.Write(field.Before)) + " now.");
            }
            if (!field.IsStaged)
            {
                return;
            }
            if (Unitys.Contains(field.Property.name) || !field.Property.editable)
            {
                throw ChangeTarget.Refused(
                    field.Name + " is read-only: Unity keeps it itself. It is of type " + Quoted.Text(type) + ".");
            }
            if (field.Property.name == "m_Name"
                && (EditorUtility.IsPersistent(field.Part.Target) || field.Part.Target == _call.File?.Root))
            {
                throw ChangeTarget.Refused(
                    "The name of " + ChangeTarget.PathOf(field.Part.Target)
                    + " is that of its file, and is changed with it.");
            }
        }

        // What a script's OnValidate has made of a value is what the field is now.
        private void Report(Field field, ChangeReport report, string newPath)
        {
            var after = FieldValue.ToJson(field.Property, ChangeReport.Depth);
            if (JsonWriter.Write(after) == JsonWriter.Write(field.Before) && !field.IsDeep)
            {
                throw ChangeTarget.Refused(field.Name + " cannot be set: Unity did not keep the value. "
                    + (PrefabUtility.IsPartOfPrefabInstance(field.Part.Target)
                        ? "An instance of a prefab cannot override it; change the prefab. "
                        : "")
                    + "It is " + Quoted.Text(JsonWriter.Write(after)) + " still.");
            }
            var path = newPath ?? ChangeTarget.PathOf(field.Part.Target);
            report.AddRead(path, field.Name, field.Before, () => ReadNow(field));
            if (newPath == null && _settings == null)
            {
                report.Touched(field.Part.Target);
            }
            if (field.Property.prefabOverride && !field.Property.isDefaultOverride)
            {
                report.Overrides(field.Part.Target, field.Name);
            }
            if (_settings == null && FieldAddress.IsHidden(field.Property.serializedObject, field.Property))
            {
                report.Remark(field.Name + " is hidden in the Inspector.");
            }
            if (field.Kept != null && JsonWriter.Write(field.Kept) != JsonWriter.Write(after))
            {
                report.Remark(field.Name + " was set, and then changed by the component itself (OnValidate).");
            }
        }

        private static object ReadNow(Field field)
        {
            field.Property.serializedObject.Update();
            return FieldValue.ToJson(field.Property, ChangeReport.Depth);
        }

        private static bool Overlap(string one, string other) =>
            one == other || one.Begins(other + ".")
            || other.Begins(one + ".");

        private sealed class Field
        {
            private bool _isStaged;

            public Field(ObjectPart part, SerializedProperty property)
            {
                Part = part;
                Property = property;
                Name = part.Name + "." + ObjectPart.FromUnity(property.propertyPath);
                Before = FieldValue.ToJson(property, ChangeReport.Depth);
            }

            public ObjectPart Part { get; }

            public SerializedProperty Property { get; }

            /// <summary>As <c>inspect</c> names it, with its component.</summary>
            public string Name { get; }

            public object Before { get; }

            /// <summary>As it was staged; null where nothing was.</summary>
            public object Kept { get; private set; }

            /// <summary>What is staged is deeper or longer than what is shown of it.</summary>
            public bool IsDeep { get; private set; }

            /// <summary>Whether its value is another one now.</summary>
            public bool IsStaged
            {
                get => _isStaged;
                set
                {
                    _isStaged = value;
                    Kept = value ? FieldValue.ToJson(Property, ChangeReport.Depth) : null;
                    IsDeep = value && JsonWriter.Write(Kept) == JsonWriter.Write(Before);
                }
            }
        }
    }
}
