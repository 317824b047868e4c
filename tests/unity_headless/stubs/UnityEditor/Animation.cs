using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityEditor
{
    public partial class AssetDatabase
    {
        /// <summary>In memory; the file has it once it is saved (AssetDatabase.bindings.cs).</summary>
        public static void AddObjectToAsset(Object objectToAdd, Object assetObject)
        {
            World.Read("AssetDatabase.AddObjectToAsset");
            if (assetObject.AssetPath.Length == 0) throw new UnityException("the asset is in no file yet");
            objectToAdd.AssetPath = assetObject.AssetPath;
            objectToAdd.LocalId = 1000 + World.SubAssets.Count;
            World.SubAssets.Add(objectToAdd);
            MarkDirty(assetObject.AssetPath);
        }

        // The parts that the file has. One that is only in memory is lost with it: a reference to it is {fileID: 0}.
        private static void WriteParts(string path)
        {
            Object asset;
            if (!World.AssetByPath.TryGetValue(path, out asset)) return;
            var controller = asset as Animations.AnimatorController;
            var text = controller != null
                ? controller.Yaml()
                : asset is AnimationClip
                ? AnimationUtility.Yaml((AnimationClip)asset)
                : null;
            if (text != null) File.WriteAllText(Making.FileOf(path), text);
        }
    }

    public static partial class EditorUtility
    {
        public static GameObject CreateGameObjectWithHideFlags(string name, HideFlags flags, params Type[] components)
        {
            World.Read("EditorUtility.CreateGameObjectWithHideFlags");
            var made = new GameObject("", null, name);
            made.hideFlags = flags;
            return made;
        }
    }

    public struct EditorCurveBinding
    {
        public string path;
        public string propertyName;
        private Type _type;

        public Type type { get { return _type; } set { _type = value; } }

        public static EditorCurveBinding FloatCurve(string inPath, Type inType, string inPropertyName)
        {
            return new EditorCurveBinding { path = inPath, type = inType, propertyName = inPropertyName };
        }

        public static EditorCurveBinding PPtrCurve(string inPath, Type inType, string inPropertyName)
        {
            return FloatCurve(inPath, inType, inPropertyName);
        }
    }

    public struct ObjectReferenceKeyframe
    {
        public float time;
        public Object value;
    }

    public class AnimationClipSettings
    {
        public bool loopTime { get; set; }
        public float stopTime { get; set; }
    }

    public sealed class AnimationMode
    {
        public static bool InAnimationMode() { return Native.Editor.Quirk("animation-mode"); }
    }

    /// <summary>Editor/Mono/Animation/AnimationUtility.bindings.cs 2021.3.58f1, 6000.7.0a1: any name of a property is
    /// taken, and stored. Settings are a copy. A later frame rate moves no keys.</summary>
    public class AnimationUtility
    {
        public enum TangentMode { Free, Auto, Linear, Constant, ClampedAuto }

        private static readonly string[] Vectors = { "m_LocalPosition", "m_LocalScale" };

        public static EditorCurveBinding[] GetAnimatableBindings(GameObject targetObject, GameObject root)
        {
            World.Read("AnimationUtility.GetAnimatableBindings");
            var all = Vectors.SelectMany(
                name => "xyz".Select(axis =>
                    EditorCurveBinding.FloatCurve("", typeof(Transform), name + "." + axis))).ToList();
            all.AddRange("xyzw".Select(
                axis => EditorCurveBinding.FloatCurve("", typeof(Transform), "m_LocalRotation." + axis)));
            all.Add(EditorCurveBinding.FloatCurve("", typeof(GameObject), "m_IsActive"));
            foreach (var part in targetObject.Components.Where(part => !(part is Transform)))
            {
                all.Add(EditorCurveBinding.FloatCurve("", part.GetType(), "m_Enabled"));
                if (part is SpriteRenderer || part is Light)
                {
                    all.AddRange("rgba".Select(
                        one => EditorCurveBinding.FloatCurve("", part.GetType(), "m_Color." + one)));
                }
                if (part is Light) all.Add(EditorCurveBinding.FloatCurve("", part.GetType(), "m_Intensity"));
            }
            return all.ToArray();
        }

        public static EditorCurveBinding[] GetCurveBindings(AnimationClip clip)
        {
            return Bindings<AnimationCurve>(clip);
        }

        public static EditorCurveBinding[] GetObjectReferenceCurveBindings(AnimationClip clip)
        {
            return Bindings<ObjectReferenceKeyframe[]>(clip);
        }

        public static AnimationCurve GetEditorCurve(AnimationClip clip, EditorCurveBinding binding)
        {
            var curve = Get(clip, binding) as AnimationCurve;
            return curve == null ? null : new AnimationCurve(curve.keys);
        }

        public static ObjectReferenceKeyframe[] GetObjectReferenceCurve(AnimationClip clip, EditorCurveBinding binding)
        {
            return Get(clip, binding) as ObjectReferenceKeyframe[];
        }

        public static void SetEditorCurve(AnimationClip clip, EditorCurveBinding binding, AnimationCurve curve)
        {
            Set(clip, binding, curve == null ? null : new AnimationCurve(curve.keys));
        }

        public static void SetObjectReferenceCurve(
            AnimationClip clip, EditorCurveBinding binding, ObjectReferenceKeyframe[] keyframes)
        {
            Set(clip, binding, keyframes);
        }

        public static AnimationClipSettings GetAnimationClipSettings(AnimationClip clip)
        {
            World.Read("AnimationUtility.GetAnimationClipSettings");
            return new AnimationClipSettings { loopTime = clip.Loops };
        }

        public static void SetAnimationClipSettings(AnimationClip clip, AnimationClipSettings srcClipInfo)
        {
            World.Read("AnimationUtility.SetAnimationClipSettings");
            clip.Loops = srcClipInfo.loopTime;
            Changed(clip);
        }

        /// <summary>It computes the tangent, whatever it was.</summary>
        public static void SetKeyLeftTangentMode(AnimationCurve curve, int index, TangentMode tangentMode)
        {
            World.Read("AnimationUtility.SetKeyLeftTangentMode");
            var keys = curve.keys;
            keys[index].inTangent = Tangent(keys, index - 1, index, tangentMode);
            curve.keys = keys;
        }

        public static void SetKeyRightTangentMode(AnimationCurve curve, int index, TangentMode tangentMode)
        {
            World.Read("AnimationUtility.SetKeyRightTangentMode");
            var keys = curve.keys;
            keys[index].outTangent = Tangent(keys, index, index + 1, tangentMode);
            curve.keys = keys;
        }

        private static float Tangent(Keyframe[] keys, int from, int to, TangentMode mode)
        {
            if (mode == TangentMode.Constant) return float.PositiveInfinity;
            return from < 0 || to >= keys.Length
                ? 0
                : (keys[to].value - keys[from].value) / (keys[to].time - keys[from].time);
        }

        internal static string Yaml(AnimationClip clip)
        {
            return "%YAML AnimationClip " + clip.RawName + " rate " + clip.frameRate + " loop " + clip.Loops + "\n"
                + string.Join("\n",
                clip.Curves.Select(pair =>
                    ((EditorCurveBinding)pair.Key).path + "|" + ((EditorCurveBinding)pair.Key).type.Name + "|"
                    + ((EditorCurveBinding)pair.Key).propertyName)) + "\n"
                + string.Join("\n", clip.Curves.Select(pair => pair.Value).OfType<AnimationCurve>()
                    .SelectMany(curve => curve.keys).Select(key =>
                        "key " + key.time + " " + key.value + " in " + key.inTangent + " out " + key.outTangent));
        }

        private static EditorCurveBinding[] Bindings<T>(AnimationClip clip)
        {
            World.Read("AnimationUtility.GetCurveBindings");
            return clip.Curves.Where(pair => pair.Value is T).Select(pair => (EditorCurveBinding)pair.Key).ToArray();
        }

        private static object Get(AnimationClip clip, EditorCurveBinding binding)
        {
            World.Read("AnimationUtility.GetEditorCurve");
            return clip.Curves.FirstOrDefault(pair => pair.Key.Equals(binding)).Value;
        }

        private static void Set(AnimationClip clip, EditorCurveBinding binding, object curve)
        {
            World.Read("AnimationUtility.SetEditorCurve");
            clip.Curves.RemoveAll(pair => pair.Key.Equals(binding));
            if (curve != null) clip.Curves.Add(new KeyValuePair<object, object>(binding, curve));
            Changed(clip);
        }

        private static void Changed(AnimationClip clip)
        {
            if (clip.AssetPath.Length > 0) AssetDatabase.MarkDirty(clip.AssetPath);
        }
    }
}

