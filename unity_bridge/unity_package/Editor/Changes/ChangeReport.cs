using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// What one call of a changing command did: the rows of its answer, and remarks that a person would want to read.
    /// Main thread.
    /// </summary>
    internal sealed class ChangeReport
    {
        // ResultJson shows ten levels, and a row is three below its top.
        public const int Depth = 6;

        private readonly ChangeCall _call;
        private readonly List<Object> _saved = new List<Object>();
        private readonly List<object> _changed = new List<object>();
        private readonly List<object> _remarks = new List<object>();
        private readonly List<KeyValuePair<JsonObject, Func<object>>> _reread =
            new List<KeyValuePair<JsonObject, Func<object>>>();
        private bool _isUndone = true;
        private PrefabStage _autoSaved;
        private bool _wasSaved;

        /// <param name="isBatch">Whether several commands report into it.</param>
        public ChangeReport(ChangeCall call, bool isBatch = false)
        {
            _call = call;
            Files = new WrittenFiles(isBatch);
        }

        /// <summary>The object or asset that this call has made, or moved; null for none.</summary>
        public Object Made { get; set; }

        /// <summary>Whether there is a row for anything.</summary>
        public bool HasChanges => _changed.Count > 0;

        /// <summary>What was done to files, which Undo does not reach.</summary>
        public WrittenFiles Files { get; }

        /// <summary>Runs <paramref name="change"/> in one Undo group of its own, or as a step in that of the batch. If
        /// it throws, everything in the group is taken back.</summary>
        /// <param name="remark">A first remark, if something was changed; null for none.</param>
        public static JsonObject InOneUndoGroup(
            ChangeCall call, string name, string remark, Action<ChangeReport> change)
        {
            if (call.Batch is { } batch)
            {
                var before = batch._changed.Count;
                batch.Make(change);
                if (remark != null && batch._changed.Count > before)
                {
                    batch.Remark(remark);
                }
                return null;
            }
            var report = new ChangeReport(call);
            report.Run(name, change);
            if (remark != null && report._changed.Count > 0)
            {
                report._remarks.Insert(0, remark);
            }
            return report.ToJson(new JsonObject());
        }

        /// <summary>Runs several commands in one Undo group, all or nothing.</summary>
        /// <param name="answer">What stands before the report in the answer, asked at the end.</param>
        public static JsonObject OfBatch(
            ChangeCall call, string name, Action<ChangeReport> steps, Func<JsonObject> answer)
        {
            var report = call.Batch = new ChangeReport(call, true);
            try
            {
                report.Run(name, steps);
                return report.ToJson(answer());
            }
            finally
            {
                call.Batch = null;
            }
        }

        private void Run(string name, Action<ChangeReport> change)
        {
            _wasSaved = UnsavedWork.FindPrefab().Count == 0;
            var selected = Selection.objects;
            var clean = Enumerable.Range(0, SceneManager.sceneCount).Select(SceneManager.GetSceneAt)
                .Where(scene => !scene.isDirty).ToList();
            // What was recorded and not written yet belongs to a person's step, and must not come into our group.
            Undo.FlushUndoRecordObjects();
            Undo.IncrementCurrentGroup();
            name = UndoSteps.NewName(name);
            Undo.SetCurrentGroupName(name);
            var group = Undo.GetCurrentGroup();
            try
            {
                Make(change);
                SavePrefab();
                Files.RegisterUndo();
            }
            catch (Exception failure)
            {
                TakeBack(group, clean, selected);
                if (this != _call.Batch && Files.Stays.Count > 0)
                {
                    throw new CommandRefused(WithStays(CommandFailure.RefusalOf(name, failure)));
                }
                throw;
            }
            finally
            {
                Files.End();
            }
            // Unity names a group after its last operation, and a script's OnValidate may have begun further groups.
            Undo.SetCurrentGroupName(name);
            Undo.CollapseUndoOperations(group);
            Undo.IncrementCurrentGroup();
            if (_changed.Count > 0)
            {
                UndoSteps.Note(name, _isUndone && Files.HaveUndo);
            }
        }

        // Everything is as it was before the call, but what Files names: also whether scenes, the open prefab and
        // assets are saved, and what is selected.
        private void TakeBack(int group, List<Scene> clean, Object[] selected)
        {
            Files.NoteForeign();
            Guard.Run(() => Undo.RevertAllDownToGroup(group));
            Files.TakeBack();
            if (_autoSaved != null && _wasSaved)
            {
                _autoSaved.ClearDirtiness();
            }
            foreach (var scene in clean.Where(scene => scene.IsValid()))
            {
                UnsavedWork.Forget(scene);
            }
            foreach (var asset in _saved.Where(asset => asset != null && EditorUtility.IsDirty(asset)))
            {
                EditorUtility.ClearDirty(asset);
            }
            if (!selected.SequenceEqual(Selection.objects))
            {
                Selection.objects = selected;
            }
        }

        private Refusal WithStays(Refusal refusal) =>
            new Refusal(refusal.Code, refusal.Message + " Not taken back: " + Files.StaysInWords + ".",
                refusal.Details);

        // Within a batch, when its next step means another file.
        private void SaveFile()
        {
            if (_call.File is { } file && _call.Batch != null)
            {
                file.IsChanged = true;
            }
            else if (_call.File is { } only && only.Save(this) is { } saved && Made != null
                && saved.TryGetValue(Made, out var made))
            {
                Made = made;
            }
        }

        /// <summary>Saves the prefab's file that is open, and closes it.</summary>
        /// <param name="saved">Takes the objects of the file, by those that were changed.</param>
        public void CloseFile(Action<Dictionary<Object, Object>> saved)
        {
            var file = _call.File;
            try
            {
                if (file is { IsChanged: true })
                {
                    saved(file.Save(this));
                }
            }
            finally
            {
                file?.Close();
            }
        }

        // At once, instead of within 0.2 s: so the answer knows what came of it, and Auto Save finds nothing to do, or
        // to ask.
        private void SavePrefab()
        {
            if (_autoSaved == null)
            {
                return;
            }
            Refuse.For(PrefabMode.WhyNotSavable(_autoSaved));
            Files.Rewriting(_autoSaved.assetPath);
            UnsavedWork.SavePrefab();
            if (_autoSaved.scene.isDirty)
            {
                throw ChangeTarget.Refused(
                    "Unity could not save " + _autoSaved.assetPath
                    + ", which is open with Auto Save. The console says why (read_console).");
            }
            Files.RewrittenWithUndo(_autoSaved.assetPath);
            Remark(_autoSaved.assetPath
                + " was saved: Unity saves the open prefab after each change, and after an Undo (Auto Save).");
        }

        // One that did nothing saves no prefab's file.
        private void Make(Action<ChangeReport> change)
        {
            var before = _changed.Count;
            change(this);
            if (_changed.Count > before)
            {
                SaveFile();
            }
        }

        public void Add(string path, string field, object before, object after) =>
            Add(new JsonObject { { "path", path }, { "field", field }, { "before", before }, { "after", after } });

        public void Add(JsonObject row) => _changed.Add(row);

        /// <summary>Adds a row whose value can be read again later.</summary>
        public void AddRead(string path, string field, object before, Func<object> after)
        {
            Add(path, field, before, after());
            _reread.Add(new KeyValuePair<JsonObject, Func<object>>((JsonObject)_changed[_changed.Count - 1], after));
        }

        /// <summary>Adds a row unless the two values are the same.</summary>
        public void AddIfOther(string path, string field, object before, object after)
        {
            if (IsOther(before, after))
            {
                Add(path, field, before, after);
            }
        }

        /// <summary>Carries out a change, and adds a row for each of these values that is another one after
        /// it.</summary>
        /// <returns>Whether there is such a row.</returns>
        public bool AddDifferences(
            string path, string prefix, IEnumerable<string> names, Func<string, object> read, Action change)
        {
            var before = names.ToDictionary(name => name, read);
            change();
            var others = before.Where(pair => IsOther(pair.Value, read(pair.Key))).ToList();
            others.ForEach(pair => AddRead(path, prefix + pair.Key, pair.Value, () => read(pair.Key)));
            return others.Count > 0;
        }

        private static bool IsOther(object before, object after) => JsonWriter.Write(before) != JsonWriter.Write(after);

        /// <summary>Reports what is true now, with a remark on each value that is another one than it was when its
        /// row was added.</summary>
        /// <param name="what">What follows the field's name in the remark.</param>
        public void ReadAgain(string what)
        {
            foreach (var pair in _reread)
            {
                var now = pair.Value();
                if (IsOther(pair.Key["after"], now))
                {
                    pair.Key["after"] = now;
                    Remark(pair.Key["field"] + what);
                }
            }
        }

        /// <summary>Adds a sentence, unless it is there already.</summary>
        public void Remark(string sentence)
        {
            if (!_remarks.Contains(sentence))
            {
                _remarks.Add(sentence);
            }
        }

        /// <summary>Something was changed that Undo does not reach.</summary>
        public void HasNoUndo(string remark)
        {
            _isUndone = false;
            Remark(remark);
        }

        /// <summary>Adds the rows and remarks of another report.</summary>
        public void Take(ChangeReport other)
        {
            _changed.AddRange(other._changed);
            foreach (string remark in other._remarks)
            {
                Remark(remark);
            }
        }

        /// <summary>Before an asset is changed in memory: if the call fails, it is saved again if it was.</summary>
        public void Touching(Object target)
        {
            if (EditorUtility.IsPersistent(target) && !EditorUtility.IsDirty(target))
            {
                _saved.Add(target);
            }
        }

        /// <summary>Adds the remarks that are true of every change of <paramref name="target"/>, and marks its scene
        /// dirty.</summary>
        public void Touched(Object target)
        {
            if (_call.Holds(target))
            {
                return;
            }
            if (EditorUtility.IsPersistent(target))
            {
                Remark(AssetDatabase.GetAssetPath(target) + " has unsaved changes. save_all saves it.");
                return;
            }
            var owner = ObjectPart.OwnerOf(target);
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            var isInStage = stage != null && owner != null && owner.scene == stage.scene;
            _autoSaved = isInStage ? PrefabMode.AutoSavedWith(owner) : _autoSaved;
            if (EditorApplication.isPlaying && !isInStage)
            {
                Remark("The editor is in play mode: Unity discards changes of scene objects when play mode ends.");
                return;
            }
            if (owner != null)
            {
                EditorSceneManager.MarkSceneDirty(owner.scene);
                _call.HasChangedScene = true;
            }
        }

        /// <summary>Adds a remark if <paramref name="target"/> is part of a prefab's instance.</summary>
        /// <param name="what">What differs from the prefab now.</param>
        public void Overrides(Object target, string what)
        {
            if (!EditorUtility.IsPersistent(target) && PrefabUtility.IsPartOfPrefabInstance(target))
            {
                Remark(what + " is an override of the prefab's instance. The prefab "
                    + PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(target)
                    + " is unchanged.");
            }
        }

        private JsonObject ToJson(JsonObject json)
        {
            json["changed"] = _changed;
            if (Files.Paths.Count > 0)
            {
                json["written"] = Files.Paths;
            }
            if (!Files.HaveUndo)
            {
                Remark("Undo does not take back what was done to the files in written.");
            }
            json["undo"] = _isUndone && Files.HaveUndo;
            if (_remarks.Count > 0)
            {
                json["remarks"] = _remarks;
            }
            return json;
        }
    }
}
