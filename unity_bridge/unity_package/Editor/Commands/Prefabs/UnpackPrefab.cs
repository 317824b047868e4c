using UnityEditor;
using UnityBridge.Changes;
using UnityBridge.Json;
using UnityBridge.Objects;

namespace UnityBridge.Commands
{
    /// <summary>Makes plain objects of a prefab's instance (SPEC §16.7). Main thread.</summary>
    internal static class UnpackPrefab
    {
        [BridgeCommand("unpack_prefab",
            "Makes plain objects of a prefab's instance; completely: of those within it too. One undo step.",
            Keywords = "prefab instance")]
        private static JsonObject Run(ChangeCall call, string path, bool completely = false)
        {
            var target = call.FindObject(path, out var remark, PathUse.Whole);
            var root = PrefabCommands.RootOf(target);
            if (root != target)
            {
                throw ChangeTarget.Refused(ChangeTarget.PathOf(target) + " is a part of an instance. Unpack its root, "
                    + ChangeTarget.PathOf(root) + ".");
            }
            ChangeTarget.RequireWritable(root);
            var prefab = PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(root);
            return ChangeReport.InOneUndoGroup(call, "Unpack " + root.name, remark, report =>
            {
                var mode = completely ? PrefabUnpackMode.Completely : PrefabUnpackMode.OutermostRoot;
                // UserAction records Undo, and asks nothing (PrefabUtility.UnpackPrefabInstance, 2021.3 to 6000.7).
                PrefabUtility.UnpackPrefabInstance(root, mode, InteractionMode.UserAction);
                var after = PrefabUtility.GetOutermostPrefabInstanceRoot(root);
                if (after == root && completely)
                {
                    throw ChangeTarget.Refused("Unity did not unpack " + ChangeTarget.PathOf(root)
                        + ". The console says why (read_console).");
                }
                report.Add(ChangeTarget.PathOf(root), "prefab", prefab, after == null ? null
                    : PrefabUtility.GetPrefabAssetPathOfNearestInstanceRoot(after));
                report.Touched(root);
            });
        }
    }
}