namespace UnityEditor.Animations
{
    public enum AnimatorConditionMode { If = 1, IfNot = 2, Greater = 3, Less = 4, Equals = 6, NotEqual = 7 }

    public struct AnimatorCondition
    {
        public AnimatorConditionMode mode { get; set; }
        public string parameter { get; set; }
        public float threshold { get; set; }
    }

    public class AnimatorTransitionBase : Object
    {
        public bool isExit { get; set; }
        public AnimatorState destinationState { get; set; }
        public AnimatorStateMachine destinationStateMachine { get; set; }
        public AnimatorCondition[] conditions { get; set; } = new AnimatorCondition[0];
    }

    public class AnimatorTransition : AnimatorTransitionBase { }

    public class AnimatorStateTransition : AnimatorTransitionBase
    {
        public float duration { get; set; }
        public float exitTime { get; set; }
        public bool hasExitTime { get; set; }
        public bool hasFixedDuration { get; set; }
    }

    public sealed class BlendTree : Motion
    {
        public string blendParameter { get; set; }
    }

    public sealed class AnimatorState : Object
    {
        internal Motion Plays;

        /// <summary>Null for a clip whose file is gone; its GUID stays in the file until this is set (native, as all
        /// references).</summary>
        public Motion motion
        {
            get
            {
                return Plays == null || Plays.AssetPath.Length == 0 ? null : Plays;
            }
            set { Plays = value; }
        }

