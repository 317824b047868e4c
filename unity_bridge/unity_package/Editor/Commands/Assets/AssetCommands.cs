using System.IO;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Copies, moves and deletes assets and folders (SPEC §16.7). Nothing is overwritten. Main
    /// thread.</summary>
    internal static class AssetCommands
    {
        [BridgeCommand("copy_asset", "Copies an asset or a folder to a new path. No Undo.",
            Step = true,
            Keywords = "duplicate file")]
        private static JsonObject Copy(ChangeCall call, string path, string to)
        {
            to = WithName(to, path);
            Require(path, to, "copied");
            AssetPath.RequireSaved(path, false);
            return ChangeReport.InOneUndoGroup(call, "Copy " + path, null, report =>
            {
                AssetPath.MakeFolders(to, report);
                AssetPath.RequireFree(to);
                report.Files.Making(to);
                if (!AssetDatabase.CopyAsset(path, to))
                {
                    throw Failed("copy", path, "The console says why (read_console).");
                }
                report.Files.Done(to);
                report.Add(to, "path", null, to);
                report.Made = AssetDatabase.LoadMainAssetAtPath(to);
                RemarkCode(AssetPath.HasCode(to), report);
            });
        }

        [BridgeCommand("move_asset",
            "Moves or renames an asset or a folder; references stay. No Undo.", Step = true,
            Keywords = "rename file")]
        private static JsonObject Move(ChangeCall call, string path, string to)
        {
            to = WithName(to, path);
            Require(path, to, "moved");
            Refuse.WhereUnityAsks(Effect.Move, path);
            AssetPath.RequireSaved(path, false);
            return ChangeReport.InOneUndoGroup(call, "Move " + path, null, report =>
            {
                var hasCode = AssetPath.HasCode(path);
                var openBefore = PrefabStageUtility.GetCurrentPrefabStage()?.assetPath;
                AssetPath.MakeFolders(to, report);
                AssetPath.RequireFree(to);
                report.Files.Moving(path, to);
                // It answers with why it would not be moved, or "".
                var why = AssetDatabase.ValidateMoveAsset(path, to);
                why = string.IsNullOrEmpty(why) ? AssetDatabase.MoveAsset(path, to) : why;
                if (!string.IsNullOrEmpty(why))
                {
                    throw Failed("move", path, Quoted.Text(why));
                }
                report.Files.Moved(path, to);
                report.Add(to, "path", path, to);
                if (openBefore != PrefabStageUtility.GetCurrentPrefabStage()?.assetPath)
                {
                    RenameOpenRoot(report);
                }
                report.Made = AssetDatabase.LoadMainAssetAtPath(to);
                RemarkCode(hasCode, report);
            });
        }

        // The stage follows its file, and its root keeps its name, over which Unity would ask at the next save
        // (PrefabStage.OnAssetsChangedOnHDD).
        private static void RenameOpenRoot(ChangeReport report)
        {
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            var root = stage.prefabContentsRoot;
            var before = root.name;
            if (PrefabMode.RenameRootLikeFile(stage))
            {
                report.Add(ChangeTarget.PathOf(root), "GameObject.m_Name", before, root.name);
            }
        }

        [BridgeCommand("delete_asset",
            "Moves an asset or a folder to the system's trash. No Undo.",
            Keywords = "destroy file")]
        private static JsonObject Delete(ChangeCall call, string path)
        {
            AssetPath.RequireThere(path, "deleted");
            RequireEditModeFor(path);
            AssetPath.RequireSaved(path, true);
            Refuse.WhereUnityAsks(Effect.Delete, path);
            return ChangeReport.InOneUndoGroup(call, "Delete " + path, null, report =>
            {
                var hasCode = AssetPath.HasCode(path);
                // Where there is no trash it answers false and deletes nothing.
                if (!AssetDatabase.MoveAssetToTrash(path))
                {
                    throw Failed("delete", path,
                        "There may be no trash on this system. The console says why (read_console).");
                }
                report.Files.Note(path);
                report.Add(path, "path", path, null);
                report.Remark(path + " is in the system's trash.");
                RemarkCode(hasCode, report);
            });
        }

        // A folder takes the file's own name.
        private static string WithName(string to, string path) => to.Ends("/") ? to
            + path.Substring(path.LastIndexOf('/') + 1) : to;

        private static void Require(string path, string to, string what)
        {
            AssetPath.RequireThere(path, what);
            AssetPath.RequireNew(to);
            RequireEditModeFor(path);
            if (to.Begins(path + "/"))
            {
                throw ChangeTarget.Refused(Quoted.Text(path) + " cannot be " + what + " into itself.");
            }
            if (!Directory.Exists(WrittenFiles.OnDisk(path)) && Path.GetExtension(path) != Path.GetExtension(to))
            {
                throw ChangeTarget.Refused(
                    Quoted.Text(to) + " must end with " + Path.GetExtension(path) + ", as " + Quoted.Text(path)
                    + " does.");
            }
        }

        // Scenes' and prefabs' files are not changed in play mode, and a folder may have some.
        private static void RequireEditModeFor(string path)
        {
            var file = WrittenFiles.OnDisk(path);
            bool IsKept(string one) => Path.GetExtension(one) is ".unity" or ".prefab";
            if (EditorApplication.isPlaying
                && (IsKept(file) || (Directory.Exists(file) && FilesOnDisk.Walk(file).Any(IsKept))))
            {
                Refuse.OutsideEditMode("change files of scenes and prefabs");
            }
        }

        private static void RemarkCode(bool hasCode, ChangeReport report)
        {
            if (hasCode)
            {
                report.Remark(
                    "Scripts, assembly definitions or libraries are among these files, so Unity compiles. Call "
                    + "compile.");
            }
        }

        private static CommandRefused Failed(string what, string path, string why) =>
            Refuse.Failed("exception", "Unity did not " + what + " " + path + ". " + why);
    }
}
