using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    internal static class ImportAssetsBulk
    {
        [BridgeCommand("import_assets_bulk",
            "Imports files and folders. force: also what has not changed.",
            Keywords = "reimport refresh")]
        private static JsonObject Run(ToolContext context, string[] paths, bool force = false)
        {
            Refuse.OutsideEditMode("import the assets");
            var projectPath = Path.GetDirectoryName(Application.dataPath);
            var missing = paths.Where(path => !IsAsset(projectPath, path)).ToList();
            if (paths.Length == 0 || missing.Count > 0)
            {
                throw Refuse.Argument(paths.Length == 0 ? "Name at least one path, as in Assets/Textures."
                    : "Not below Assets or Packages, or not there: " + string.Join(", ", missing.Take(5))
                    + ". Nothing was imported.", "missing", missing);
            }
            Refuse.WithChangedScenes(context);
            Import(projectPath, paths, force ? ImportAssetOptions.ForceUpdate : ImportAssetOptions.Default);
            // Of what is not there ImportAsset says nothing.
            var absent = paths.Where(
                path => IsInPackage(path) && AssetDatabase.GetMainAssetTypeAtPath(path) == null
                && !AssetDatabase.IsValidFolder(path.TrimEnd('/'))).ToList();
            if (absent.Count > 0)
            {
                throw Refuse.Failed("not_imported",
                    "Unity has no such assets in its packages: " + string.Join(", ", absent.Take(5))
                    + ". The others were imported.");
            }
            // Scripts among them compile in a later update, and reload the domain then.
            return new JsonObject { { "imported", paths.Length }, { "compiling", EditorApplication.isCompiling } };
        }

        private static void Import(string projectPath, IEnumerable<string> paths, ImportAssetOptions options)
        {
            AssetDatabase.StartAssetEditing();
            try
            {
                foreach (var path in paths)
                {
                    var isFolder = Directory.Exists(Path.Combine(projectPath, path));
                    AssetDatabase.ImportAsset(path, isFolder ? options | ImportAssetOptions.ImportRecursive : options);
                }
            }
            finally
            {
                // Without it the editor would never import anything again.
                AssetDatabase.StopAssetEditing();
            }
        }

        private static bool IsInPackage(string path) => path.Begins("Packages/");

        private static bool IsAsset(string projectPath, string path)
        {
            var isInside = (path + "/").Begins("Assets/") || IsInPackage(path);
            var whole = Path.Combine(projectPath, path);
            // A package's files may lie elsewhere.
            return isInside && path.IndexOf("..", System.StringComparison.Ordinal) < 0
                && (IsInPackage(path) || File.Exists(whole) || Directory.Exists(whole));
        }
    }
}
