using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEditorInternal;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Tags, layers and sorting layers of the project, as the page Tags and Layers changes them
    /// (TagManagerInspector.cs, 2021.3 to 6000.7), but an
    /// object that is not active counts too. Main thread.</summary>
    internal static class TagsCommand
    {
        private const int MostObjects = 20;

        // Without it the running editor has the old sorting layers (2021.3 to 6000.7).
        private static readonly MethodInfo UpdateOrder =
            Members.Method(typeof(InternalEditorUtility), "UpdateSortingLayersOrder");

        [BridgeCommand("tags", "Lists, adds or removes a tag, layer or sorting_layer. index: which layer, or the "
            + "place of a sorting layer. force: removes one that objects use. No Undo.")]
        private static JsonObject Run(ChangeCall call, TagsAction action = TagsAction.list, string tag = null,
            string layer = null, string sorting_layer = null, int? index = null,
            bool force = false)
        {
            var file = SettingsObject.Tags;
            using var serialized = new SerializedObject(file.Target);
            if (action == TagsAction.list)
            {
                return Listed();
            }
            SettingsEdit.RequireWritable(file);
            var name = new[] { tag, layer, sorting_layer }.Where(text => text != null).ToList();
            if (name.Count != 1 || string.IsNullOrWhiteSpace(name[0]))
            {
                throw ChangeTarget.Refused("Give one name: tag, layer or sorting_layer.");
            }
            return ChangeReport.InOneUndoGroup(call, "Tags and layers", null, report =>
            {
                var field = tag != null ? ChangeTag(action, tag, force, serialized, report)
                    : layer != null ? ChangeLayer(action, layer, index, force, serialized, report)
                    : ChangeSortingLayer(action, sorting_layer, index, force, serialized, report);
                if (field != null)
                {
                    var isAdded = action == TagsAction.add;
                    report.Add(file.Path, field, isAdded ? null : name[0], isAdded ? name[0] : null);
                    SettingsEdit.Save(file, report);
                }
            });
        }

        private static JsonObject Listed() => new JsonObject
        {
            { "tags", InternalEditorUtility.tags },
            {
                "layers", InternalEditorUtility.layers.Select(name =>
                    new JsonObject { { "index", LayerMask.NameToLayer(name) }, { "name", name } }).ToList()
            },
            { "sorting_layers", SortingLayer.layers.Select(layer => layer.name).ToList() },
        };

        private static string ChangeTag(TagsAction action, string tag, bool force, SerializedObject serialized,
            ChangeReport report)
        {
            if (action == TagsAction.add && InternalEditorUtility.tags.Contains(tag))
            {
                return IsThere("tag", tag, report);
            }
            if (action == TagsAction.add)
            {
                InternalEditorUtility.AddTag(tag);
            }
            else
            {
                using var list = serialized.FindProperty("tags");
                RequireName(tag, Enumerable.Range(0, list.arraySize).Select(place =>
                {
                    using var entry = list.GetArrayElementAtIndex(place);
                    return entry.stringValue;
                }).Where(name => name != "").ToList());
                RequireUnused(tag, force, report, owner => owner.tag == tag);
                InternalEditorUtility.RemoveTag(tag);
            }
            return "tags";
        }

        private static string ChangeLayer(TagsAction action, string name, int? index, bool force,
            SerializedObject serialized, ChangeReport report)
        {
            var there = LayerMask.NameToLayer(name);
            if (action == TagsAction.add && there >= 0)
            {
                return IsThere("layer", name + " (" + there + ")", report);
            }
            // 0, 1, 2, 4 and 5 are Unity's own (TagManagerInspector.DrawLayerListElement).
            var own = Enumerable.Range(0, 32).Where(layer => layer == 3 || layer > 5).ToList();
            if (action == TagsAction.add)
            {
                var free = own.Where(layer => LayerMask.LayerToName(layer) == "").ToList();
                if (free.Count == 0 || (index is { } wanted && !free.Contains(wanted)))
                {
                    throw ChangeTarget.Refused((index == null ? "All layers have a name." : "Layer " + index
                        + " is not free.") + " The project's layers are 3 and 6 to 31; free are "
                        + (free.Count == 0 ? "none" : string.Join(", ", free)) + ".");
                }
                there = index ?? free[0];
            }
            else
            {
                RequireName(name, own.Select(LayerMask.LayerToName).Where(layer => layer != "").ToList());
                RequireUnused(name, force, report, owner => owner.layer == there);
            }
            using var layers = serialized.FindProperty("layers");
            using var entry = layers.GetArrayElementAtIndex(there);
            entry.stringValue = action == TagsAction.add ? name : "";
            serialized.ApplyModifiedPropertiesWithoutUndo();
            return "layers[" + there + "]";
        }

        private static string ChangeSortingLayer(TagsAction action, string name, int? index, bool force,
            SerializedObject serialized, ChangeReport report)
        {
            var layers = SortingLayer.layers.ToList();
            var at = layers.FindIndex(layer => layer.name == name);
            if (action == TagsAction.add && at >= 0)
            {
                return IsThere("sorting layer", name, report);
            }
            using var list = serialized.FindProperty("m_SortingLayers");
            if (action == TagsAction.add)
            {
                if (index is < 0 || index > layers.Count)
                {
                    throw ChangeTarget.Refused("index " + index + " is past the end: it goes from 0 to " + layers.Count
                        + ".");
                }
                list.arraySize = layers.Count + 1;
                using var added = list.GetArrayElementAtIndex(layers.Count);
                using var addedName = added.FindPropertyRelative("name");
                using var addedId = added.FindPropertyRelative("uniqueID");
                addedName.stringValue = name;
                // Any number that no other layer has, and not 0, which is Default's.
                addedId.longValue = layers.Max(layer => (long)layer.id) + 1;
                list.MoveArrayElement(layers.Count, index ?? layers.Count);
            }
            else
            {
                RequireName(name, layers.FindAll(layer => layer.id != 0).ConvertAll(layer => layer.name));
                RequireUnused(name, force, report, owner => owner.GetComponents(typeof(Component)).Any(part =>
                    part != null && Members.Get(part, "sortingLayerID") is int sorting
                        && sorting == layers[at].id));
                Tell("onLayerRemoved", layers[at]);
                list.DeleteArrayElementAtIndex(at);
            }
            serialized.ApplyModifiedPropertiesWithoutUndo();
            UpdateOrder?.Invoke(null, null);
            if (action == TagsAction.add)
            {
                Tell("onLayerAdded", SortingLayer.layers.First(layer => layer.name == name));
            }
            Tell("onLayerChanged");
            return "sorting_layers";
        }

        // The lights of 2D light a new layer only if they hear of it (Light2D.OnSortingLayerAdded of
        // com.unity.render-pipelines.universal). 2021.3 has onLayerChanged alone.
        private static void Tell(string callback, params object[] layers) =>
            Guard.Run(() => (Members.Get(typeof(SortingLayer), callback) as Delegate)
                ?.DynamicInvoke(layers));

        private static string IsThere(string kind, string name, ChangeReport report)
        {
            report.Remark("There is a " + kind + " " + Quoted.Text(name) + " already.");
            return null;
        }

        private static void RequireName(string name, List<string> own)
        {
            if (!own.Contains(name))
            {
                throw ChangeTarget.Refused(Quoted.Text(name) + " cannot be removed: it is not there, or Unity's own. "
                    + "The project has "
                    + (own.Count == 0 ? "none" : Cut.Names(own)) + " of its own.");
            }
        }

        private static void RequireUnused(string name, bool force, ChangeReport report, Func<GameObject, bool> uses)
        {
            report.Remark("Files were not searched: scenes and prefabs that are not open may use " + Quoted.Text(name)
                + ".");
            var users = OpenScenes.All().Where(open => open.Scene.isLoaded)
                .SelectMany(open => open.Scene.GetRootGameObjects())
                .SelectMany(root => root.GetComponentsInChildren(typeof(Transform), true))
                .Select(part => part.gameObject).Where(uses).ToList();
            if (users.Count > 0 && !force)
            {
                var refusal = Refusal.NotExecuted("in_use", users.Count + " objects use " + Quoted.Text(name)
                    + ". Change them first (set_fields), or give force: true.");
                refusal.Details["objects"] = Cut.List(users.Select(ChangeTarget.PathOf), MostObjects);
                throw new CommandRefused(refusal);
            }
        }
    }

    internal enum TagsAction
    {
        list,
        add,
        remove,
    }
}
