using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Creates an object of a scene: an empty one, one of a kind, an instance of a prefab, or a copy (SPEC
    /// §16.7). Main thread.</summary>
    internal static class CreateObject
    {
        // Internal in all versions (PrefabUtility.bindings.cs 2021.3.58f1:352, 6000.7.0a1:432).
        private static readonly MethodInfo IsCycle = typeof(PrefabUtility).GetMethod(
            "CheckIfAddingPrefabWouldResultInCyclicNesting", Members.Any);

        [BridgeCommand("create_object",
            "Creates an object below parent (an object, a scene, or / for the active one), else at the root, "
            + "and a control on the first Canvas. kind: cube, sphere, capsule, cylinder, plane, quad, camera, "
            + "directional_light, point_light, spot_light, particle_system, audio_source, sprite, canvas, panel, text, "
            + "image, button, input_field, toggle, slider, event_system, 3d_text, empty; or prefab: its file; or "
            + "copy_of: an object. values as in set_fields. position, rotation and scale are local: [x, y, z]; "
            + "look_at: a path or point. One undo step; saves no scene.", Step = true,
            Keywords = "gameobject primitive spawn instantiate duplicate clone ui prefab particle audio")]
        private static JsonObject Create(
            ChangeCall call, string parent = null, string name = null, string kind = null,
            string prefab = null, string copy_of = null,
            string[] components = null, IDictionary<string, object> values = null, Vector3? position = null,
                Vector3? rotation = null, Vector3? scale = null,
            object look_at = null)
        {
            var refusals = new Refusals();
            var given = new[] { kind, prefab, copy_of }.Count(source => !string.IsNullOrEmpty(source));
            refusals.Try(() => _ = given <= 1 ? given
                : throw ChangeTarget.Refused("kind, prefab and copy_of exclude each other."));
            using var file = call.OpenFile(parent);
            var original = refusals.Try(() => OriginalAt(call, copy_of, file));
            Scene scene = default;
            var above = refusals.Try(() =>
            {
                if (original == null || !string.IsNullOrEmpty(parent))
                {
                    return call.FindParent(parent, out scene);
                }
                scene = original.scene;
                ChangeTarget.RequireWritable(original);
                return original.transform.parent == null ? null : original.transform.parent.gameObject;
            });
            var asset = refusals.Try(() => string.IsNullOrEmpty(prefab) ? null
                : PrefabAt(AssetNames.Find(prefab, ".prefab", call.Remarks), above));
            var point = refusals.Try(() => look_at == null ? (Vector3?)null : LookAt.PointOf(call, look_at));
            var recipe = refusals.Try(() => string.IsNullOrEmpty(kind) ? null : ObjectKind.Find(kind));
            var types = (components ?? new string[0])
                .Select(component => refusals.Try(() => ComponentTypes.Find(component))).ToList();
            refusals.Throw();
            var called = !string.IsNullOrEmpty(name) ? name : asset != null ? asset.name : original != null
                ? original.name : recipe?.Name
                ?? (string.IsNullOrEmpty(kind) ? null : "GameObject");
            if (string.IsNullOrEmpty(called))
            {
                throw ChangeTarget.Refused(
                    "name is a text that is not empty, unless kind, prefab or copy_of give one.");
            }
            var added = ComponentsToAdd(types, asset ?? original, recipe);
            return ChangeReport.InOneUndoGroup(call, "Create " + called, null, report =>
            {
                if (recipe is UiKind ui)
                {
                    above = ui.CanvasFor(call, above, scene, !string.IsNullOrEmpty(parent), report);
                }
                var created = original != null
                    ? Copy(original)
                    : asset != null
                    ? Instantiate(call, asset, scene)
                    : recipe != null
                    ? recipe.Create(call, scene, called)
                    : call.Edits.Create(scene, called);
                PutBelow(call, created, above, scene, isNew: asset == null && original == null);
                created.name = called;
                if (string.IsNullOrEmpty(name) && asset == null)
                {
                    GameObjectUtility.EnsureUniqueNameForSibling(created);
                }
                // What a component needs may have come with an earlier one.
                foreach (var type in added)
                {
                    ComponentCommands.AddTo(call, created, type);
                }
                SetPlace(created, position, rotation, scale,
                    isNew: asset == null && original == null && !(recipe is UiKind), recipe);
                report.Made = created;
                var path = ChangeTarget.PathOf(created);
                report.Add(path, "path", null, path);
                // A batch of two hundred names those that were asked for.
                if (call.Batch == null || added.Count > 0)
                {
                    report.Add(path, "components", null, ObjectNode.ComponentsOf(created));
                }
                recipe?.Remark(created, report);
                SetValues(call, created, recipe, values, point, report);
                RemarkOnPlace(above, position, report);
                report.Touched(created);
                if (above != null)
                {
                    report.Overrides(above, path);
                }
            });
        }

        private static GameObject OriginalAt(ChangeCall call, string path, PrefabFile file) =>
            string.IsNullOrEmpty(path) ? null : file == null ? call.FindObject(path, out _, PathUse.Read)
            : throw ChangeTarget.Refused(
                "copy_of copies within the scenes. Open the prefab (open_prefab), and copy there.");

        private static List<Type> ComponentsToAdd(List<Type> added, GameObject source, ObjectKind recipe)
        {
            var there = source == null
                ? new List<Type>()
                : source.GetComponents(typeof(Component)).Where(component => component != null)
                .Select(component => component.GetType())
                .ToList();
            there.AddRange(recipe?.Components ?? new List<Type>());
            foreach (var type in added)
            {
                ComponentTypes.RequireRoom(there, type);
                ComponentTypes.AddWithNeeded(there, type);
            }
            return added;
        }

        private static GameObject PrefabAt(string path, GameObject above)
        {
            if (!(AssetDatabase.LoadMainAssetAtPath(path) is GameObject asset))
            {
                throw ChangeTarget.Refused(
                    Quoted.Text(path) + " is no prefab. Give its file, as in Assets/Prefabs/Lamp.prefab.");
            }
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            if (above != null && above.scene.path == path)
            {
                throw ChangeTarget.Refused(
                    "A prefab cannot contain itself: " + path
                    + (stage?.assetPath == path ? " is open in prefab mode." : " is what is changed."));
            }
            RequireNoCycle(asset, above, stage);
            return asset;
        }

        // Unity saves no prefab that contains itself by way of another one, and says so only then.
        private static void RequireNoCycle(GameObject asset, GameObject above, PrefabStage stage)
        {
            var file = above == null ? stage?.assetPath : above.scene.path;
            var owner = string.IsNullOrEmpty(file) ? null : AssetDatabase.LoadMainAssetAtPath(file) as GameObject;
            if (owner != null && IsCycle?.Invoke(null, new object[] { owner, asset }) is true)
            {
                var path = AssetDatabase.GetAssetPath(asset);
                throw ChangeTarget.Refused(path + " contains " + file + ", so it cannot be put into it.");
            }
        }

        private static GameObject Instantiate(ChangeCall call, GameObject asset, Scene scene)
        {
            var created = PrefabUtility.InstantiatePrefab(asset, scene) as GameObject;
            if (created == null)
            {
                throw ChangeTarget.Refused(
                    "Unity did not create an instance of " + AssetDatabase.GetAssetPath(asset)
                    + ". The console says why (read_console).");
            }
            return call.Edits.Created(created);
        }

        // Edit > Duplicate: it works on the selection, records Undo, and keeps the connection to a prefab
        // (ClipboardUtility.DuplicateGameObject, Unsupported.bindings.cs, 2021.3 to 6000.7).
        private static GameObject Copy(GameObject original)
        {
            var selected = Selection.objects;
            try
            {
                Selection.objects = new UnityEngine.Object[] { original };
                Unsupported.DuplicateGameObjectsUsingPasteboard();
                var copy = Selection.activeObject as GameObject;
                return copy != null && copy != original ? copy
                    : throw ChangeTarget.Refused(
                        "Unity did not duplicate " + ChangeTarget.PathOf(original)
                        + ". The console says why (read_console).");
            }
            finally
            {
                Selection.objects = selected;
            }
        }

        /// <summary>Puts a new object where it was asked for, whatever the person's default parent is
        /// (ObjectFactory.CreateGameObject goes below that since 2022.2).</summary>
        /// <remarks>As GOCreationCommands.SetGameObjectParent (2021.3 to 6000.7): the layer is that of the parent, and
        /// below a RectTransform the object has one too. An instance or a copy keeps its own.</remarks>
        public static void PutBelow(ChangeCall call, GameObject created, GameObject above, Scene scene, bool isNew)
        {
            var transform = created.transform;
            call.Edits.Place(transform, above, scene, above == null && !isNew, "Create " + created.name);
            if (above == null || !isNew)
            {
                return;
            }
            foreach (var one in created.GetComponentsInChildren(typeof(Transform), true))
            {
                one.gameObject.layer = above.layer;
            }
            if (above.transform is RectTransform && !(transform is RectTransform))
            {
                call.Edits.AddComponent(created, typeof(RectTransform));
            }
        }

        private static void SetPlace(
            GameObject created, Vector3? position, Vector3? rotation, Vector3? scale, bool isNew, ObjectKind recipe)
        {
            var transform = created.transform;
            if (isNew || position != null)
            {
                transform.localPosition = position ?? new Vector3(0, 0, 0);
            }
            if ((rotation ?? recipe?.Rotation) is { } turn)
            {
                transform.localEulerAngles = turn;
            }
            if (scale is { } size)
            {
                transform.localScale = size;
            }
        }

        private static void RemarkOnPlace(GameObject above, Vector3? position, ChangeReport report)
        {
            if (position != null && above != null && above.transform.position.sqrMagnitude > 0)
            {
                report.Remark("position is local to " + ChangeTarget.PathOf(above) + ", which is not at the origin.");
            }
        }

        private static void SetValues(ChangeCall call, GameObject created, ObjectKind recipe,
            IDictionary<string, object> values, Vector3? point, ChangeReport report)
        {
            if ((values == null || values.Count == 0) && point == null)
            {
                return;
            }
            var own = new Dictionary<string, object>(values ?? new Dictionary<string, object>());
            if (own.TryGetValue("text", out var text) && recipe?.LabelOf(created) is { } label)
            {
                own.Remove("text");
                Set(call, label.gameObject,
                    new Dictionary<string, object> { { TypeNames.NameOf(label) + ".text", text } },
                    report);
            }
            Set(call, created, own, report, point);
        }

        private static void Set(ChangeCall call, GameObject target, IDictionary<string, object> values,
            ChangeReport report, Vector3? point = null)
        {
            using var staged = new StagedFields(call, target);
            staged.StageAll(values);
            if (point != null)
            {
                staged.StageLookAt(point.Value);
            }
            staged.Apply(report);
        }
    }
}
