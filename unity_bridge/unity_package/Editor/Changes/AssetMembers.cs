using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.Animations;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>The members of an asset whose serialized fields nobody can set one by one, in the words that inspect
    /// prints: of an animator controller, and of an animation clip. All of a call is checked before the first change.
    /// Main thread.</summary>
    internal abstract class AssetMembers
    {
        private static readonly Dictionary<string, string> OtherNames = NameTable.Read(
            "field: property property_name", "component: type", "motion: clip", "from: from_state", "to: to_state");

        private readonly Object _target;
        private readonly JsonObject _values = new JsonObject();

        protected AssetMembers(ChangeCall call, Object target)
        {
            Call = call;
            _target = target;
        }

        protected ChangeCall Call { get; }

        protected abstract string[] Keys { get; }

        /// <summary>Null for an asset that has none.</summary>
        /// <param name="call">Null to look only.</param>
        public static AssetMembers ForObject(ChangeCall call, Object target) => target switch
        {
            AnimatorController controller => new AnimatorMembers(call, controller),
            AnimationClip clip => new ClipMembers(call, clip),
            _ => null,
        };

        /// <summary>As <c>inspect</c> prints them.</summary>
        public IEnumerable<JsonObject> Rows() => Shown().Select(member => FieldValue.Row(TypeNames.NameOf(_target),
            member.Key, member.Value is List<object> ? "list" : "value", member.Value));

        /// <summary>Takes a value; false for another key.</summary>
        public bool TryStage(string key, object value)
        {
            key = key.Replace(TypeNames.NameOf(_target) + ".", "");
            if (!Keys.Contains(key))
            {
                return false;
            }
            ChangeTarget.RequireWritable(_target);
            _values[key] = value;
            return true;
        }

        /// <summary>Once all values are there: throws <see cref="CommandRefused"/> for what cannot be.</summary>
        public void Check()
        {
            foreach (var key in Keys.Where(_values.ContainsKey))
            {
                FieldFault.InField(key, () => Plan(key, _values[key]));
            }
            CheckWhole();
        }

        /// <summary>Changes the asset, which is in a file by now, and saves that file alone.</summary>
        public void Apply(ChangeReport report)
        {
            if (_values.Count == 0)
            {
                return;
            }
            Refuse.WhereSavingAsks();
            var path = AssetDatabase.GetAssetPath(_target);
            // A call that fails puts the file back, and with it what a person has done in a window and not saved.
            if (AssetDatabase.LoadAllAssetsAtPath(path).Any(part => part != null && EditorUtility.IsDirty(part)))
            {
                Save();
            }
            var before = Shown();
            report.Files.Rewriting(path);
            report.Touching(_target);
            Write();
            Save();
            // Undo would take parts out of the asset in memory and leave them in its file.
            report.Files.RewrittenWithUndo(path);
            report.HasNoUndo(path + " was saved, without an Undo step.");
            var after = Shown();
            foreach (var key in Keys)
            {
                AddRows(report, path, key, before[key], after[key]);
            }
        }

        protected abstract JsonObject Shown();

        protected abstract void Plan(string key, object value);

        protected virtual void CheckWhole()
        {
        }

        protected abstract void Write();

        /// <summary>What makes a row of a list the same one.</summary>
        protected abstract string IdOf(JsonObject row);

        /// <summary>The rows of a list, of an object of rows by name, or one row by itself.</summary>
        /// <param name="first">The member that a value which is no object stands for.</param>
        protected List<JsonObject> RowsIn(object value, string first, params string[] members)
        {
            var rows = value switch
            {
                List<object> list => list.ConvertAll(item => item is string name && first != null
                    ? new JsonObject { { "name", name } } : FieldWriter.ObjectOf(item)),
                JsonObject row when members.Any(row.ContainsKey) && row.Values.Any(member => !(member is JsonObject)) =>
                    new List<JsonObject> { row },
                JsonObject named when first != null =>
                    named.Select(pair => Named(pair.Key, pair.Value, first)).ToList(),
                _ => throw FieldFault.MustBe("a list of objects with " + string.Join(", ", members), value),
            };
            var allowed = members.Append("remove").ToArray();
            rows = rows.ConvertAll(row => FieldWriter.MembersOf(Renamed(row, allowed), allowed));
            var twice = rows.GroupBy(IdOf).FirstOrDefault(group => group.Count() > 1);
            return twice == null ? rows : throw new FieldFault(" has " + Quoted.Text(twice.Key) + " twice.");
        }

        protected static bool IsRemoval(JsonObject row) => row.Flag("remove") == true;

        /// <summary>An asset by its path, its bare name if it has that extension, or as inspect prints
        /// references.</summary>
        protected Object AssetIn(object value, string type, string extension)
        {
            if (value is string text)
            {
                text = extension == null ? text : AssetNames.Find(text, extension, Call.Remarks);
                var end = text.LastIndexOf('/');
                // A part of a file, as in Assets/Hero.png/Hero_0.
                value = end > 0 && AssetDatabase.GetMainAssetTypeAtPath(text) == null
                    && AssetDatabase.GetMainAssetTypeAtPath(text.Substring(0, end)) != null
                    ? new JsonObject { { "path", text.Substring(0, end) }, { "name", text.Substring(end + 1) } }
                    : (object)text;
            }
            return ReferenceWriter.Resolve(Call, value, type, _target);
        }

        // Of the file only the main object's mark counts.
        private void Save()
        {
            EditorUtility.SetDirty(_target);
            AssetDatabase.SaveAssetIfDirty(_target);
        }

        // As code and other bridges name them.
        private static JsonObject Renamed(JsonObject row, string[] names)
        {
            var renamed = new JsonObject();
            foreach (var member in row)
            {
                var spelt = CommandDeclaration.SnakeCase(member.Key);
                var name = OtherNames.TryGetValue(spelt, out var other) ? other : spelt;
                renamed[names.Contains(member.Key) || row.ContainsKey(name) ? member.Key : name] = member.Value;
            }
            return renamed;
        }

        private static JsonObject Named(string name, object value, string first)
        {
            var row = value as JsonObject ?? new JsonObject { { value == null ? "remove" : first, value ?? true } };
            return new JsonObject(row) { ["name"] = name };
        }

        private void AddRows(ChangeReport report, string path, string key, object before, object after)
        {
            if (!(before is List<object> listBefore) || !(after is List<object> listAfter))
            {
                report.AddIfOther(path, key, before, after);
                return;
            }
            var rowsBefore = listBefore.Cast<JsonObject>().ToLookup(IdOf);
            var rowsAfter = listAfter.Cast<JsonObject>().ToLookup(IdOf);
            foreach (var id in rowsBefore.Concat(rowsAfter).Select(group => group.Key).Distinct())
            {
                report.AddIfOther(path, key + " " + id, rowsBefore[id].FirstOrDefault(),
                    rowsAfter[id].FirstOrDefault());
            }
        }

    }
}
