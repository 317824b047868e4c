using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Changes
{
    /// <summary>Where files may be made, moved and deleted. Each method throws <see cref="CommandRefused"/>. Main
    /// thread.</summary>
    /// <remarks>CreateAsset, SaveAsPrefabAsset and SaveScene overwrite what is there without a word (manual of each),
    /// so nothing is written without <see cref="RequireFree"/> right before it.</remarks>
    internal static class AssetPath
    {
        // A file system takes 255, and the .meta has five more.
        private const int MostNameBytes = 250;

        private static readonly string[] Code =
            ".cs .asmdef .asmref .dll .rsp".Split(' ');

        /// <summary>A path that nothing has, below a folder that can be changed.</summary>
        public static void RequireNew(string path)
        {
            RequireSound(path);
            NewPath.RequireGoodNames(path);
            RequireFree(path);
            RequireNoLinks(path);
        }

        /// <summary>Refuses a path that has a file, a folder, a .meta or an asset, in whatever case and however its
        /// letters are composed.</summary>
        public static void RequireFree(string path)
        {
            var parent = "";
            foreach (var segment in path.Split('/'))
            {
                var folder = WrittenFiles.OnDisk(parent);
                var part = parent.Length == 0 ? segment : parent + "/" + segment;
                var isLast = part.Length == path.Length;
                var names = Directory.Exists(folder)
                    ? Directory.EnumerateFileSystemEntries(folder).Select(Path.GetFileName)
                    : new string[0];
                var match = names.FirstOrDefault(
                    name => isLast ? IsSameName(name, segment) || IsSameName(name, segment + ".meta")
                    : IsSameName(name, segment) && !IsTheFolder(name, segment, part));
                var isTaken = isLast && (
                    WrittenFiles.IsThere(path) || AssetDatabase.GetMainAssetTypeAtPath(path) != null);
                if (match != null || isTaken)
                {
                    throw new CommandRefused(
                        "exists", "There is " + Quoted.Text((parent + "/" + (match ?? segment)).Trim('/'))
                        + " already. "
                        + (isLast ? "Choose another name, or change what is there." : "Write its name in that case."));
                }
                parent = part;
            }
        }

        // Where the file system finds a folder whose letters are composed in another way, it is the same one.
        private static bool IsTheFolder(string name, string segment, string path) =>
            name == segment || (Composed(name) == Composed(segment) && Directory.Exists(WrittenFiles.OnDisk(path)));

        /// <summary>Makes the folders that are missing above a path, and reports them.</summary>
        public static void MakeFolders(string path, ChangeReport report)
        {
            var end = path.LastIndexOf('/');
            var folder = end < 0 ? "" : path.Substring(0, end);
            if (folder.Length > 0 && !AssetDatabase.IsValidFolder(folder))
            {
                MakeFolders(folder, report);
                MakeFolder(folder, report);
            }
        }

        /// <summary>Unity appends a number to a name that is there, and answers "" if it made nothing.</summary>
        public static void MakeFolder(string path, ChangeReport report)
        {
            // On disk, and not imported yet: a file of that name is never a folder.
            if (File.Exists(WrittenFiles.OnDisk(path)))
            {
                throw new CommandRefused(
                    "exists", "There is a file " + Quoted.Text(path) + " where a folder is needed.");
            }
            if (Directory.Exists(WrittenFiles.OnDisk(path)))
            {
                AssetDatabase.ImportAsset(path);
                return;
            }
            report.Files.Making(path);
            var end = path.LastIndexOf('/');
            var guid = AssetDatabase.CreateFolder(path.Substring(0, end), path.Substring(end + 1));
            if (string.IsNullOrEmpty(guid) || AssetDatabase.GUIDToAssetPath(guid) != path)
            {
                throw Refuse.Failed("exception",
                    "Unity did not make the folder " + Quoted.Text(path) + ". The console says why (read_console).");
            }
            report.Files.Done(path);
            report.Add(path, "path", null, path);
        }

        /// <summary>A file or folder that is there and can be moved or deleted.</summary>
        public static void RequireThere(string path, string what)
        {
            RequireSound(path);
            if (path.Split('/').Length < 2 || AssetDatabase.GetMainAssetTypeAtPath(path) == null)
            {
                throw ChangeTarget.Refused("There is no asset " + Quoted.Text(path) + " that can be " + what + ".");
            }
            RequireNoLinks(path);
        }

        /// <summary>Whether moving or deleting it makes Unity compile scripts.</summary>
        public static bool HasCode(string path)
        {
            var file = WrittenFiles.OnDisk(path);
            return Directory.Exists(file) ? FilesOnDisk.Walk(file).Any(IsCode) : IsCode(path);
        }

        /// <summary>Refuses what has unsaved changes at a path or below it, and, where it is to be deleted, what is
        /// open.</summary>
        public static void RequireSaved(string path, bool isDeleted)
        {
            bool IsBelow(string one) => one == path || one.Begins(path + "/");
            var scenes = UnsavedWork.Find().Where(IsBelow).ToList();
            var assets = UnsavedWork.FindAssets().Union(UnsavedEditors.Imports()).Where(IsBelow).ToList();
            if (scenes.Count + assets.Count > 0)
            {
                throw new CommandRefused(
                    Refusal.NotExecuted("unsaved_scenes",
                        "Save first (save_all): unsaved changes would be lost or left behind. They are in "
                    + Cut.Names(scenes.Concat(assets)) + ".").With("scenes", scenes).With("assets", assets));
            }
            var open = Enumerable.Range(0, SceneManager.sceneCount).Select(place => SceneManager.GetSceneAt(place).path)
                .Concat(new[] { PrefabStageUtility.GetCurrentPrefabStage()?.assetPath })
                .FirstOrDefault(candidate => candidate != null && IsBelow(candidate));
            if (isDeleted && open != null)
            {
                throw new CommandRefused(
                    Refusal.NotExecuted("unsaved_scenes",
                        Quoted.Text(open) + " is open. Open another scene, or close the prefab, first.")
                    .With("scenes", new[] { open }));
            }
        }

        private static bool IsCode(string file) => Code.Contains(Path.GetExtension(file).ToLowerInvariant());

        private static void RequireSound(string path)
        {
            var segments = (path ?? "").Split('/');
            var isWithin = segments[0] == "Assets" || (segments[0] == "Packages" && segments.Length > 2);
            if (!isWithin || segments.Any(IsUnsound))
            {
                var named = isWithin ? new List<string>() : AssetNames.FilesNamed(path ?? "");
                var advice = named.Count > 0 ? "There is " + string.Join(", ", named.Select(Quoted.Text))
                    + ": give that path."
                    : !isWithin && (path ?? "").Length > 0 ? "Write Assets/" + Quoted.Text(path.TrimStart('/')) + "."
                    : "It has / between the names, and no name that Unity does not import (one with a dot at its "
                    + "beginning, or ~ at its end).";
                throw ChangeTarget.Refused(Quoted.Text(path) + " is no path of an asset. " + advice);
            }
            if (segments[0] == "Packages"
                && UnsavedWork.ChangeablePackages().All(package => package.assetPath != "Packages/" + segments[1]))
            {
                throw ChangeTarget.Refused(
                    "Packages/" + Quoted.Text(segments[1]) + " is no package of this project that can be changed.");
            }
        }

        private static bool IsUnsound(string segment) =>
            segment.Length == 0 || Encoding.UTF8.GetByteCount(segment) > MostNameBytes || segment.Trim(' ') != segment
            || segment[0] == '.' || segment[segment.Length - 1] is '.' or '~'
            || segment.EndsWith(".meta", StringComparison.OrdinalIgnoreCase)
            || segment.Any(c => c < ' ' || "\\:*?\"<>|".IndexOf(c) >= 0);

        private static void RequireNoLinks(string path) =>
            NewPath.RequireNoLinks(path, path.Begins("Packages/") ? 2 : 0);

        // Some file systems compare names so, and on the others it still is one name for two files.
        private static bool IsSameName(string name, string other) =>
            Composed(name).EqualsAnyCase(Composed(other));

        private static string Composed(string name)
        {
            try
            {
                return name.Normalize(NormalizationForm.FormC);
            }
            catch (ArgumentException)
            {
                return name; // it is no text
            }
        }
    }
}
