using System;
using System.Collections.Generic;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Tools;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>
    /// What one call of a changing command did: the rows of its answer, and remarks that a person would want to read. Main thread.
    /// </summary>
    internal sealed class ChangeReport
    {
        // ResultJson shows ten levels, and a row is three below its top.
        public const int Depth = 6;

        private readonly List<object> _changed = new List<object>();
        private readonly List<object> _remarks = new List<object>();

        /// <summary>Runs <paramref name="change"/> in one Undo group of its own. If it throws, everything in the group is undone.</summary>
        /// <param name="remark">A first remark, if something was changed; null for none.</param>
        public static JsonObject InOneUndoGroup(string name, string remark, Action<ChangeReport> change)
        {
            var report = new ChangeReport();
            Undo.IncrementCurrentGroup();
            Undo.SetCurrentGroupName(name);
            var group = Undo.GetCurrentGroup();
            try
            {
                change(report);
            }
            catch (Exception)
            {
                Undo.RevertAllDownToGroup(group);
                throw;
            }
            // Unity names a group after its last operation, and a script's OnValidate may have begun further groups.
            Undo.SetCurrentGroupName(name);
            Undo.CollapseUndoOperations(group);
            Undo.IncrementCurrentGroup();
            if (remark != null && report._changed.Count > 0)
            {
                report._remarks.Insert(0, remark);
            }
            return report.ToJson();
        }

        public void Add(string path, string field, object before, object after) => _changed.Add(new JsonObject
        {
            { "path", path }, { "field", field }, { "before", before }, { "after", after },
        });

        /// <summary>Adds a sentence, unless it is there already.</summary>
        public void Remark(string sentence)
        {
            if (!_remarks.Contains(sentence))
            {
                _remarks.Add(sentence);
            }
        }

        /// <summary>Adds the remarks that are true of every change of <paramref name="target"/>, and marks its scene dirty.</summary>
        public void Touched(Object target)
        {
            if (EditorUtility.IsPersistent(target))
            {
                Remark(AssetDatabase.GetAssetPath(target) + " has unsaved changes. save_all saves it.");
                return;
            }
            if (EditorApplication.isPlaying)
            {
                Remark("The editor is in play mode: Unity discards changes of scene objects when play mode ends.");
                return;
            }
            var owner = target is Component component ? component.gameObject : target as GameObject;
            if (owner != null)
            {
                EditorSceneManager.MarkSceneDirty(owner.scene);
            }
        }

        /// <summary>Adds a remark if <paramref name="target"/> is part of a prefab's instance.</summary>
        /// <param name="what">What differs from the prefab now.</param>
        public void Overrides(Object target, string what)
        {
            if (!EditorUtility.IsPersistent(target) && PrefabUtility.IsPartOfPrefabInstance(target))
            {
                Remark(what + " is an override of the prefab's instance. The prefab " + PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(target)
                    + " is unchanged.");
            }
        }

        private JsonObject ToJson()
        {
            var json = new JsonObject { { "changed", _changed } };
            if (_remarks.Count > 0)
            {
                json["remarks"] = _remarks;
            }
            return json;
        }
    }
}