        public float speed { get; set; } = 1;
        public AnimatorStateTransition[] transitions { get; set; } = new AnimatorStateTransition[0];
        public StateMachineBehaviour[] behaviours { get; set; } = new StateMachineBehaviour[0];
    }

    public struct ChildAnimatorState
    {
        public AnimatorState state { get; set; }
        public Vector3 position { get; set; }
    }

    /// <summary>Editor/Mono/StateMachine.bindings.cs 6000.7.0a1:263-290: arrays are copies, and no setter records
    /// Undo.</summary>
    public sealed class AnimatorStateMachine : Object
    {
        private ChildAnimatorState[] _states = new ChildAnimatorState[0];

        public ChildAnimatorState[] states { get { return _states.ToArray(); } set { _states = value.ToArray(); } }
        public AnimatorState defaultState { get; set; }
        public AnimatorStateTransition[] anyStateTransitions { get; set; } = new AnimatorStateTransition[0];
        public AnimatorTransition[] entryTransitions { get; set; } = new AnimatorTransition[0];
        public ChildAnimatorStateMachine[] stateMachines { get; set; } = new ChildAnimatorStateMachine[0];
    }

    public struct ChildAnimatorStateMachine
    {
        public AnimatorStateMachine stateMachine { get; set; }
    }

    /// <summary>A person works in the window Animator or Animation.</summary>
    internal static class Person
    {
        public static void Animates(string what, string path)
        {
            var asset = World.AssetByPath[path];
            var clip = asset as AnimationClip;
            if (clip != null)
            {
                foreach (var curve in clip.Curves.Select(pair => pair.Value).OfType<AnimationCurve>())
                {
                    curve.keys = curve.keys.Select(key =>
                        new Keyframe(key.time, key.value) { inTangent = 2, outTangent = 3 }).ToArray();
                }
                return;
            }
            var machine = ((AnimatorController)asset).layers[0].stateMachine;
            if (what == "blends")
            {
                machine.states[0].state.motion = Part(new BlendTree { blendParameter = "Speed" }, "Blend", asset);
                return;
            }
            var deep = Part(new AnimatorState(), "Deep", asset);
            var below = Part(new AnimatorStateMachine(), "Below", asset);
            below.states = new[] { new ChildAnimatorState { state = deep } };
            machine.stateMachines = new[] { new ChildAnimatorStateMachine { stateMachine = below } };
            machine.defaultState = deep;
            deep.transitions = new[] { Part(new AnimatorStateTransition(), "", asset) };
            deep.transitions[0].destinationState = machine.states[0].state;
        }

