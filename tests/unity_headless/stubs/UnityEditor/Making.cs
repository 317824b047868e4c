using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using UnityEngine.SceneManagement;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    public enum InteractionMode { AutomatedAction, UserAction }

    public struct ShaderInfo { public string name { get; internal set; } }

    public static class ShaderUtil
    {
        public static ShaderInfo[] GetAllShaderInfo()
        {
            return Shader.All.Select(one => new ShaderInfo { name = one.RawName }).ToArray();
        }
        public static bool ShaderHasError(Shader s) { return s.HasError; }
    }

    public class MonoScript : TextAsset
    {
        /// <summary>Null for a class that is in no file of its name
        /// (Editor/Mono/Scripting/MonoScript.bindings.cs).</summary>
        public static MonoScript FromScriptableObject(ScriptableObject scriptableObject)
        {
            Native.RequireMainThread("MonoScript.FromScriptableObject");
            return scriptableObject.GetType().Name == "Stray" ? null : new MonoScript();
        }
    }

    public sealed partial class EditorSettings : Object
    {
        public static bool prefabModeAllowAutoSave { get { return !Native.Editor.Quirk("no-auto-save"); } }
    }

    public static class GameObjectUtility
    {
        /// <summary>"Cube (1)" if a sibling is named Cube (EditorSettings.gameObjectNamingScheme is SpaceParenthesis by
        /// default).</summary>
        public static void EnsureUniqueNameForSibling(GameObject self)
        {
            World.Read("GameObjectUtility.EnsureUniqueNameForSibling");
            var siblings = (self.Own.Above == null
                ? World.RootsOf(self.SceneFile)
                : self.Own.Above.Children.Select(one => one.Owner).ToArray())
                .Where(one => !ReferenceEquals(one, self)).Select(one => one.RawName).ToList();
            var stem = System.Text.RegularExpressions.Regex.Replace(self.RawName, @" \(\d+\)$", "");
            if (!siblings.Contains(self.RawName)) return;
            self.SetName(stem + " ("
                + Enumerable.Range(1, 100000).First(i => !siblings.Contains(stem + " (" + i + ")")) + ")");
        }
    }

    public static partial class Unsupported
    {
        /// <summary>Edit > Duplicate: of the selection, with Undo; the copies are selected then
        /// (Unsupported.bindings.cs, ClipboardUtility.cs).</summary>
        public static void DuplicateGameObjectsUsingPasteboard()
        {
            World.Read("Unsupported.DuplicateGameObjectsUsingPasteboard");
            var copies = World.Selected.Cast<GameObject>().Select(World.Duplicate).ToList();
            foreach (var copy in copies)
            {
                GameObjectUtility.EnsureUniqueNameForSibling(copy);
                Undo.RegisterCreatedObjectUndo(copy, "Duplicate");
            }
            Selection.Select(copies.Cast<Object>().ToList());
        }
    }

    public static class Making
    {
        internal static string FileOf(string path)
        {
            return Path.Combine(Path.GetDirectoryName(Native.Editor.DataPath), path);
        }

        /// <summary>Each asset and folder has a .meta file next to it, from its import on (manual, "Asset metadata");
        /// it is moved, copied and deleted with it.</summary>
        internal static void WriteMeta(string path)
        {
            if (!File.Exists(FileOf(path) + ".meta"))
            {
                File.WriteAllText(FileOf(path) + ".meta", "guid: " + World.GuidOf(path));
            }
        }

        internal static void DeleteMeta(string path) { File.Delete(FileOf(path) + ".meta"); }

        internal static void RequireFolder(string path)
        {
            var folder = path.Substring(0, Math.Max(0, path.LastIndexOf('/')));
            if (!Directory.Exists(FileOf(folder)))
            {
                throw new UnityException("Creating asset at path " + path + " failed.");
            }
        }
    }

    public partial class AssetDatabase
    {
        /// <summary>Writes and imports at once, and deletes what is there first, without a word (manual). The folder
        /// has to be there.</summary>
        public static void CreateAsset(Object asset, string path)
        {
            World.Read("AssetDatabase.CreateAsset");
            if (asset is GameObject) throw new ArgumentException("Use PrefabUtility to create prefabs.");
            if (EditorUtility.IsPersistent(asset)) throw new UnityException("The object is an asset already.");
            if (asset is Material != path.EndsWith(".mat"))
            {
                Debug.LogError("'.mat' is the extension of materials alone: " + path);
            }
            Making.RequireFolder(path);
            Native.Editor.Say("create-asset " + path);
            if (Native.Editor.Quirk("create-asset-throws"))
            {
                throw new UnityException("thrown while " + path + " was created");
            }
            Native.Editor.DiskAt("at-create");
            File.WriteAllText(Making.FileOf(path), "%YAML " + asset.GetType().Name + " " + asset.RawName);
            World.Add(path, asset);
            Making.WriteMeta(path);
            LikeUrp.Imported(path);
        }

        /// <summary>The GUID, "" if it made nothing; a number is appended to a name that is there
        /// (AssetDatabase.bindings.cs).</summary>
        public static string CreateFolder(string parentFolder, string newFolderName)
        {
            World.Read("AssetDatabase.CreateFolder");
            if (!IsValidFolder(parentFolder))
            {
                Debug.LogError("Parent folder is not in the asset database");
                return "";
            }
            var path = parentFolder + "/" + newFolderName;
            for (var i = 1; Directory.Exists(Making.FileOf(path)) || World.AssetByPath.ContainsKey(path); i++)
            {
                path = parentFolder + "/" + newFolderName + " " + i;
            }
            Directory.CreateDirectory(Making.FileOf(path));
            AddFolder(path);
            return World.GuidOf(path);
        }

        private static void AddFolder(string path)
        {
            var folder = new Folder();
            folder.SetName(Path.GetFileName(path));
            World.Add(path, folder);
            Making.WriteMeta(path);
        }

        public static void ImportAsset(string path)
        {
            World.Read("AssetDatabase.ImportAsset");
            if (Directory.Exists(Making.FileOf(path))) AddFolder(path);
            if (path.EndsWith(".prefab") && World.AssetByPath.ContainsKey(path))
            {
                World.Reload(path, File.ReadAllText(Making.FileOf(path)));
            }
            Native.Editor.Say("import " + path);
        }

        public static bool DeleteAsset(string path)
        {
            World.Read("AssetDatabase.DeleteAsset");
            if (!World.AssetByPath.ContainsKey(path)) return false;
            foreach (var one in World.AssetByPath.Keys.Where(one => one == path || one.StartsWith(path + "/")).ToList())
            {
                World.Remove(one);
            }
            if (Directory.Exists(Making.FileOf(path))) Directory.Delete(Making.FileOf(path), true);
            else File.Delete(Making.FileOf(path));
            Making.DeleteMeta(path);
            Clean(path);
            Native.Editor.Say("delete-asset " + path);
            return true;
        }

        /// <summary>False where there is no trash; nothing is deleted then. Here the trash is a folder next to
        /// Assets.</summary>
        public static bool MoveAssetToTrash(string path)
        {
            World.Read("AssetDatabase.MoveAssetToTrash");
            if (Native.Editor.Quirk("no-trash") || !World.AssetByPath.ContainsKey(path)) return false;
            foreach (var one in World.AssetByPath.Keys.Where(one => one == path || one.StartsWith(path + "/")).ToList())
            {
                World.Remove(one);
            }
            var trash = Making.FileOf("Trash/" + Path.GetFileName(path));
            Directory.CreateDirectory(Making.FileOf("Trash"));
            if (Directory.Exists(trash)) Directory.Delete(trash, true);
            File.Delete(trash);
            if (Directory.Exists(Making.FileOf(path))) Directory.Move(Making.FileOf(path), trash);
            else if (File.Exists(Making.FileOf(path))) File.Move(Making.FileOf(path), trash);
            Making.DeleteMeta(path);
            Clean(path);
            Native.Editor.Say("trash " + path);
            return true;
        }

        public static bool CopyAsset(string path, string newPath)
        {
            World.Read("AssetDatabase.CopyAsset");
            Object there;
            if (!World.AssetByPath.TryGetValue(path, out there)
                || !Directory.Exists(Path.GetDirectoryName(Making.FileOf(newPath))))
            {
                return false;
            }
            if (there is Folder) CopyFolder(path, newPath);
            else if (File.Exists(Making.FileOf(path))) File.Copy(Making.FileOf(path), Making.FileOf(newPath), true);
            else File.WriteAllText(Making.FileOf(newPath), "%YAML copy");
            var copy = there is Folder
                ? (Object)new Folder()
                : there is Material
                ? new Material(((Material)there).shader)
                : new Game.Data();
            copy.SetName(Path.GetFileNameWithoutExtension(newPath));
            World.Add(newPath, copy);
            Making.WriteMeta(newPath);
            LikeUrp.Imported(newPath);
            return true;
        }

        private static void CopyFolder(string path, string newPath)
        {
            Directory.CreateDirectory(Making.FileOf(newPath));
            foreach (var one in World.AssetByPath.Keys.Where(
                one => one.StartsWith(path + "/") && one.IndexOf('/', path.Length + 1) < 0).ToList())
                CopyAsset(one, newPath + one.Substring(path.Length));
        }

        public static string ValidateMoveAsset(string oldPath, string newPath)
        {
            World.Read("AssetDatabase.ValidateMoveAsset");
            return !World.AssetByPath.ContainsKey(oldPath) ? "The source asset could not be found"
                : World.AssetByPath.ContainsKey(newPath) ? "Destination path name does already exist"
                : !Directory.Exists(Path.GetDirectoryName(Making.FileOf(newPath)))
                ? "Parent directory is not in asset database"
                : "";
        }

        /// <summary>"" or why not. Files below a folder go with it; the objects stay the same, so references
        /// do.</summary>
        public static string MoveAsset(string oldPath, string newPath)
        {
            var why = ValidateMoveAsset(oldPath, newPath);
            if (why.Length > 0) return why;
            if (VersionControl.Provider.enabled && Directory.Exists(Making.FileOf(oldPath)))
            {
                Native.Editor.Say("VIOLATION a modal dialog: Confirm version control operation");
            }
            if (Directory.Exists(Making.FileOf(oldPath)))
            {
                Directory.Move(Making.FileOf(oldPath), Making.FileOf(newPath));
            }
            else if (File.Exists(Making.FileOf(oldPath))) File.Move(Making.FileOf(oldPath), Making.FileOf(newPath));
            if (File.Exists(Making.FileOf(oldPath) + ".meta"))
            {
                File.Move(Making.FileOf(oldPath) + ".meta", Making.FileOf(newPath) + ".meta");
            }
            foreach (var one in World.AssetByPath.Keys.Where(one => one == oldPath || one.StartsWith(oldPath + "/"))
                .ToList())
            {
                var asset = World.AssetByPath[one];
                var now = newPath + one.Substring(oldPath.Length);
                World.Remove(one);
                World.Add(now, asset);
                foreach (var part in World.SubAssets.Where(part => part.AssetPath == one)) part.AssetPath = now;
                SceneManagement.PrefabStage.Moved(one, now);
            }
            World.AssetByPath[newPath].SetName(Path.GetFileNameWithoutExtension(newPath));
            return "";
        }

        /// <summary>The file of one object, if that object is marked as changed (AssetDatabase.bindings.cs).</summary>
        public static void SaveAssetIfDirty(Object obj)
        {
            World.Read("AssetDatabase.SaveAssetIfDirty");
            if (!EditorUtility.IsDirty(obj)) return;
            AskWhatToSave();
            var path = GetAssetPath(obj);
            if (ProjectSettings.At(path).Length > 0)
            {
                ProjectSettings.SaveIfDirty(obj);
                return;
            }
            Write(path);
            Clean(path);
        }

        private static readonly Dictionary<string, Object> BuiltIn = new Dictionary<string, Object>();

        /// <summary>Null for what is not there.</summary>
        public static Object GetBuiltinExtraResource(Type type, string path)
        {
            World.Read("AssetDatabase.GetBuiltinExtraResource");
            Object found;
            if (BuiltIn.TryGetValue(path, out found)) return found;
            found = type == typeof(Material) && path.EndsWith(".mat") ? new Material(Shader.Find("Standard"))
                : type == typeof(Sprite) && path.StartsWith("UI/") ? new Sprite() : (Object)null;
            if (found == null) return null;
            found.AssetPath = "Resources/unity_builtin_extra";
            found.SetName(Path.GetFileNameWithoutExtension(path));
            return BuiltIn[path] = found;
        }
    }

    public static partial class PrefabUtility
    {
        /// <summary>Overwrites what is there without a word, and throws for a part of an instance and a missing folder
        /// (PrefabUtility.cs, 2021.3 to 6000.7). With UserAction Undo disconnects the object again; the file
        /// stays.</summary>
        public static GameObject SaveAsPrefabAssetAndConnect(
            GameObject instanceRoot, string assetPath, InteractionMode action, out bool success)
        {
            World.Read("PrefabUtility.SaveAsPrefabAssetAndConnect");
            if (IsHeld(instanceRoot)) throw new ArgumentException("Can't save part of a Prefab instance as a Prefab");
            Making.RequireFolder(assetPath);
            success = !Missing(instanceRoot) && !Native.Editor.Quirk("unsavable-prefab");
            if (!success)
            {
                Debug.LogError("You are trying to save a Prefab with a missing script.");
                return null;
            }
            var prefab = Written(instanceRoot, assetPath);
            Connect(instanceRoot, prefab, action == InteractionMode.UserAction);
            return prefab;
        }

        /// <summary>A variant whose parent was deleted.</summary>
        public static bool IsPrefabAssetMissing(Object instanceComponentOrGameObject)
        {
            return Native.Editor.Quirk("missing-parent");
        }

        internal static bool Missing(GameObject root)
        {
            return root.Components.Any(one => ReferenceEquals(one, null))
                || root.Own.Children.Any(child => Missing(child.Owner));
        }

        internal static GameObject Written(GameObject root, string path)
        {
            var prefab = World.ToPrefab(root, path);
            Native.Editor.DiskAt("at-create");
            File.WriteAllText(Making.FileOf(path), World.Yaml(prefab));
            Making.WriteMeta(path);
            Native.Editor.Say("save-prefab " + path);
            return prefab;
        }

        private static void Connect(GameObject instance, GameObject prefab, bool hasUndo)
        {
            var before = instance.Source;
            if (hasUndo) Undo.Record(() => instance.Source = before);
            instance.Source = prefab;
            for (var i = 0; i < instance.Own.Children.Count; i++)
            {
                Connect(instance.Own.Children[i].Owner, prefab.Own.Children[i].Owner, hasUndo);
            }
        }
    }
}

