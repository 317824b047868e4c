using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
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
    /// <summary>
    /// The import settings of a file by the names that code uses, <c>importer.textureType</c>: the public properties of
    /// its importer. They are set as a script would set them, since a property such as <c>textureType</c> sets more
    /// than its own field. Main thread.
    /// </summary>
    internal sealed class StagedImporter
    {
        public const string Name = "importer";

        // What these importers import is code.
        private static readonly string[] OfCode =
            "MonoImporter PluginImporter AssemblyDefinitionImporter AssemblyDefinitionReferenceImporter".Split(' ');

        private readonly AssetImporter _importer;
        private readonly string _path;
        private readonly List<KeyValuePair<PropertyInfo, object>> _values =
            new List<KeyValuePair<PropertyInfo, object>>();

        private SpriteSheet _sheet;

        private StagedImporter(AssetImporter importer, string path)
        {
            _importer = importer;
            _path = path;
        }

        /// <summary>Null for what has no import settings: an object of a scene, a folder, a part of a file.</summary>
        public static StagedImporter FromAsset(Object target)
        {
            var path = EditorUtility.IsPersistent(target) ? AssetDatabase.GetAssetPath(target) : null;
            var importer = string.IsNullOrEmpty(path) || AssetDatabase.LoadMainAssetAtPath(path) != target
                ? null
                : AssetImporter.GetAtPath(path);
            var staged = importer == null ? null : new StagedImporter(importer, path);
            return staged != null && staged.Properties().Any() ? staged : null;
        }

        /// <summary>The setting that a key names, as <c>importer.textureType</c>, <c>TextureImporter.textureType</c> or
        /// <c>textureType</c>; null for
        /// another field.</summary>
        public static string FieldIn(Object target, string key)
        {
            if (key.Begins(Name + "."))
            {
                return key.Substring(Name.Length + 1);
            }
            if (!(FromAsset(target) is { } importer))
            {
                return null;
            }
            var type = importer._importer.GetType().Name + ".";
            var setting = key.Begins(type) ? key.Substring(type.Length) : key;
            var isSetting = setting == SpriteSheet.Field
                ? importer._importer is TextureImporter
                : importer.Properties().Any(property => property.Name == setting);
            if (isSetting && setting != key)
            {
                return setting;
            }
            // What an importer makes has no other fields to set.
            return !HasField(target, key) && (isSetting || AssetDatabase.IsForeignAsset(target)) ? setting : null;
        }

        private static bool HasField(Object target, string key) =>
            target is Material || target is GameObject || FieldAddress.Serialized(target, key) != null;

        /// <summary>Takes a value, without <c>importer.</c> in front of the name.</summary>
        public void Stage(string name, object value)
        {
            if (OfCode.Contains(_importer.GetType().Name))
            {
                throw new CommandRefused(
                    "would_compile", "Another import setting of " + _path
                    + " makes Unity compile scripts. A person can change it in the Inspector.");
            }
            AssetPath.RequireThere(_path, "changed");
            if (UnsavedEditors.Imports().Contains(_path))
            {
                // The Inspector edits the importer itself, so an import would apply what a person has only tried
                // (AssetImporterEditor.cs 6000.7.0a1:424-428).
                throw new CommandRefused(
                    Refusal.NotExecuted("unsaved_scenes", "An Inspector has changed import settings of "
                    + _path + " and not applied them. Apply or revert them in Unity, then call again.")
                    .With("assets", new[] { _path }));
            }
            Refuse.WhereUnityAsks(Effect.Save | Effect.Import);
            ChangeTarget.RequireOpenForEdit(AssetDatabase.LoadMainAssetAtPath(_path));
            if (name == SpriteSheet.Field && _importer is TextureImporter texture)
            {
                _sheet = new SpriteSheet(texture);
                FieldFault.InField(Name + "." + name, () => _sheet.Stage(value));
                return;
            }
            var property = Properties().FirstOrDefault(candidate => candidate.Name == name);
            if (property == null)
            {
                throw ChangeTarget.Refused(
                    TypeNames.NameOf(_importer) + " has no setting " + Quoted.Text(name) + ". The nearest are "
                    + Spelling.Nearest(name, Properties().Select(candidate => candidate.Name)) + ".");
            }
            _values.Add(new KeyValuePair<PropertyInfo, object>(property, FieldFault.InField(Name + "." + name,
                () => Converted(value, property.GetValue(_importer, null)))));
        }

        /// <summary>Sets the values and imports the file once. Undo puts the settings back and imports again
        /// (Undo.RegisterImporterUndo).</summary>
        public void Apply(ChangeReport report)
        {
            if (_sheet == null && _values.TrueForAll(pair => Equals(pair.Key.GetValue(_importer, null), pair.Value)))
            {
                return;
            }
            // A setter may change other settings too: each that is another one afterwards has a row, those of the
            // call first.
            var names = _values.ConvertAll(pair => pair.Key).Union(Properties()).Select(property => property.Name);
            names = _sheet == null ? names : names.Prepend(SpriteSheet.Field);
            report.Files.Rewriting(_path + ".meta");
            report.Touching(_importer);
            Undo.RegisterImporterUndo(_path, "Import settings of " + _path);
            report.AddDifferences(_path, Name + ".", names, Shown, () => Set(report));
            report.Files.RewrittenWithUndo(_path + ".meta");
        }

        private void Set(ChangeReport report)
        {
            // It resets others, so it comes first.
            foreach (var one in _values.OrderByDescending(pair => pair.Key.Name == "textureType"))
            {
                var becomesSprite = one.Key.Name == "textureType" && one.Value.ToString() == "Sprite"
                    && !Equals(one.Key.GetValue(_importer, null), one.Value);
                one.Key.SetValue(_importer, one.Value, null);
                if (becomesSprite)
                {
                    MakeOneSprite(report);
                }
            }
            _sheet?.Apply(report);
            EditorUtility.SetDirty(_importer);
            _importer.SaveAndReimport();
        }

        // A texture that becomes a sprite is Multiple by default in Unity 6, and Single before. One that was a sprite
        // keeps its slices.
        private void MakeOneSprite(ChangeReport report)
        {
            if (_sheet != null || _values.Exists(value => value.Key.Name == "spriteImportMode"))
            {
                return;
            }
            var mode = _importer.GetType().GetProperty("spriteImportMode");
            mode.SetValue(_importer, Enum.Parse(mode.PropertyType, "Single"), null);
            report.Remark("spriteImportMode is Single: the texture is one sprite.");
        }

        /// <summary>Every setting, as <c>inspect</c> prints it.</summary>
        public IEnumerable<JsonObject> Rows()
        {
            var rows = Properties().Select(property => FieldValue.Row(Name, property.Name,
                property.PropertyType.IsEnum ? "Enum" : TypeNames.NameOf(property.PropertyType), Shown(property.Name)));
            return Slices() is { } slices ? rows.Append(FieldValue.Row(Name, SpriteSheet.Field, "list", slices)) : rows;
        }

        private List<object> Slices() => _importer is TextureImporter texture ? new SpriteSheet(texture).Shown() : null;

        private IEnumerable<PropertyInfo> Properties() =>
            _importer.GetType().GetProperties(BindingFlags.Instance | BindingFlags.Public)
            .Where(property => typeof(AssetImporter).IsAssignableFrom(property.DeclaringType)
                && property.DeclaringType != typeof(AssetImporter) && property.CanRead
                && property.GetSetMethod() != null
                && property.GetIndexParameters().Length == 0 && IsKnown(property.PropertyType)
                && !property.IsDefined(typeof(ObsoleteAttribute), true));

        private static bool IsKnown(Type type) =>
            type.IsEnum || type == typeof(bool) || type == typeof(int) || type == typeof(uint) || type == typeof(float)
            || type == typeof(string) || type == typeof(Vector2) || type == typeof(Vector4);

        private object Shown(string name) => name == SpriteSheet.Field ? Slices()
            : Properties().First(property => property.Name == name).GetValue(_importer, null) switch
            {
                Enum choice => choice.ToString(),
                float number => FieldValue.Real(number),
                Vector2 two => VectorValue.ToJson(two),
                Vector4 four => VectorValue.ToJson(four),
                var other => other,
            };

        private static object Converted(object value, object now) => now switch
        {
            Enum => CodeEnum.Member(now.GetType(), value),
            bool => FieldWriter.Flag(value),
            int => FieldWriter.Int(value),
            uint => (uint)FieldWriter.Whole(value, 0, uint.MaxValue),
            float => FieldWriter.Single(value),
            Vector2 two => VectorWriter.WholeVector2(value, two),
            Vector4 four => VectorWriter.WholeVector4(value, four),
            _ => FieldWriter.TextOf(value),
        };
    }
}
