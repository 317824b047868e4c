using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>The curves and sprites of an animation clip. Main thread.</summary>
    internal sealed class ClipMembers : AssetMembers
    {
        private const string Rotation = "localEulerAnglesRaw.";

        private readonly AnimationClip _clip;
        private readonly List<Action> _changes = new List<Action>();
        private float _rate;

        public ClipMembers(ChangeCall call, AnimationClip clip) : base(call, clip)
        {
            _clip = clip;
            _rate = clip.frameRate;
        }

        // The rate comes first, since it moves no keys; the settings last, since curves change the clip's length.
        protected override string[] Keys { get; } = { "frame_rate", "sprites", "curves", "loop" };

        protected override JsonObject Shown() => new JsonObject
        {
            { "frame_rate", FieldValue.Real(_clip.frameRate) },
            { "loop", AnimationUtility.GetAnimationClipSettings(_clip).loopTime },
            {
                "sprites", AnimationUtility.GetObjectReferenceCurveBindings(_clip)
                    .Select(binding => Shown(binding, "frames", AnimationUtility.GetObjectReferenceCurve(_clip, binding)
                        .Select(key => Pair(key.time, FieldValue.Reference(key.value))))).ToList<object>()
            },
            {
                "curves", AnimationUtility.GetCurveBindings(_clip)
                    .Select(binding => Shown(binding, "keys", AnimationUtility.GetEditorCurve(_clip, binding).keys
                        .Select(key => Pair(key.time, FieldValue.Real(key.value))))).ToList<object>()
            },
        };

        protected override string IdOf(JsonObject row) => row.Text("path") + ":"
            + (row.Text("component") ?? "SpriteRenderer") + "." + (row.Text("field") ?? "m_Sprite");

        protected override void Plan(string key, object value)
        {
            if (AnimationMode.InAnimationMode())
            {
                // The window Animation writes into the clip that it previews.
                throw ChangeTarget.Refused("The window Animation previews or records. End that in Unity first.");
            }
            switch (key)
            {
                case "frame_rate":
                    _rate = FieldWriter.Single(value);
                    _ = _rate > 0 ? _rate : throw FieldFault.MustBe("more than 0", value);
                    _changes.Add(() => _clip.frameRate = _rate);
                    return;
                case "sprites":
                    RowsIn(value, null, "path", "component", "field", "frames").ForEach(PlanSprites);
                    return;
                case "curves":
                    RowsIn(value, null, "path", "component", "field", "keys").ForEach(PlanCurve);
                    return;
                default:
                    PlanLoop(FieldWriter.Flag(value));
                    return;
            }
        }

        protected override void Write() => _changes.ForEach(change => change());

        private void PlanLoop(bool isLooped)
        {
            if (_clip.legacy)
            {
                throw new FieldFault(" is for an Animator; this clip is for the component Animation (legacy).");
            }
            _changes.Add(() =>
            {
                var settings = AnimationUtility.GetAnimationClipSettings(_clip);
                settings.loopTime = isLooped;
                AnimationUtility.SetAnimationClipSettings(_clip, settings);
            });
        }

        private void PlanSprites(JsonObject row)
        {
            var binding = BindingOf(row, "SpriteRenderer", "m_Sprite");
            if (IsRemoval(row))
            {
                _changes.Add(() => AnimationUtility.SetObjectReferenceCurve(_clip, binding, null));
                return;
            }
            var frames = row.Array("frames") ?? new List<object>();
            var keys = frames.Select((frame, place) => Frame(frame, place)).ToArray();
            RequireOrder(keys.Select(key => key.time).ToList(), frames, "frames");
            _changes.Add(() => AnimationUtility.SetObjectReferenceCurve(_clip, binding, keys));
        }

        // One without a time follows the one before it, at the clip's rate.
        private ObjectReferenceKeyframe Frame(object frame, int place)
        {
            var pair = frame is List<object> { Count: 2 } timed ? timed
                : new List<object> { place / (double)_rate, frame };
            return new ObjectReferenceKeyframe
            {
                time = FieldWriter.Single(pair[0]), value = AssetIn(pair[1], "Sprite", null),
            };
        }

        private void PlanCurve(JsonObject row)
        {
            var binding = BindingOf(row, null, null);
            if (IsRemoval(row))
            {
                _changes.Add(() => AnimationUtility.SetEditorCurve(_clip, binding, null));
                return;
            }
            // As code has it.
            var keys = (row.Array("keys") ?? new List<object>()).ConvertAll(key =>
                key is JsonObject { Count: 2 } members && members.TryGetValue("time", out var time)
                && members.TryGetValue("value", out var at) ? new List<object> { time, at } : key);
            var frames = keys.ConvertAll(key => key is List<object> { Count: 2 } pair
                ? new Keyframe(FieldWriter.Single(pair[0]), ValueIn(pair[1]))
                : throw FieldFault.MustBe("a list with keys [time, value]", key));
            RequireOrder(frames.ConvertAll(frame => frame.time), keys, "keys");
            var curve = AnimationUtility.GetEditorCurve(_clip, binding) ?? new AnimationCurve();
            var there = curve.keys;
            var places = frames.ConvertAll(frame => Array.FindIndex(there, key =>
                key.time.Equals(frame.time) && key.value.Equals(frame.value)));
            curve.keys = frames.Select((frame, place) => places[place] < 0 ? frame : there[places[place]]).ToArray();
            // Unity's own tangents swing over the keys. One that is there keeps those that a person gave it.
            var mode = keys.Exists(key => ((List<object>)key)[1] is bool)
                ? AnimationUtility.TangentMode.Constant : AnimationUtility.TangentMode.Linear;
            for (var place = 0; place < frames.Count; place++)
            {
                if (places[place] < 0)
                {
                    AnimationUtility.SetKeyLeftTangentMode(curve, place, mode);
                    AnimationUtility.SetKeyRightTangentMode(curve, place, mode);
                }
            }
            _changes.Add(() => AnimationUtility.SetEditorCurve(_clip, binding, curve));
        }

        private static float ValueIn(object value) => value is bool flag ? (flag ? 1 : 0) : FieldWriter.Single(value);

        private static void RequireOrder(List<float> times, List<object> given, string name)
        {
            var isOrdered = times.Zip(times.Skip(1), (time, next) => next > time).All(isLater => isLater);
            if (times.Count == 0 || times[0] < 0 || !isOrdered)
            {
                throw FieldFault.MustBe("a list with " + name + " [time, value], each later than the one before it",
                    given);
            }
        }

        private EditorCurveBinding BindingOf(JsonObject row, string component, string field)
        {
            component = FieldWriter.Member(row, "component", FieldWriter.TextOf, component) ?? "Transform";
            field = FieldWriter.Member(row, "field", FieldWriter.TextOf, field)
                ?? throw FieldFault.MustBe("a list of rows with field", row);
            var isReference = field == "m_Sprite";
            var there = IsRemoval(row) ? ThereAs(component, field) : null;
            // Any component may have a sprite.
            var binding = isReference ? EditorCurveBinding.PPtrCurve("", ComponentTypes.Find(component), field)
                : there ?? Bindable(component, field);
            binding.path = row.Text("path") ?? "";
            return binding;
        }

        // What the clip has already, under whatever name.
        private EditorCurveBinding? ThereAs(string component, string field) =>
            AnimationUtility.GetCurveBindings(_clip)
            .Where(binding => binding.propertyName == field && TypeNames.NameOf(binding.type) == component)
            .Select(binding => (EditorCurveBinding?)binding).FirstOrDefault();

        // Unity takes any name, and shows "Missing!" in its window. A hidden object of that kind has the right ones.
        private static EditorCurveBinding Bindable(string component, string field)
        {
            var probe = EditorUtility.CreateGameObjectWithHideFlags("probe", HideFlags.HideAndDontSave);
            try
            {
                probe.SetActive(false);
                var type = component == "GameObject" ? typeof(GameObject) : component == "Transform" ? typeof(Transform)
                    : ComponentTypes.Find(component);
                if (type != typeof(GameObject) && type != typeof(Transform))
                {
                    probe.AddComponent(type);
                }
                var all = AnimationUtility.GetAnimatableBindings(probe, probe);
                return Chosen(all.Where(binding => binding.type == type).ToList(), type, field);
            }
            finally
            {
                Object.DestroyImmediate(probe);
            }
        }

        private static EditorCurveBinding Chosen(List<EditorCurveBinding> all, Type type, string field)
        {
            // Materials and shapes of the face are those of the object that is not there yet.
            if (field.Split('.')[0] is "material" or "blendShape")
            {
                return EditorCurveBinding.FloatCurve("", type, field);
            }
            var end = field.LastIndexOf('.') + 1;
            var isAngle = field.Substring(0, end) is "localEulerAngles." or "localRotation." or Rotation;
            if (type == typeof(Transform) && isAngle && "xyz".Contains(field.Substring(end)))
            {
                // In degrees, as Unity's window writes it.
                return EditorCurveBinding.FloatCurve("", type, Rotation + field.Substring(end));
            }
            var ofUnity = field == "active" ? "m_IsActive"
                : "m_" + char.ToUpperInvariant(field[0]) + field.Substring(1);
            var names = new[] { field, ofUnity };
            var match = all.FindIndex(binding => names.Contains(binding.propertyName));
            return match >= 0 ? all[match] : throw new FieldFault(" names the field " + Quoted.Text(field)
                + ", which cannot be animated. The nearest of " + TypeNames.NameOf(type) + " are "
                + Spelling.Nearest(field, all.Select(binding => binding.propertyName)) + ".");
        }

        private static object Shown(EditorCurveBinding binding, string name, IEnumerable<object> keys) => new JsonObject
        {
            { "path", binding.path }, { "component", TypeNames.NameOf(binding.type) },
            { "field", binding.propertyName },
            { name, keys.ToList() },
        };

        private static object Pair(float time, object value) => new List<object> { FieldValue.Real(time), value };
    }
}
