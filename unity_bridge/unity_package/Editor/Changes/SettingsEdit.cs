using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEditor;
using UnityEditor.Build;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityEngine.SceneManagement;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>One call's changes of settings: only members that are listed, and their file alone is written. Main
    /// thread.</summary>
    internal sealed class SettingsEdit
    {
        private readonly Object _target;
        private readonly SettingsObject _file;
        private bool _isInGame;
        private readonly List<Action<ChangeReport>> _calls = new List<Action<ChangeReport>>();

        private SettingsEdit(Object target)
        {
            _target = target;
            _file = SettingsObject.ForObject(target);
        }

        /// <summary>Whether Undo has no part in it.</summary>
        public bool IsOfProject => _file != null;

        /// <summary>Null for what is no settings.</summary>
        public static SettingsEdit ForObject(Object target) => target is RenderSettings
            || SettingsObject.ForObject(target) != null ? new SettingsEdit(target) : null;

        /// <summary>A key without the class that code or the page has for it.</summary>
        public string Key(string key)
        {
            var dot = key.IndexOf('.');
            return dot > 0 && SettingsMembers.ClassesOf(_target).Contains(key.Substring(0, dot))
                ? key.Substring(dot + 1) : key;
        }

        /// <summary>Takes what is no serialized field; refuses what cannot be set, before anybody looks at
        /// values.</summary>
        public bool TryStage(string key, object value)
        {
            if (EditorApplication.isPlaying && key == "timeScale" && _target.GetType().Name == "TimeManager"
                && SameJson.NumberOf(value) is >= 0 and <= 100 and var scale)
            {
                _isInGame = true;
                _calls.Add(report => SetSpeed(report, (float)scale));
                return true;
            }
            SettingsMembers.RequireOffered(_target, key);
            RequireWritable();
            if (key == "layerCollisions" && SettingsMembers.ClassesOf(_target).Contains("Physics"))
            {
                _calls.Add(Collisions(value));
                return true;
            }
            if (key == "icon" && _target is PlayerSettings)
            {
                var icon = value is string path ? AssetDatabase.LoadMainAssetAtPath(path) as Texture2D : null;
                _calls.Add(icon != null ? report => SetIcon(report, icon)
                    : throw ChangeTarget.Refused("PlayerSettings.icon must be the path of a texture."));
                return true;
            }
            return false;
        }

        /// <summary>Throws <see cref="CommandRefused"/> where it cannot be written, or Unity would ask.</summary>
        public static void RequireWritable(SettingsObject file)
        {
            Refuse.OutsideEditMode("change " + file.Path);
            Refuse.WhereSavingAsks();
            if (!AssetDatabase.IsOpenForEdit(file.Path))
            {
                throw new CommandRefused("would_ask", "Unity would ask about " + file.Path
                    + ": version control has not checked it out. Check it out first.");
            }
        }

        /// <param name="changed">The paths of the fields that were changed.</param>
        public void Apply(ChangeReport report, List<string> changed)
        {
            _calls.ForEach(call => call(report));
            if (_file != null && !_isInGame && changed.Count + _calls.Count > 0)
            {
                Save(_file, report);
            }
            if (_file == null && changed.Count > 0)
            {
                MarkScene(report, changed);
            }
        }

        private void MarkScene(ChangeReport report, List<string> changed)
        {
            EditorSceneManager.MarkSceneDirty(SceneManager.GetActiveScene());
            // Without it the picture keeps the light of the old sky (manual, DynamicGI.UpdateEnvironment).
            DynamicGI.UpdateEnvironment();
            report.Remark("These are the lighting settings of the active scene, " + SceneManager.GetActiveScene().name
                + ", which is unsaved now.");
            using var serialized = new SerializedObject(_target);
            using var mode = serialized.FindProperty("m_AmbientMode");
            if (changed.Contains("m_AmbientSkyColor") && mode is { intValue: 0 })
            {
                report.Remark("The ambient light comes from the sky, so its colour is not seen. ambientMode: Flat "
                    + "shows it.");
            }
            if (UnityEngine.Rendering.GraphicsSettings.currentRenderPipeline is { } pipeline
                && pipeline.GetType().Name.Begins("HD"))
            {
                report.Remark("The High Definition Render Pipeline ignores them: it takes fog and sky from a Volume.");
            }
        }

        /// <summary>Writes that file alone. Whether Unity does so when it is asked to is in none of its sources, so the
        /// file is compared.</summary>
        public static void Save(SettingsObject file, ChangeReport report)
        {
            file.KeepInProfile();
            var marked = file.Profile != null ? file.Profile : file.Target;
            EditorUtility.SetDirty(marked);
            var before = Content(file.Path);
            AssetDatabase.SaveAssetIfDirty(marked);
            if (file.Profile != null)
            {
                report.Remark("The active build profile " + file.Path
                    + " has its own player settings: these were changed.");
            }
            if (Content(file.Path) != before)
            {
                report.Files.Note(file.Path);
                return;
            }
            report.HasNoUndo(file.Path + " is unsaved: Unity did not write it. save_all does.");
        }

        private static string Content(string path)
        {
            var file = WrittenFiles.OnDisk(path);
            return File.Exists(file) ? Convert.ToBase64String(File.ReadAllBytes(file)) : "";
        }

        private void RequireWritable()
        {
            if (_file != null)
            {
                RequireWritable(_file);
                return;
            }
            Refuse.OutsideEditMode("change the lighting settings of the scene");
        }

        private void SetSpeed(ChangeReport report, float scale)
        {
            var before = Time.timeScale;
            GameSpeed.Set(scale);
            report.Add(_file.Path, "Time.timeScale", FieldValue.Real(before), FieldValue.Real(scale));
            report.HasNoUndo("It is put back when play mode ends.");
        }

        private void SetIcon(ChangeReport report, Texture2D icon)
        {
            var before = PlayerSettings.GetIcons(NamedBuildTarget.Unknown, IconKind.Any).FirstOrDefault();
            PlayerSettings.SetIcons(NamedBuildTarget.Unknown, new[] { icon }, IconKind.Any);
            report.Add(_file.Path, "PlayerSettings.icon", FieldValue.Reference(before), FieldValue.Reference(icon));
        }

        // {"Player": {"Enemy": false}}: whether objects of the two layers collide.
        private Action<ChangeReport> Collisions(object value)
        {
            // A project may lack the module, and code that names its class is not compiled then.
            var physics = LoadedAssemblies.TypeNamed("UnityEngine.Physics")
                ?? throw Refuse.WithoutPackage("com.unity.modules.physics", "Layers "
                + "collide by the built-in package Physics. Add it (packages action=add "
                + "packages=[\"com.unity.modules.physics\"]), then call again.");
            var pairs = (value as JsonObject ?? new JsonObject())
                .SelectMany(row => (row.Value as JsonObject ?? new JsonObject()).Select(cell =>
                new { Layers = new object[] { LayerMask.NameToLayer(row.Key), LayerMask.NameToLayer(cell.Key) },
                    Collide = cell.Value as bool?, Name = row.Key + "/" + cell.Key })).ToList();
            if (pairs.Count == 0 || pairs.Exists(pair => pair.Layers.Contains(-1) || pair.Collide == null))
            {
                throw ChangeTarget.Refused("layerCollisions must name two layers of the project, and true or false, "
                    + "as in {\"Player\": {\"Enemy\": false}}.");
            }
            return report =>
            {
                var get = Members.Method(physics, "GetIgnoreLayerCollision", typeof(int), typeof(int));
                var set = Members.Method(physics, "IgnoreLayerCollision", typeof(int), typeof(int), typeof(bool));
                foreach (var pair in pairs.Where(pair => (bool)get.Invoke(null, pair.Layers) == pair.Collide))
                {
                    set.Invoke(null, pair.Layers.Append(!pair.Collide).ToArray());
                    report.Add(_file.Path, "Physics.layerCollisions " + pair.Name, !pair.Collide, pair.Collide);
                }
            };
        }
    }
}
