using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEditor.Animations;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Commands
{
    /// <summary>Makes a folder, a material, a prefab or another asset (SPEC §16.7). Values are set before the file is
    /// written, so nothing is left unsaved. Main thread.</summary>
    internal static class CreateAsset
    {
        // What an extension makes, by the full name of its type; the names of the second are those of Unity 6 and of
        // before it.
        private static readonly Dictionary<string, string[]> Types = new[]
        {
            ".mat UnityEngine.Material", ".prefab UnityEngine.GameObject", ".asset",
            ".controller UnityEditor.Animations.AnimatorController", ".anim UnityEngine.AnimationClip",
            ".renderTexture UnityEngine.RenderTexture",
            ".physicMaterial UnityEngine.PhysicsMaterial UnityEngine.PhysicMaterial",
            ".physicsMaterial2D UnityEngine.PhysicsMaterial2D",
        }.Select(row => row.Split(' ')).ToDictionary(row => row[0], row => row.Skip(1).ToArray());

        // What is written by hand.
        private static readonly string[] Texts =
            ".cs .txt .json .xml .md .csv .shader .hlsl .cginc .compute .uxml .uss .asmdef .asmref .rsp".Split(' ');

        [BridgeCommand("create_asset",
            "Makes an asset; a path without an extension is a folder. .mat (values: shader, color), "
            + ".prefab from an object, or a variant from a prefab, .asset of type, .controller (values: "
            + "parameters, states, transitions), .anim (sprites, curves, loop), .renderTexture, .physicMaterial, "
            + ".physicsMaterial2D. Nothing is overwritten. No Undo.", Step = true,
            Keywords = "material scriptableobject animator animation clip")]
        private static JsonObject Create(
            ChangeCall call, string path, string type = null, string from = null,
            IDictionary<string, object> values = null)
        {
            AssetPath.RequireNew(path);
            var extension = Path.GetExtension(path);
            if (EditorApplication.isPlaying && extension == ".prefab")
            {
                throw new CommandRefused(
                    "playing",
                    "The editor is in play mode, where no prefab is saved. Leave play mode, then call create_asset "
                    + "again.");
            }
            if (extension.Length > 0 && !Types.ContainsKey(extension))
            {
                throw ChangeTarget.Refused("create_asset makes no " + Quoted.Text(extension) + " file. "
                    + (Texts.Contains(extension) ? "Write text files such as scripts yourself, and call compile."
                    : OnlyCSharp.Can)
                    + " It makes folders, " + string.Join(", ", Types.Keys) + ".");
            }
            if (extension != ".prefab" && !string.IsNullOrEmpty(from))
            {
                throw ChangeTarget.Refused("from is for a .prefab: the object or prefab that it is made from.");
            }
            if (extension.Length == 0)
            {
                return MakeFolder(call, path, type, values);
            }
            RequireFit(extension, type);
            if (extension == ".prefab")
            {
                return MakePrefab(call, path, from, values);
            }
            if (extension is ".controller" or ".anim" or ".mat")
            {
                // A controller is saved twice, and of a material a render pipeline saves all assets in the next update.
                Refuse.WhereSavingAsks();
            }
            var made = extension == ".asset" ? NewScriptable(type) : NewObject(extension);
            var isKept = false;
            try
            {
                var answer = ChangeReport.InOneUndoGroup(call, "Create " + path, null, report =>
                {
                    AssetPath.MakeFolders(path, report);
                    // A file's name is its asset's; Unity sets it at the next import, and logs an error until then.
                    made.name = Path.GetFileNameWithoutExtension(path);
                    var rows = new ChangeReport(call);
                    using var staged = new StagedFields(call, made);
                    staged.StageAll(values ?? new Dictionary<string, object>());
                    staged.Apply(rows, path);
                    AssetPath.RequireFree(path);
                    report.Files.Making(path);
                    Write(made, path, extension);
                    isKept = true;
                    SavePostprocessed(made, path, rows);
                    report.Files.Done(path);
                    report.Add(path, "path", null, path);
                    report.Take(rows);
                    staged.ApplyMembers(report);
                    report.Made = made;
                });
                return answer;
            }
            finally
            {
                if (!isKept && made != null && !EditorUtility.IsPersistent(made))
                {
                    Object.DestroyImmediate(made);
                }
            }
        }

        private static JsonObject MakeFolder(
            ChangeCall call, string path, string type, IDictionary<string, object> values)
        {
            if (!string.IsNullOrEmpty(type) || values?.Count > 0)
            {
                throw ChangeTarget.Refused(
                    Quoted.Text(path) + " has no extension, so it is a folder, which has no type and no values.");
            }
            return ChangeReport.InOneUndoGroup(call, "Create " + path, null, report =>
            {
                AssetPath.MakeFolders(path, report);
                AssetPath.MakeFolder(path, report);
                report.Made = AssetDatabase.LoadMainAssetAtPath(path);
            });
        }

        private static void RequireFit(string extension, string type)
        {
            var names = Types[extension];
            var isNamed = names.Any(name => name == type || name.Ends("." + type));
            if (!string.IsNullOrEmpty(type) && extension == ".prefab" && !isNamed)
            {
                throw ChangeTarget.Refused(
                    "A prefab has no type: it is made from an object. Make one with create_object components: [\""
                    + Quoted.Text(type)
                    + "\"], then call create_asset with from: its path.");
            }
            if (!string.IsNullOrEmpty(type) && names.Length > 0 && !isNamed)
            {
                var right = Types.Where(pair =>
                    pair.Value.Any(name => name.Ends("." + type))).Select(
                    pair => pair.Key).FirstOrDefault() ?? ".asset";
                throw ChangeTarget.Refused("A " + extension + " file is a " + string.Join(" or ", names) + ", and no "
                    + Quoted.Text(type) + ", which belongs in a " + right + " file.");
            }
        }

        private static Object NewObject(string extension)
        {
            if (extension == ".mat")
            {
                var shader = StagedMaterial.DefaultShader();
                return shader != null
                    ? new Material(shader)
                    : throw ChangeTarget.Refused(
                        "The render pipeline in use names no default shader. Give values with shader.");
            }
            var type = Types[extension].Select(Code).FirstOrDefault(found => found != null);
            if (type == null)
            {
                var package = "com.unity.modules.physics" + (extension == ".physicsMaterial2D" ? "2d" : "");
                throw ObjectKind.Missing(package, Types[extension][0]);
            }
            return (Object)(extension == ".renderTexture"
                ? Activator.CreateInstance(type, 256, 256, 24)
                : Activator.CreateInstance(type));
        }

        private static Object NewScriptable(string name)
        {
            var all = TypeCache.GetTypesDerivedFrom(typeof(ScriptableObject)).ToList();
            var named = ComponentTypes.Named(all, name);
            if (named.Count != 1)
            {
                if (named.Count == 0 && !string.IsNullOrEmpty(name))
                {
                    ComponentTypes.RequireCompiled(name);
                }
                throw ChangeTarget.Refused(
                    string.IsNullOrEmpty(name) ? "A .asset file needs a type, the name of a ScriptableObject's class."
                    : named.Count > 1 ? "Several classes are named " + Quoted.Text(name) + ": "
                    + string.Join(", ", named.Select(candidate => candidate.FullName)) + "."
                    : "There is no ScriptableObject " + Quoted.Text(name) + ". The nearest are "
                    + Spelling.Nearest(name, all.Where(IsCreatable), 3) + ".");
            }
            if (!IsCreatable(named[0]))
            {
                throw new CommandRefused(
                    "not_creatable", TypeNames.NameOf(named[0])
                    + " is abstract, generic, or a part of the editor, so no asset is made of it.");
            }
            var made = ScriptableObject.CreateInstance(named[0]);
            // Without a file of its class's name Unity cannot find the script again, and the asset is broken after the
            // next load.
            if (MonoScript.FromScriptableObject(made) == null)
            {
                Object.DestroyImmediate(made);
                throw new CommandRefused(
                    "not_creatable", "The class " + TypeNames.NameOf(named[0]) + " is in no script file of its name, "
                    + "so its asset would lose its script. Move it into "
                    + named[0].Name + ".cs, and call compile.");
            }
            return made;
        }

        private static bool IsCreatable(Type type) =>
            !type.IsAbstract && !type.ContainsGenericParameters && !typeof(EditorWindow).IsAssignableFrom(type)
            && !typeof(Editor).IsAssignableFrom(type)
            && type.GetCustomAttributes(true)
            .All(attribute => attribute.GetType().Name != "ExcludeFromObjectFactoryAttribute");

        // The import runs postprocessors of packages and of the project. URP and HDRP add a part to a new material,
        // set its queue, and save all assets in the next update (MaterialPostprocessor.cs of
        // com.unity.render-pipelines.universal 12.0.0; Unity 6 has it too).
        private static void SavePostprocessed(Object made, string path, ChangeReport rows)
        {
            rows.ReadAgain(" was set, and then changed by a package or a script, as the file was imported.");
            var parts = AssetDatabase.LoadAllAssetsAtPath(path).Where(part => part != null).ToList();
            if (!parts.Exists(EditorUtility.IsDirty))
            {
                return;
            }
            if (Reactions.WhyNot(Effect.Save) != null)
            {
                rows.Remark(path + " was changed by a package or a script as it was imported, and has unsaved changes. "
                    + "save_all saves it.");
                return;
            }
            // Of the file only the main object's mark counts.
            EditorUtility.SetDirty(made);
            AssetDatabase.SaveAssetIfDirty(made);
            if (!(made is Material))
            {
                return;
            }
            RunningGame.PutBackForAWhile();
            var others = UnsavedWork.FindAssets().Concat(UnsavedWork.FindSettings()).Where(other => other != path)
                .ToList();
            var written = others.Count == 0 ? "" : " It writes these too: " + Cut.Names(others) + ".";
            rows.Remark("The render pipeline saves all changed assets in the next update, because the material is new."
                + written);
        }

        // A controller has a layer from the beginning, as from CreateAnimatorControllerAtPath (AnimatorController.cs).
        private static void Write(Object made, string path, string extension)
        {
            AssetDatabase.CreateAsset(made, path);
            if (made is AnimatorController controller)
            {
                new AnimatorWriter(controller).AddLayer(AnimatorWriter.BaseLayer);
                EditorUtility.SetDirty(made);
                AssetDatabase.SaveAssetIfDirty(made);
            }
            if (AssetDatabase.GetAssetPath(made) != path)
            {
                throw Refuse.Failed("exception",
                    "Unity did not write " + path + ". The console says why (read_console).");
            }
        }

        private static JsonObject MakePrefab(
            ChangeCall call, string path, string from, IDictionary<string, object> values)
        {
            if (values?.Count > 0)
            {
                throw ChangeTarget.Refused(
                    "A prefab takes no values. Set them on the object that it is made from, or with set_fields "
                    + "afterwards.");
            }
            if (string.IsNullOrEmpty(from))
            {
                throw ChangeTarget.Refused(
                    "A prefab needs from: an object of a scene, which becomes an instance of it, or a prefab's path, "
                    + "for a variant.");
            }
            // A prefab's file itself, also if it is open, makes a variant; an object in it becomes an instance.
            string remark = null;
            from = PrefabNamed(call, from);
            var original = AssetDatabase.LoadMainAssetAtPath(from);
            using var file = original == null ? call.OpenFile(from, PathUse.Whole) : null;
            if (!((original ?? call.Find(from, out remark, PathUse.Whole)) is GameObject source))
            {
                throw ChangeTarget.Refused(Quoted.Text(from) + " is no object, so no prefab can be made from it.");
            }
            var isVariant = original != null;
            if (!isVariant && PrefabUtility.IsPartOfPrefabInstance(source)
                && !PrefabUtility.IsOutermostPrefabInstanceRoot(source))
            {
                throw ChangeTarget.Refused(ChangeTarget.PathOf(source)
                    + " is a part of a prefab. Give its root, or unpack the instance (unpack_prefab).");
            }
            PrefabFile.RequireNoMissingScript(source);
            if (!isVariant && PrefabStageUtility.GetCurrentPrefabStage() is { } stage
                && stage.prefabContentsRoot == source)
            {
                throw ChangeTarget.Refused(
                    ChangeTarget.PathOf(source) + " is the root of the open prefab. Give its file, " + stage.assetPath
                    + ", for a variant.");
            }
            return ChangeReport.InOneUndoGroup(call, "Create " + path, remark, report =>
            {
                AssetPath.MakeFolders(path, report);
                AssetPath.RequireFree(path);
                report.Files.Making(path);
                var saved = isVariant ? SaveVariant(source, path) : Save(call, source, path);
                report.Files.Done(path);
                report.Add(path, "path", null, path);
                report.Made = saved;
                if (PrefabUtility.GetPrefabAssetType(saved) == PrefabAssetType.Variant)
                {
                    var parent = PrefabUtility.GetCorrespondingObjectFromSource(saved);
                    report.Remark(path + " is a variant of " + AssetDatabase.GetAssetPath(parent) + ".");
                }
                if (!isVariant)
                {
                    report.Remark(ChangeTarget.PathOf(source) + " is an instance of " + path + " now."
                        + (file == null ? " Undo takes that back; the file stays." : ""));
                    report.Touched(source);
                }
            });
        }

        // An object, or the one prefab of that name; both is refused with both.
        private static string PrefabNamed(ChangeCall call, string from)
        {
            var prefabs = AssetDatabase.GetMainAssetTypeAtPath(from) != null ? new List<string>()
                : AssetNames.Matches(from, ".prefab");
            var target = prefabs.Count == 0 ? null : ObjectFinder.Look(call, from, PathUse.Shallow).Target;
            if (target != null)
            {
                throw ChangeTarget.Refused("Give the whole path: " + Quoted.Text(from) + " may be "
                    + ChangeTarget.PathOf(target) + " or " + string.Join(", ", prefabs) + ".");
            }
            return prefabs.Count == 0 ? from : AssetNames.Find(from, ".prefab", call.Remarks);
        }

        // UserAction records Undo for the object, and opens no dialog here (PrefabUtility.cs, 2021.3 to 6000.7).
        private static GameObject Save(ChangeCall call, GameObject source, string path)
        {
            var mode = call.File == null ? InteractionMode.UserAction : InteractionMode.AutomatedAction;
            var saved = PrefabUtility.SaveAsPrefabAssetAndConnect(source, path, mode, out var isSaved);
            return isSaved ? saved : throw NotSaved(path);
        }

        // A prefab that is saved from an instance is a variant of the instance's prefab.
        private static GameObject SaveVariant(GameObject original, string path)
        {
            var scene = EditorSceneManager.NewPreviewScene();
            try
            {
                var saved = PrefabUtility.SaveAsPrefabAsset(
                    (GameObject)PrefabUtility.InstantiatePrefab(original, scene), path, out var isSaved);
                return isSaved ? saved : throw NotSaved(path);
            }
            finally
            {
                EditorSceneManager.ClosePreviewScene(scene);
            }
        }

        private static CommandRefused NotSaved(string path) =>
            Refuse.Failed("exception", "Unity did not save " + path + ". The console says why (read_console).");

        private static Type Code(string name) => LoadedAssemblies.All.Select(assembly => assembly.GetType(name))
            .FirstOrDefault(type => type != null
                && type.GetCustomAttributes(typeof(ObsoleteAttribute), false)
                .All(attribute => !((ObsoleteAttribute)attribute).IsError));
    }
}
