using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    internal abstract class ProjectSettingsBase : Object { }
    internal sealed class PhysicsManager : ProjectSettingsBase { }
    internal sealed class Physics2DSettings : ProjectSettingsBase { }
    internal sealed class TimeManager : ProjectSettingsBase { }
    internal sealed class AudioManager : ProjectSettingsBase { }
    internal sealed class InputManager : ProjectSettingsBase { }
    internal sealed class NavMeshProjectSettings : ProjectSettingsBase { }
    public enum IconKind { Any = -1 }

    public sealed partial class PlayerSettings : Object
    {
        private static Texture2D[] _icons = new Texture2D[0];

        public string companyName { get; set; }

        /// <summary>Of no platform: the default icon. It only stores (PlayerSettingsPlatformIcons.bindings.cs, 2021.3
        /// to 6000.7).</summary>
        public static void SetIcons(Build.NamedBuildTarget buildTarget, Texture2D[] icons, IconKind kind)
        {
            Native.RequireMainThread("PlayerSettings.SetIcons");
            _icons = icons;
            var settings = ProjectSettings.OfClass("PlayerSettings");
            settings.Fields.Set("icon of the stub", "String", "string", AssetDatabase.GetAssetPath(icons[0]));
            ProjectSettings.MarkDirty(settings);
        }

        public static Texture2D[] GetIcons(Build.NamedBuildTarget buildTarget, IconKind kind) { return _icons; }
    }

    /// <summary>
    /// The files of ProjectSettings: a native object for each, and in InputManager.asset the old Input System keeps
    /// more (CustomInspectorStubs.cs). A change marks the object; SaveAssets writes all that are marked, and
    /// SaveAssetIfDirty one (that it does so is reported, and not in Unity's sources). Fields have the names that the
    /// inspectors use (Editor/Mono/Inspector, 2021.3 and 6000.7). The time step is a struct since 6000.0.
    /// </summary>
    internal static class ProjectSettings
    {
        private static readonly Dictionary<string, List<Object>> Files = new Dictionary<string, List<Object>>();

        static ProjectSettings()
        {
            Add<PlayerSettings>("ProjectSettings", "companyName|String|string|DefaultCompany",
                "productName|String|string|Game", "bundleVersion|String|string|0.1",
                "defaultScreenWidth|Integer|int|1920", "defaultScreenHeight|Integer|int|1080",
                "runInBackground|Boolean|bool|true", "fullscreenMode|Integer|int|1",
                "resizableWindow|Boolean|bool|false", "activeInputHandler|Integer|int|0",
                "m_ActiveColorSpace|Integer|int|1", "gcIncremental|Boolean|bool|true",
                "allowUnsafeCode|Boolean|bool|false",
                "additionalCompilerArguments|Items|pair|Generic:0:first=String string ;second=String string ",
                "scriptingDefineSymbols|Items|pair|Generic:0:first=String string ;second=String string ",
                "defaultCursor|ObjectReference|PPtr<$Texture2D>|");
            Add<PhysicsManager>("DynamicsManager", "m_Gravity|Vector3|Vector3f|0,-9.81,0",
                "m_BounceThreshold|Float|float|2", "m_QueriesHitTriggers|Boolean|bool|true",
                "m_LayerCollisionMatrix|String|string|ff", "m_SolverType|Integer|int|0");
            Add<Physics2DSettings>("Physics2DSettings", "m_Gravity|Vector2|Vector2f|0,-9.81");
#if UNITY_2021_3
            Add<TimeManager>("TimeManager", "Fixed Timestep|Float|float|0.02",
#else
            Add<TimeManager>("TimeManager", "Fixed Timestep|Generic|RationalTime|",
                "Fixed Timestep.m_Count|Integer|long|2822400", "Fixed Timestep.m_Rate|Generic|TicksPerSecond|",
                "Fixed Timestep.m_Rate.m_Numerator|Integer|uint|141120000",
                "Fixed Timestep.m_Rate.m_Denominator|Integer|uint|1",
#endif
                "Maximum Allowed Timestep|Float|float|0.3333333", "m_TimeScale|Float|float|1",
                "Maximum Particle Timestep|Float|float|0.03");
            Add<QualitySettings>("QualitySettings", "m_CurrentQuality|Integer|int|1",
                "m_QualitySettings|Items|QualitySetting|Generic:2:name=String string Level;pixelLightCount=Integer "
                + "int 4;vSyncCount=Integer int 0;shadowDistance=Float float 50;"
                + "customRenderPipeline=ObjectReference PPtr<$RenderPipelineAsset> ");
            Add<UnityEngine.Rendering.GraphicsSettings>(
                "GraphicsSettings", "m_CustomRenderPipeline|ObjectReference|PPtr<$RenderPipelineAsset>|",
                "m_TransparencySortMode|Integer|int|0",
                "m_TransparencySortAxis|Vector3|Vector3f|0,0,1");
            Add<AudioManager>("AudioManager", "m_Volume|Float|float|1", "Rolloff Scale|Float|float|1",
                "Doppler Factor|Float|float|1", "m_SampleRate|Integer|int|0");
            Add<EditorSettings>("EditorSettings", "m_SerializationMode|Integer|int|2",
                "m_EnterPlayModeOptionsEnabled|Boolean|bool|false", "m_EnterPlayModeOptions|Integer|int|3",
                "m_CacheServerEndpoint|String|string|",
                "m_ExternalVersionControlSupport|String|string|Visible Meta Files");
            Add<InputManager>("InputManager", "m_Axes|Items|InputAxis|Generic:0:m_Name=String string ");
            Files["ProjectSettings/InputManager.asset"].Insert(
                0, new Game.Data { AssetPath = "ProjectSettings/InputManager.asset" });
            Add<NavMeshProjectSettings>("NavMeshAreas",
                "m_Settings|Items|NavMeshBuildSettings|Generic:1:agentTypeID=Integer int 0;agentRadius=Float float "
                + "0.5;agentHeight=Float float 2;"
                + "agentSlope=Float float 45;agentClimb=Float float 0.75",
                "m_SettingNames|Items|string|String:Humanoid");
            Add<TagManager>("TagManager", "tags|Items|string|String",
                "layers|Items|string|String:" + string.Join(",", LayerMask.Names),
                "m_SortingLayers|Items|SortingLayerEntry|Generic:1:name=String string Default;uniqueID=Integer uint "
                + "0;locked=Boolean bool false");
            Physics.Changed = () => MarkDirty(Files["ProjectSettings/DynamicsManager.asset"][0]);
        }

        private static void Add<T>(string file, params string[] fields) where T : Object
        {
            var path = "ProjectSettings/" + file + ".asset";
            var made = (T)Activator.CreateInstance(typeof(T), true);
            made.SetName(typeof(T).Name);
            made.AssetPath = path;
            foreach (var words in fields.Select(field => field.Split('|')))
            {
                made.Fields.Set(words[0], words[1], words[2], words[3]);
            }
            Files[path] = new List<Object> { made };
        }

        public static Object[] At(string path)
        {
            List<Object> found;
            return Files.TryGetValue(path, out found) ? found.ToArray() : new Object[0];
        }

        public static Object OfClass(string name)
        {
            return Files.Values.SelectMany(objects => objects).FirstOrDefault(one => one.GetType().Name == name);
        }

        public static void MarkDirty(Object target)
        {
            if (Native.Editor.DirtyAssets.Split(';').Contains(target.AssetPath)) return;
            Native.Editor.DirtyAssets = (Native.Editor.DirtyAssets + ";" + target.AssetPath).Trim(';');
            Native.Editor.Say("dirty-settings " + target.AssetPath);
        }

        public static void SaveIfDirty(Object target)
        {
            if (!EditorUtility.IsDirty(target) || !target.AssetPath.StartsWith("ProjectSettings/")
                || Native.Editor.Quirk("settings-not-saved-alone"))
            {
                return;
            }
            Write(target.AssetPath);
            Native.Editor.DirtyAssets =
                string.Join(";", Native.Editor.DirtyAssets.Split(';').Where(path => path != target.AssetPath));
        }

        public static void Write(string path)
        {
            if (!Files.ContainsKey(path)) return;
            var file = Making.FileOf(path);
            Directory.CreateDirectory(Path.GetDirectoryName(file));
            File.WriteAllText(file, "%YAML\n"
                + string.Join("\n", Files[path].SelectMany(one => one.Fields.Root.All())
                    .Select(field => field.Name + ": " + field.Value)));
            Native.Editor.Say("wrote " + path);
        }

        /// <summary>The running editor has what was applied.</summary>
        public static void Applied(Object target)
        {
            if (target is TagManager) LayerMask.Names = TagManager.Values("layers").ToArray();
            if (target is TimeManager)
            {
                Native.Editor.TimeScale = (float)(double)target.Fields.Root.Find("m_TimeScale").Value;
            }
        }
    }

    /// <summary>Editor/Mono/TagManager.bindings.cs.</summary>
    internal sealed class TagManager : ProjectSettingsBase
    {
        internal static readonly string[] BuiltIn =
            { "Untagged", "Respawn", "Finish", "EditorOnly", "MainCamera", "Player", "GameController" };

        private static Object Own1 { get { return ProjectSettings.At("ProjectSettings/TagManager.asset")[0]; } }

        internal static List<string> Own { get { return Values("tags").ToList(); } }

        internal static string[] SortingLayers
        {
            get { return Elements("m_SortingLayers").Select(layer => (string)layer.Find("name").Value).ToArray(); }
        }

        internal static long[] SortingLayerIds
        {
            get
            {
                return Elements("m_SortingLayers").Select(layer => Convert.ToInt64(layer.Find("uniqueID").Value))
                    .ToArray();
            }
        }

        internal static IEnumerable<string> Values(string list)
        {
            return Elements(list).Select(element => (string)element.Value);
        }

        private static IEnumerable<FieldNode> Elements(string list)
        {
            var node = Own1.Fields.Root.Find(list);
            return Enumerable.Range(1, node.Size).Select(node.At);
        }

        internal static void Edit(string list, Action<FieldNode> edit)
        {
            var fields = Own1.Fields.Clone();
            edit(fields.Root.Find(list));
            Own1.Fields = fields;
        }
    }

    public static partial class Unsupported
    {
        /// <summary>Null for no such class (Unsupported.bindings.cs, public from 2021.3 to 6000.7).</summary>
        public static Object GetSerializedAssetInterfaceSingleton(string className)
        {
            Native.RequireMainThread("Unsupported.GetSerializedAssetInterfaceSingleton");
            return ProjectSettings.OfClass(className);
        }

        private static readonly Dictionary<string, RenderSettings> Lighting = new Dictionary<string, RenderSettings>();

        /// <summary>Of the active scene; while a prefab is open, of its stage, which is no scene's
        /// (Unsupported.SetOverrideLightingSettings, PrefabStageUtility.cs 2021.3).</summary>
        public static RenderSettings GetRenderSettings()
        {
            Native.RequireMainThread("Unsupported.GetRenderSettings");
            var scene = Native.Editor.OpenPrefab ?? Native.Editor.DirtyPrefab
                ?? UnityEngine.SceneManagement.SceneManager.GetActiveScene().path;
            RenderSettings settings;
            if (Lighting.TryGetValue(scene, out settings)) return settings;
            Lighting[scene] = settings = new RenderSettings { Scene = scene };
            settings.SetName("RenderSettings");
            foreach (var field in new[] { "m_Fog|Boolean|bool|false", "m_FogColor|Color|Color|0.5,0.5,0.5,1",
                "m_FogMode|Enum|Enum|3;Linear=1,Exponential=2,ExponentialSquared=3",
                "m_FogDensity|Float|float|0.01", "m_LinearFogStart|Float|float|0", "m_LinearFogEnd|Float|float|300",
                "m_AmbientMode|Integer|int|0",
                "m_AmbientSkyColor|Color|Color|0.2,0.2,0.2,1", "m_AmbientIntensity|Float|float|1",
                "m_SkyboxMaterial|ObjectReference|PPtr<$Material>|",
                "m_Sun|ObjectReference|PPtr<$Light>|", "m_ReflectionIntensity|Float|float|1" })
            {
                var words = field.Split('|');
                settings.Fields.Set(words[0], words[1], words[2], words[3]);
            }
            return settings;
        }
    }
}

namespace UnityEditor.Build
{
    public struct NamedBuildTarget
    {
        public static readonly NamedBuildTarget Unknown;
    }
}
