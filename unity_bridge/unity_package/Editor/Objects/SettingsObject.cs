using System;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityEngine;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>The settings of the project, one native object for each file, and those of the active scene. Main
    /// thread.</summary>
    internal sealed class SettingsObject
    {
        private const string Folder = "ProjectSettings/";

        // The page in Unity, the file, and the class of its object. Code has another class for some.
        private static readonly string[][] Pages = new[]
        {
            "Player,ProjectSettings,PlayerSettings", "Physics,DynamicsManager,PhysicsManager",
            "Physics 2D,Physics2DSettings,Physics2DSettings", "Time,TimeManager,TimeManager",
            "Quality,QualitySettings,QualitySettings", "Graphics,GraphicsSettings,GraphicsSettings",
            "Audio,AudioManager,AudioManager", "Editor,EditorSettings,EditorSettings",
            "Navigation,NavMeshAreas,NavMeshProjectSettings", "Tags and Layers,TagManager,TagManager",
        }.Select(row => row.Split(',')).ToArray();

        private SettingsObject(string path, Object target, Object profile = null)
        {
            Path = path;
            Target = target;
            Profile = profile;
        }

        /// <summary>The file that is written.</summary>
        public string Path { get; }

        public Object Target { get; }

        /// <summary>The active build profile, if these are its own settings; null for the project's.</summary>
        public Object Profile { get; }

        /// <summary>From 6000.0 on; null where none is active.</summary>
        public static Object ActiveProfile =>
            Members.Method(LoadedAssemblies.TypeNamed("UnityEditor.Build.Profile.BuildProfile"),
                "GetActiveBuildProfile")?.Invoke(null, null) as Object;

        /// <summary>What a path such as ProjectSettings/Physics or RenderSettings names; null for any other path, or
        /// with a fault.</summary>
        public static Object Find(string path, out string fault)
        {
            fault = null;
            if (path == "RenderSettings" && PrefabStageUtility.GetCurrentPrefabStage() != null)
            {
                // Those of the stage are in its place (Unsupported.SetOverrideLightingSettings, PrefabStageUtility.cs,
                // 2021.3 to 6000.7).
                fault = "While a prefab is open, Unity has no lighting settings of a scene. Call close_prefab first.";
                return null;
            }
            if (path == "RenderSettings")
            {
                return Unsupported.GetRenderSettings();
            }
            if (path == "LightingSettings")
            {
                fault = Lightmapping.TryGetLightingSettings(out var settings) ? null
                    : "The active scene has no lighting settings of its own. Only C# can give it some.";
                return settings;
            }
            var isInFolder = path.Begins(Folder);
            if (!isInFolder && path.IndexOf('/') >= 0)
            {
                return null;
            }
            var name = Plain(isInFolder ? path.Substring(Folder.Length).Replace(".asset", "") : path);
            var page = Array.Find(Pages, words => words.Skip(isInFolder ? 0 : 2).Any(word => Plain(word) == name));
            var found = page == null ? null : OnPage(page);
            fault = found == null && isInFolder ? "There is no page '" + Quoted.Text(path.Substring(Folder.Length))
                + "' here. There are "
                + string.Join(", ", Pages.Select(words => Folder + words[0]))
                + ", RenderSettings and LightingSettings." : null;
            return found?.Target;
        }

        /// <summary>Null for an object that is no settings of the project.</summary>
        public static SettingsObject ForObject(Object target)
        {
            var page = Array.Find(Pages, words => target != null && words[2] == target.GetType().Name);
            return page == null ? null : OnPage(page);
        }

        public static SettingsObject Tags => OnPage(Pages.Last());

        /// <summary>To be called after each change of a profile's own settings: its file has them as text
        /// (BuildProfilePlayerSettings.cs).</summary>
        public void KeepInProfile() =>
            Members.Method(Profile?.GetType(), "SerializePlayerSettings")?.Invoke(Profile, null);

        // By its type: InputManager.asset has more than one object (CustomInspectorStubs.cs, 2021.3 to 6000.7).
        private static SettingsObject OnPage(string[] page)
        {
            var own = page[2] == "PlayerSettings" ? ActiveProfile : null;
            if (Members.Get(own, "playerSettings") is Object { } settings && settings != null)
            {
                return new SettingsObject(AssetDatabase.GetAssetPath(own), settings, own);
            }
            var path = Folder + page[1] + ".asset";
            var target = AssetDatabase.LoadAllAssetsAtPath(path)
                .FirstOrDefault(part => part != null && part.GetType().Name == page[2]);
            target = target != null ? target : Unsupported.GetSerializedAssetInterfaceSingleton(page[2]);
            return target == null ? null : new SettingsObject(path, target);
        }

        private static string Plain(string name) => name.Replace(" ", "").ToLowerInvariant();
    }
}