namespace UnityEditor.SceneManagement
{
    public partial class EditorSceneManager
    {
        public static Scene NewPreviewScene()
        {
            World.Read("EditorSceneManager.NewPreviewScene");
            return new Scene("Preview");
        }

        public static bool ClosePreviewScene(Scene scene)
        {
            foreach (var root in World.RootsOf(scene.File)) root.Destroy();
            return true;
        }

        /// <summary>Overwrites what is there without a word. False, and an error in the console, for a folder that is
        /// missing or another extension (EditorSceneManager.cs); not in play mode (manual).</summary>
        public static bool SaveScene(Scene scene, string dstScenePath, bool saveAsCopy)
        {
            Native.RequireMainThread("EditorSceneManager.SaveScene");
            if (Native.Playing) throw new InvalidOperationException("This cannot be used during play mode.");
            if (!dstScenePath.EndsWith(".unity")
                || !Directory.Exists(Path.GetDirectoryName(Making.FileOf(dstScenePath)))
                    || Native.Editor.Quirk("unsavable-scene"))
            {
                Debug.LogError("The scene path is not valid: " + dstScenePath);
                return false;
            }
            Native.Editor.DiskAt("at-create");
            File.WriteAllText(Making.FileOf(dstScenePath), "%YAML scene");
            var asset = new SceneFile();
            asset.SetName(Path.GetFileNameWithoutExtension(dstScenePath));
            World.Add(dstScenePath, asset);
            Making.WriteMeta(dstScenePath);
            Native.Editor.Say("save-scene " + dstScenePath + (saveAsCopy ? " copy" : ""));
            if (saveAsCopy) return true;
            World.Rename(scene.File, dstScenePath);
            Native.Editor.SavedScene(scene.File, dstScenePath);
            RaiseSaved(dstScenePath);
            return true;
        }

        internal static void ClearSceneDirtiness(Scene scene) { Native.Editor.CleanScene(scene.File); }
    }
}
