using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    public sealed partial class EditorApplication
    {
        /// <summary>Objects were made, destroyed, renamed or moved (EditorApplication.cs); it is raised in an update
        /// after that.</summary>
        public static event Action hierarchyChanged { add { World.HierarchyChanged += value;
            } remove { World.HierarchyChanged -= value; } }

        public static event Action projectChanged { add { World.ProjectChanged += value;
            } remove { World.ProjectChanged -= value; } }
    }

    public partial class AssetDatabase
    {
        /// <summary>Words of the name and t:Type; "" finds everything. (AssetDatabaseSearching.cs: a folder that is not
        /// there is a warning.)</summary>
        public static string[] FindAssets(string filter, string[] searchInFolders)
        {
            World.Read("AssetDatabase.FindAssets");
            Native.Editor.Say("find-assets " + filter);
            var folders = searchInFolders == null
                ? new[] { "" }
                : searchInFolders.Select(folder => folder + "/").ToArray();
            var words = filter.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
            return World.Assets.Where(asset => folders.Any(folder => asset.AssetPath.StartsWith(folder))
                && words.All(word => Fits(asset, word))).Select(asset => World.GuidOf(asset.AssetPath)).ToArray();
        }

        private static bool Fits(Object asset, string word)
        {
            return word.StartsWith("t:") ? (asset is SceneFile ? "Scene" : asset.GetType().Name) == word.Substring(2)
                : System.IO.Path.GetFileName(asset.AssetPath).IndexOf(word, StringComparison.OrdinalIgnoreCase) >= 0;
        }

        public static string GUIDToAssetPath(string guid)
        {
            World.Read("AssetDatabase.GUIDToAssetPath");
            Object asset;
            return World.AssetByGuid.TryGetValue(guid, out asset) ? asset.AssetPath : "";
        }

        public static Type GetMainAssetTypeAtPath(string assetPath)
        {
            World.Read("AssetDatabase.GetMainAssetTypeAtPath");
            Object asset;
            return World.AssetByPath.TryGetValue(assetPath, out asset) ? asset.GetType() : null;
        }

        public static Object LoadMainAssetAtPath(string assetPath)
        {
            World.Read("AssetDatabase.LoadMainAssetAtPath");
            Object asset;
            return World.AssetByPath.TryGetValue(assetPath, out asset)
                ? asset
                : UnityEngine.TextCore.Text.FontAsset.Main(assetPath);
        }

        public static string GetAssetPath(Object assetObject)
        {
            World.Read("AssetDatabase.GetAssetPath");
            return assetObject is Component ? ((Component)assetObject).Owner.AssetPath : assetObject.AssetPath;
        }

        // Of one level: the example on its page recurses
        // (docs.unity.com/en-us/engine/6000.0/script-reference/unityeditor/assetdatabase/getsubfolders).
        public static string[] GetSubFolders(string path)
        {
            World.Read("AssetDatabase.GetSubFolders");
            return World.Assets.OfType<Folder>().Select(folder => folder.AssetPath)
                .Where(folder => folder.StartsWith(path + "/", StringComparison.Ordinal)
                    && folder.IndexOf('/', path.Length + 1) < 0).ToArray();
        }

        public static bool IsValidFolder(string path)
        {
            World.Read("AssetDatabase.IsValidFolder");
            return path == "Assets" || path == "Packages"
                || World.Assets.Any(asset => asset is Folder && asset.AssetPath == path);
        }
    }

    public sealed class Selection
    {
        public static Object[] objects
        {
            get { World.Read("Selection.objects"); return World.Selected.ToArray(); }
            set { World.Read("Selection.objects"); Select(value.ToList()); }
        }

        /// <summary>A record of Undo, by a person or by code (users' reports; manual, Selection).</summary>
        internal static void Select(List<Object> selected)
        {
            var before = World.Selected;
            World.Selected = selected;
            if (!before.SequenceEqual(selected)) Undo.Record(() => World.Selected = before, "Selection Change");
        }

        public static Object activeObject
        {
            get { World.Read("Selection.activeObject"); return World.Selected.FirstOrDefault(); }
        }
    }

    /// <summary>Editor/Mono/GlobalObjectId.bindings.cs: type 1 an asset, 2 an object of a scene, 0 nothing, which an
    /// object has that is in no file.</summary>
    public struct GlobalObjectId
    {
        private string _guid;
        private long _localId;

        public int identifierType { get; private set; }

        public static GlobalObjectId GetGlobalObjectIdSlow(Object targetObject)
        {
            World.Read("GlobalObjectId.GetGlobalObjectIdSlow");
            var owner = targetObject is Component ? ((Component)targetObject).Owner : targetObject as GameObject;
            var file = targetObject.AssetPath.Length > 0
                ? targetObject.AssetPath
                : owner == null
                ? ""
                : owner.SceneFile;
            var isSaved = file.StartsWith("Assets/");
            return new GlobalObjectId
            {
                identifierType = !isSaved ? 0 : targetObject.AssetPath.Length > 0 ? 1 : 2,
                _guid = World.GuidOf(isSaved ? file : ""),
                _localId = isSaved ? targetObject.LocalId : 0,
            };
        }

        public override string ToString()
        {
            return "GlobalObjectId_V1-" + identifierType + "-" + _guid + "-" + _localId + "-0";
        }

        public static bool TryParse(string stringValue, out GlobalObjectId id)
        {
            id = new GlobalObjectId();
            var tokens = stringValue.Split('-');
            int type;
            long local;
            if (tokens.Length != 5 || tokens[0] != "GlobalObjectId_V1" || !int.TryParse(tokens[1], out type)
                || tokens[2].Length != 32
                || !long.TryParse(tokens[3], out local)) return false;
            id.identifierType = type;
            id._guid = tokens[2];
            id._localId = local;
            return true;
        }

        public static Object GlobalObjectIdentifierToObjectSlow(GlobalObjectId id)
        {
            World.Read("GlobalObjectId.GlobalObjectIdentifierToObjectSlow");
            return World.ById.Values.Concat(
                World.ById.Values.OfType<GameObject>().SelectMany(owner => owner.Components.Cast<Object>()))
                .FirstOrDefault(target => target != null && GetGlobalObjectIdSlow(target).ToString() == id.ToString());
        }
    }
}

namespace UnityEditor.SceneManagement
{
    using UnityEngine.SceneManagement;

    public partial class EditorSceneManager
    {
        internal static Scene GetDontDestroyOnLoadScene()
        {
            Native.RequireMainThread("EditorSceneManager.GetDontDestroyOnLoadScene");
            return Native.Playing ? new Scene("DontDestroyOnLoad") : new Scene();
        }
    }
}
