using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Platform;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>
    /// The members of settings that can be set: plain values that compile, download, run, ask and restart nothing. Each
    /// row has the source that shows it,
    /// in Unity's sources of 2021.3.58f1 and 6000.7.0a1: a field that the page draws by itself, without a dialog or a
    /// call after it. Main thread.
    /// </summary>
    internal static class SettingsMembers
    {
        // Class of the object; classes of code; source; the members by the name of code, with the serialized name and
        // the enum of its numbers.
        private static readonly string[][] Table = new[]
        {
            "PlayerSettings | PlayerSettings Player | PlayerSettingsEditor.cs, CommonSettings | "
            + "companyName,productName,bundleVersion,defaultCursor,cursorHotspot",
            "PlayerSettings | PlayerSettings Player | PlayerSettingsEditor.cs, ResolutionSectionGUI | "
            + "fullScreenMode=fullscreenMode:UnityEngine.FullScreenMode,defaultIsNativeResolution,"
            + "defaultScreenWidth,defaultScreenHeight,runInBackground,captureSingleScreen,usePlayerLog,"
            + "resizableWindow,visibleInBackground,allowFullscreenSwitch,forceSingleInstance,"
            + "muteOtherAudioSources",
            "PlayerSettings | PlayerSettings Player | PlayerSettingsIconsEditor.cs; SetIcons only stores | "
            + "icon",
            "PhysicsManager | Physics PhysicsManager | PhysicsManagerInspector.cs; LayerMatrixGUI | "
            + "gravity=m_Gravity,bounceThreshold=m_BounceThreshold,sleepThreshold=m_SleepThreshold,"
            + "defaultContactOffset=m_DefaultContactOffset,defaultSolverIterations=m_DefaultSolverIterations,"
            + "defaultSolverVelocityIterations=m_DefaultSolverVelocityIterations,"
            + "queriesHitBackfaces=m_QueriesHitBackfaces,queriesHitTriggers=m_QueriesHitTriggers,"
            + "clothGravity=m_ClothGravity,layerCollisions",
            "Physics2DSettings | Physics2D Physics2DSettings | Physics2DSettingsInspector.cs | "
            + "gravity=m_Gravity,velocityIterations=m_VelocityIterations,"
            + "positionIterations=m_PositionIterations,queriesHitTriggers=m_QueriesHitTriggers,"
            + "queriesStartInColliders=m_QueriesStartInColliders",
            "TimeManager | Time TimeManager | TimeManagerInspector.cs | "
            + "fixedDeltaTime=Fixed Timestep,maximumDeltaTime=Maximum Allowed Timestep,timeScale=m_TimeScale,"
            + "maximumParticleDeltaTime=Maximum Particle Timestep",
            "QualitySettings | QualitySettings Quality | QualitySettingsEditor.cs; of the current level | "
            + "pixelLightCount=*,shadows=*:UnityEngine.ShadowQuality,"
            + "shadowResolution=*:UnityEngine.ShadowResolution,shadowDistance=*,shadowCascades=*,"
            + "shadowNearPlaneOffset=*,vSyncCount=*,antiAliasing=*,"
            + "anisotropicFiltering=*anisotropicTextures:UnityEngine.AnisotropicFiltering,softParticles=*,"
            + "realtimeReflectionProbes=*,lodBias=*,maximumLODLevel=*,particleRaycastBudget=*",
            "GraphicsSettings | GraphicsSettings Graphics | GraphicsSettingsInspector.cs, camera settings | "
            + "transparencySortMode=m_TransparencySortMode:UnityEngine.TransparencySortMode,"
            + "transparencySortAxis=m_TransparencySortAxis",
            "AudioManager | AudioManager Audio | AudioManagerInspector.cs | "
            + "volume=m_Volume,rolloffScale=Rolloff Scale,dopplerFactor=Doppler Factor",
            "EditorSettings | EditorSettings Editor | EditorSettingsInspector.cs, numbering, play mode | "
            + "enterPlayModeOptionsEnabled=m_EnterPlayModeOptionsEnabled,"
            + "enterPlayModeOptions=m_EnterPlayModeOptions,gameObjectNamingDigits=m_GameObjectNamingDigits",
            "NavMeshProjectSettings | NavMesh Navigation | NavigationWindow.cs, AgentSettings | "
            + "m_Settings[].agentRadius,m_Settings[].agentHeight,m_Settings[].agentSlope,"
            + "m_Settings[].agentClimb",
            "RenderSettings | RenderSettings | LightingEditor.cs, FogEditor.cs, OtherRenderingEditor.cs | "
            + "skybox=m_SkyboxMaterial,sun=m_Sun,fog=m_Fog,fogColor=m_FogColor,fogMode=m_FogMode,"
            + "fogDensity=m_FogDensity,fogStartDistance=m_LinearFogStart,fogEndDistance=m_LinearFogEnd,"
            + "ambientMode=m_AmbientMode:UnityEngine.Rendering.AmbientMode,ambientLight=m_AmbientSkyColor,"
            + "ambientSkyColor=m_AmbientSkyColor,ambientEquatorColor=m_AmbientEquatorColor,"
            + "ambientGroundColor=m_AmbientGroundColor,ambientIntensity=m_AmbientIntensity,"
            + "reflectionIntensity=m_ReflectionIntensity,haloStrength=m_HaloStrength,"
            + "flareStrength=m_FlareStrength",
        }.Select(row => row.Split(new[] { " | " }, StringSplitOptions.None)).ToArray();

        // What else people ask for, and what Unity does about it (RecompileReason, PlayerSettings.bindings.cs; dialogs
        // of PlayerSettingsEditor.cs and
        // EditorSettingsInspector.cs).
        private static readonly Dictionary<(string, string), string> Reasons = new Dictionary<(string, string), string>
        {
            {
                ("would_compile", "it takes a compilation"),
                "scriptingDefineSymbols additionalCompilerArguments allowUnsafeCode "
                    + "suppressCommonWarnings useDeterministicCompilation enableRoslynAnalyzers "
                + "apiCompatibilityLevel apiCompatibilityLevelPerPlatform editorAssembliesCompatibilityLevel "
                + "scriptingBackend m_EnableRoslynAnalyzers managedCodeVariant"
            },
            {
                ("would_reimport", "Unity would import assets again"),
                "m_ActiveColorSpace colorSpace m_SpritePackerMode spritePackerMode "
                    + "m_SerializationMode serializationMode m_Bc7TextureCompressor "
                + "m_EtcTextureCompressorBehavior m_EtcTextureFastCompressor m_EtcTextureNormalCompressor "
                + "m_EtcTextureBestCompressor"
            },
            {
                ("would_ask", "Unity needs a restart for it, and asks about that"), "activeInputHandler gcIncremental "
                    + "virtualTexturingSupportEnabled m_BuildTargetGraphicsAPIs m_BuildTargetGraphicsJobs graphicsJobs"
            },
        };

        // Where the classes of code are.
        private static readonly string[] CodeNamespaces =
            "UnityEditor UnityEngine UnityEngine.Rendering UnityEngine.AI".Split(' ');

        private static readonly List<Member> Members = Table.SelectMany(row => row[3].Split(',')
            .Select(member => new Member(row[0], member))).ToList();

        /// <summary>The names that code and the page have for an object of settings.</summary>
        public static string[] ClassesOf(Object target) => Array.Find(Table, row =>
            row[0] == target.GetType().Name)?[1].Split(' ') ?? new string[0];

        /// <summary>The serialized field of a member by its name in code; null for any other.</summary>
        public static string FieldOf(Type type, string code) =>
            Members.Find(member => member.Type == type.Name && member.Code == code)?.Path;

        /// <summary>Throws for a name that is known to be more than a plain value, whatever the value.</summary>
        public static void RequireOffered(Object target, string name)
        {
            var root = name.Split('.', '[')[0];
            if (Reasons.FirstOrDefault(pair => pair.Value.Split(' ').Contains(root)).Key is ({ } reason, var why))
            {
                throw NotOffered(target, name, reason, why);
            }
            var type = target.GetType().Name;
            var owner = ClassesOf(target).FirstOrDefault();
            var isOfCode = CodeNamespaces.Any(space =>
                LoadedAssemblies.TypeNamed(space + "." + owner)?.GetMember(root).Length > 0);
            using var serialized = new SerializedObject(target);
            using var field = FieldAddress.Lookup(serialized, name, out _, out _);
            if (field == null ? isOfCode && FieldOf(target.GetType(), root) == null
                : !Members.Exists(member => member.Type == type && member.Holds(field.propertyPath)))
            {
                throw NotOffered(target, name, "not_offered", "it is not one of the plain values that are");
            }
            // Its other fields are not offered, so they are no advice.
            var offered = Members.FindAll(member => member.Type == type).ConvertAll(member => member.Code);
            if (field == null && FieldOf(target.GetType(), root) == null && offered.Count > 0)
            {
                throw ChangeTarget.Refused(owner + " has no field '" + Quoted.Text(name) + "'. The nearest that can be "
                    + "set are " + Spelling.Nearest(name, offered) + ".");
            }
        }

        /// <summary>A value in Unity's form: a number for the name of an enum, ticks for seconds (RationalTime since
        /// 6000.0, TimeManagerInspector.cs).</summary>
        public static object ValueFor(SerializedProperty field, object value)
        {
            var type = field.serializedObject.targetObject.GetType().Name;
            var names = Members.Find(member => member.Type == type && member.Enum != null
                && member.Holds(field.propertyPath))?.Enum;
            if (value is string && names != null && field.propertyType != SerializedPropertyType.Enum)
            {
                return Convert.ToInt64(CodeEnum.Member(names, value));
            }
            if (field.propertyPath == "Fixed Timestep" && field.propertyType == SerializedPropertyType.Generic
                && SameJson.NumberOf(value) is { } seconds)
            {
                return new JsonObject { { "m_Count", (long)Math.Round(seconds * TicksPerSecond(field)) } };
            }
            return value;
        }

        /// <summary>The members that can be set, as <c>inspect</c> shows them before all serialized fields.</summary>
        public static IEnumerable<JsonObject> Shown(Object target)
        {
            if (target == null || ClassesOf(target).Length == 0)
            {
                yield break;
            }
            using var serialized = new SerializedObject(target);
            foreach (var member in Members.Where(member => member.Type == target.GetType().Name
                && !member.Code.Contains("[]")))
            {
                using var field = FieldAddress.Lookup(serialized, member.Code, out _, out _);
                if (field != null)
                {
                    yield return FieldValue.Row(ClassesOf(target)[0], member.Code,
                        member.Enum?.FullName ?? FieldValue.TypeOf(field), Value(field, member));
                }
            }
        }

        private static object Value(SerializedProperty field, Member member)
        {
            if (member.Enum != null && field.propertyType == SerializedPropertyType.Integer)
            {
                return Enum.ToObject(member.Enum, field.longValue).ToString();
            }
            if (field.propertyPath != "Fixed Timestep" || field.propertyType != SerializedPropertyType.Generic)
            {
                return FieldValue.ToJson(field, ChangeReport.Depth);
            }
            using var count = field.FindPropertyRelative("m_Count");
            return FieldValue.Real((float)(count.longValue / TicksPerSecond(field)));
        }

        private static double TicksPerSecond(SerializedProperty field)
        {
            using var numerator = field.FindPropertyRelative("m_Rate.m_Numerator");
            using var denominator = field.FindPropertyRelative("m_Rate.m_Denominator");
            return numerator.longValue / (double)denominator.longValue;
        }

        private static CommandRefused NotOffered(Object target, string name, string reason, string why)
        {
            var field = ClassesOf(target).FirstOrDefault() + "." + name;
            var refusal = Refusal.NotExecuted(reason, Quoted.Text(field) + " is not set here: " + why + ". "
                + (target.GetType().Name == "TagManager" ? "tags adds and removes them."
                : "A person can in Project Settings. " + OnlyCSharp.Can) + ChangeTarget.Unchanged);
            refusal.Details["field"] = field;
            return new CommandRefused(refusal);
        }

        private sealed class Member
        {
            private readonly string _path;

            public Member(string type, string words)
            {
                Type = type;
                var parts = words.Split(':');
                var named = parts[0].Split('=');
                Code = named[0];
                _path = named.Length == 1 ? Code : named[1] == "*" ? "*" + Code : named[1];
                Enum = parts.Length > 1 ? LoadedAssemblies.TypeNamed(parts[1]) : null;
            }

            public string Type { get; }

            public string Code { get; }

            /// <summary>For numbers that stand for names; null for others.</summary>
            public Type Enum { get; }

            public string Path => _path.Begins("*") ? "m_QualitySettings["
                + QualitySettings.GetQualityLevel() + "]." + _path.Substring(1) : _path;

            /// <summary>Whether a field is this one or a part of it, at any index of a list.</summary>
            public bool Holds(string propertyPath)
            {
                var path = _path.Replace("*", "m_QualitySettings[].");
                var field = string.Join("[]", ObjectPart.FromUnity(propertyPath).Split('[')
                    .Select((part, i) => i == 0 ? part : part.Substring(part.IndexOf(']') + 1)));
                return field == path || field.Begins(path + ".");
            }
        }
    }
}
