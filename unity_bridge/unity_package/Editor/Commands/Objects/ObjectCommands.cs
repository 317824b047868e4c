using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Commands
{
    /// <summary>Deletes and moves objects of scenes, with Undo.</summary>
    internal static class ObjectCommands
    {
        // From 2022.2 on an instance can have objects of its prefab removed, as an override.
        private static readonly bool InstancesCanLoseObjects =
            typeof(PrefabUtility).GetMethod("GetRemovedGameObjects") != null;

        [BridgeCommand("delete_object", "Deletes an object and all objects below it. One undo step.",
            Step = true,
            Keywords = "destroy gameobject")]
        private static JsonObject Delete(ChangeCall call, string path)
        {
            using var file = call.OpenObject(path, out var target, out var remark, PathUse.Whole);
            RequireNotTheRootOfAPrefab(call, target, "deleted");
            if (IsHeldByPrefab(target) && !InstancesCanLoseObjects)
            {
                throw HeldByPrefab(target, "deleted");
            }
            var oldPath = ChangeTarget.PathOf(target);
            var below = target.GetComponentsInChildren(typeof(Transform), true).Length - 1;
            var above = target.transform.parent;
            return ChangeReport.InOneUndoGroup(call, "Delete " + target.name, remark, report =>
            {
                report.Add(oldPath, "path", oldPath, null);
                report.Touched(target);
                if (above != null && IsHeldByPrefab(target))
                {
                    report.Overrides(above, "That " + oldPath + " is gone");
                }
                if (below > 0)
                {
                    report.Remark(below == 1
                        ? "One object below it was deleted with it."
                        : below + " objects below it were deleted with it.");
                }
                call.Edits.Destroy(target);
                if (target != null)
                {
                    throw ChangeTarget.Refused(
                        "Unity did not delete " + oldPath + ". The console says why (read_console).");
                }
            });
        }

        [BridgeCommand("move_object",
            "Moves an object below parent (as in create_object), to the end or to index. It stays where it is in the "
            + "world. One undo step.", Step = true,
            Keywords = "parent hierarchy gameobject")]
        private static JsonObject Move(ChangeCall call, string path, string parent, int? index = null)
        {
            var refusals = new Refusals();
            GameObject moved = null;
            string remark = null;
            Scene scene = default;
            using var file = refusals.Try(() => call.OpenObject(path, out moved, out remark, PathUse.Whole));
            var above = refusals.Try(() => call.FindParent(parent, out scene));
            refusals.Throw();
            RequireNotTheRootOfAPrefab(call, moved, "moved");
            if (IsHeldByPrefab(moved))
            {
                throw HeldByPrefab(moved, "moved");
            }
            if (above != null && above.transform.IsChildOf(moved.transform))
            {
                throw ChangeTarget.Refused(ChangeTarget.PathOf(moved) + " cannot be moved below itself.");
            }
            var transform = moved.transform;
            var stays = transform.parent == (above == null ? null : above.transform) && moved.scene == scene;
            var siblings = (above != null ? above.transform.childCount : scene.rootCount) - (stays ? 1 : 0);
            if (index is { } place && (place < 0 || place > siblings))
            {
                throw ChangeTarget.Refused("index " + place + " is past the end: it goes from 0 to " + siblings + ".");
            }
            var name = "Move " + moved.name;
            return ChangeReport.InOneUndoGroup(call, name, remark, report =>
            {
                var before = ChangeTarget.PathOf(moved);
                var indexBefore = transform.GetSiblingIndex();
                if (!stays)
                {
                    report.Touched(moved); // the scene that it leaves
                    call.Edits.Place(transform, above, scene, true, name);
                    transform.SetAsLastSibling();
                }
                if (index is { } wanted && wanted != transform.GetSiblingIndex())
                {
                    call.Edits.SetIndex(transform, wanted, name);
                }
                var after = ChangeTarget.PathOf(moved);
                if (stays
                    ? index is { } asked && transform.GetSiblingIndex() != asked
                    : transform.parent != (above == null ? null : above.transform))
                {
                    throw ChangeTarget.Refused(
                        "Unity did not move " + before + ". The console says why (read_console).");
                }
                if (after != before)
                {
                    report.Add(after, "path", before, after);
                }
                if (transform.GetSiblingIndex() != indexBefore)
                {
                    report.Add(after, "index", indexBefore, transform.GetSiblingIndex());
                }
                if (!stays || transform.GetSiblingIndex() != indexBefore)
                {
                    report.Touched(moved);
                    if (above != null)
                    {
                        report.Overrides(above, after);
                    }
                }
            });
        }

        // An object that belongs to its prefab. The root of the outermost instance, and what was added to an instance,
        // is free.
        private static bool IsHeldByPrefab(GameObject target) => PrefabUtility.IsPartOfPrefabInstance(target)
            && !PrefabUtility.IsOutermostPrefabInstanceRoot(target) && !PrefabUtility.IsAddedGameObjectOverride(target);

        private static CommandRefused HeldByPrefab(GameObject target, string what) =>
            ChangeTarget.Refused(ChangeTarget.PathOf(target)
            + " belongs to an instance of " + PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(target)
            + ", so it cannot be " + what
            + " there. Change the prefab, or unpack the instance (unpack_prefab).");

        private static void RequireNotTheRootOfAPrefab(ChangeCall call, GameObject target, string what)
        {
            if (call.File?.Root == target
                || (PrefabStageUtility.GetCurrentPrefabStage() is { } stage && stage.prefabContentsRoot == target))
            {
                throw ChangeTarget.Refused(
                    ChangeTarget.PathOf(target) + " is the root of its prefab and cannot be " + what + ".");
            }
        }
    }
}