        private static T Part<T>(T part, string name, Object asset) where T : Object
        {
            part.SetName(name);
            AssetDatabase.AddObjectToAsset(part, asset);
            return part;
        }
    }

    public class AnimatorControllerLayer
    {
        public string name { get; set; }
        public AnimatorStateMachine stateMachine { get; set; }
        public float defaultWeight { get; set; }
        public int syncedLayerIndex { get; set; } = -1;

        internal AnimatorControllerLayer Copy() { return (AnimatorControllerLayer)MemberwiseClone(); }
    }

    /// <summary>Editor/Mono/Animation/AnimatorController.cs 2021.3.58f1, 6000.7.0a1, and
    /// AnimatorController.bindings.cs: layers and parameters are copies. A part that nobody has added to the file is
    /// lost when the file is loaded again.</summary>
    public sealed class AnimatorController : RuntimeAnimatorController
    {
        private AnimatorControllerLayer[] _layers = new AnimatorControllerLayer[0];
        private AnimatorControllerParameter[] _parameters = new AnimatorControllerParameter[0];

        public AnimatorControllerLayer[] layers
        {
            get { World.Read("AnimatorController.layers"); return _layers.Select(layer => layer.Copy()).ToArray(); }
            set { World.Read("AnimatorController.layers"); _layers = value.Select(layer => layer.Copy()).ToArray(); }
        }

        public AnimatorControllerParameter[] parameters
        {
            get
            {
                World.Read("AnimatorController.parameters");
                return _parameters.Select(parameter => parameter.Copy()).ToArray();
            }
            set
            {
                World.Read("AnimatorController.parameters");
                _parameters = value.Select(parameter => parameter.Copy()).ToArray();
            }
        }

        /// <summary>What the window names before it removes a parameter (AnimatorController.bindings.cs
        /// 2021.3.58f1:123, 6000.7.0a1:122).</summary>
        internal Object[] CollectObjectsUsingParameter(string parameterName)
        {
            World.Read("AnimatorController.CollectObjectsUsingParameter");
            return World.SubAssets.Where(part => part.AssetPath == AssetPath).Where(part =>
                part is BlendTree && ((BlendTree)part).blendParameter == parameterName
                || part is AnimatorTransitionBase
                && ((AnimatorTransitionBase)part).conditions.Any(condition => condition.parameter == parameterName))
                .ToArray();
        }

        internal string Yaml()
        {
            var lines = new List<string> { "%YAML AnimatorController " + RawName };
            lines.AddRange(_parameters.Select(parameter => "parameter " + parameter.name + " " + parameter.type));
            foreach (var layer in _layers)
            {
                lines.Add("layer " + layer.name + " " + Ref(layer.stateMachine) + " default "
                    + Ref(layer.stateMachine.defaultState));
                lines.AddRange(layer.stateMachine.states.Select(
                    child => "state " + child.state.RawName + " " + Ref(child.state)
                        + (ReferenceEquals(child.state.Plays, null) ? "" : " plays " + child.state.Plays.RawName)));
                foreach (var part in layer.stateMachine.entryTransitions.Cast<AnimatorTransitionBase>()
                    .Concat(layer.stateMachine.anyStateTransitions)
                    .Concat(layer.stateMachine.states.SelectMany(child => child.state.transitions)))
                    lines.Add("transition " + Ref(part) + " to " + (part.isExit ? "exit" : Ref(part.destinationState)));
            }
            // What is in the file, and nothing in it refers to.
            lines.AddRange(World.SubAssets.Where(part => part.AssetPath == AssetPath)
                .Select(part => "part " + part.LocalId + " " + part.hideFlags));
            return string.Join("\n", lines);
        }

        private static string Ref(Object part)
        {
            return "{fileID: " + (ReferenceEquals(part, null) || part.IsDestroyed || part.AssetPath.Length == 0
                ? 0
                : part.LocalId) + "}";
        }
    }
}
