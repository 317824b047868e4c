using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using UnityEditor.Animations;
using UnityEngine;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>The parameters, states and transitions of an animator controller. Main thread.</summary>
    internal sealed class AnimatorMembers : AssetMembers
    {
        // Internal (AnimatorController.bindings.cs, 2021.3 to 6000.7).
        private static readonly MethodInfo Users = typeof(AnimatorController).GetMethod(
            "CollectObjectsUsingParameter", BindingFlags.Instance | BindingFlags.NonPublic);

        private readonly AnimatorController _controller;
        private readonly AnimatorGraph _graph;
        private readonly HashSet<string> _changedParameters = new HashSet<string>();

        public AnimatorMembers(ChangeCall call, AnimatorController controller) : base(call, controller)
        {
            _controller = controller;
            _graph = new AnimatorGraph(controller);
        }

        // In the order in which one refers to the other.
        protected override string[] Keys { get; } = { "parameters", "states", "default_state", "transitions" };

        protected override JsonObject Shown() => new AnimatorGraph(_controller).ToJson();

        protected override string IdOf(JsonObject row)
        {
            var id = row.ContainsKey("name") ? row.Text("name") : row.Text("from") + " -> " + row.Text("to");
            var layer = row.Text("layer");
            return layer == null || layer == BaseLayer ? id : layer + "." + id;
        }

        protected override void Plan(string key, object value)
        {
            switch (key)
            {
                case "parameters":
                    RowsIn(value, "type", "name", "type", "default").ForEach(PlanParameter);
                    return;
                case "states":
                    RowsIn(value, "motion", "name", "motion", "speed", "layer").ForEach(PlanState);
                    return;
                case "default_state" when _graph.Defaults.TryGetValue(BaseLayer, out var now) && now == value as string:
                    return;
                case "default_state":
                    var state = StateNamed(FieldWriter.TextOf(value), null);
                    _graph.Defaults[state.Layer] = state.Name;
                    return;
                default:
                    RowsIn(value, null, "from", "to", "layer", "conditions", "has_exit_time", "exit_time", "duration")
                        .ForEach(PlanTransition);
                    return;
            }
        }

        protected override void CheckWhole()
        {
            var parts = _graph.Transitions.ConvertAll(row => (Object)row.Part);
            foreach (var was in _controller.parameters.Where(was => _changedParameters.Contains(was.name)
                && _graph.Parameters.Find(parameter => parameter.name == was.name)?.type != was.type))
            {
                // Unity's window asks before it removes one that is used.
                if ((Users?.Invoke(_controller, new object[] { was.name }) as Object[])?.Except(parts)
                    .FirstOrDefault() is { } user)
                {
                    throw ChangeTarget.Refused("The parameter " + Quoted.Text(was.name) + " is used by "
                        + TypeNames.NameOf(user) + " " + Quoted.Text(user.name) + ". Change or remove that first.");
                }
            }
            foreach (var row in _graph.Transitions.Where(row => !row.IsRemoved))
            {
                row.IsRemoved = _graph.States.Exists(state => state.IsRemoved && state.Layer == row.Layer
                    && (state.Name == row.From || state.Name == row.To));
                var faulty = row.IsRemoved ? null : row.Conditions
                    .Where(condition => row.IsChanged || _changedParameters.Contains(condition.parameter))
                    .Select(condition => FaultOf(condition)).FirstOrDefault(fault => fault != null);
                if (faulty != null)
                {
                    throw ChangeTarget.Refused("The transition " + Quoted.Text(row.Name) + faulty);
                }
            }
        }

        protected override void Write() => new AnimatorWriter(_controller).Write(_graph);

        private string BaseLayer => _graph.Layers[0];

        private void PlanParameter(JsonObject row)
        {
            var name = NameIn(row);
            var place = _graph.Parameters.FindIndex(parameter => parameter.name == name);
            _changedParameters.Add(name);
            if (IsRemoval(row))
            {
                _graph.Parameters.RemoveAt(place >= 0 ? place
                    : throw NotThere("parameter", name, _graph.Parameters.Select(parameter => parameter.name)));
                return;
            }
            var planned = place >= 0 ? _graph.Parameters[place] : new AnimatorControllerParameter { name = name };
            if (place < 0 && !row.ContainsKey("type"))
            {
                throw new FieldFault(" must have a type for " + Quoted.Text(name) + ": Float, Int, Bool or Trigger.");
            }
            planned.type =
                FieldWriter.Member(row, "type", CodeEnum.Member<AnimatorControllerParameterType>, planned.type);
            switch (planned.type)
            {
                case AnimatorControllerParameterType.Float:
                    planned.defaultFloat = FieldWriter.Member(row, "default", FieldWriter.Single, planned.defaultFloat);
                    break;
                case AnimatorControllerParameterType.Int:
                    planned.defaultInt = FieldWriter.Member(row, "default", FieldWriter.Int, planned.defaultInt);
                    break;
                default:
                    planned.defaultBool = FieldWriter.Member(row, "default", FieldWriter.Flag, planned.defaultBool);
                    break;
            }
            if (place < 0)
            {
                _graph.Parameters.Add(planned);
            }
        }

        private void PlanState(JsonObject row)
        {
            var name = NameIn(row);
            var layer = row.Text("layer");
            if (IsRemoval(row))
            {
                StateNamed(name, layer).IsRemoved = true;
                return;
            }
            // A name in a path is divided at its dots.
            if (name.IndexOfAny(new[] { '.', '/' }) >= 0
                || name is AnimatorGraph.AnyState or AnimatorGraph.Entry or AnimatorGraph.Exit)
            {
                throw new FieldFault(" cannot be named " + Quoted.Text(name)
                    + ": a state's name has no dot or slash, and is not Any State, Entry or Exit.");
            }
            var there = FindState(name, layer);
            var state = there ?? new StateRow { Name = name, Layer = layer ?? BaseLayer };
            state.Motion = FieldWriter.Member(row, "motion", MotionIn, state.Motion);
            state.Speed = FieldWriter.Member(row, "speed", FieldWriter.Single, state.Speed);
            if (there == null)
            {
                _graph.States.Add(state);
            }
            if (!_graph.Layers.Contains(state.Layer))
            {
                _graph.Layers.Add(state.Layer);
                Call.Remarks.Add("The layer " + Quoted.Text(state.Layer) + " is new, with weight 1.");
            }
        }

        private void PlanTransition(JsonObject row)
        {
            var from = FieldWriter.TextOf(row.Get("from"));
            var to = FieldWriter.TextOf(row.Get("to"));
            var isFromState = from is not (AnimatorGraph.AnyState or AnimatorGraph.Entry);
            var layer = row.Text("layer")
                ?? (isFromState ? StateNamed(from, null).Layer
                : to == AnimatorGraph.Exit ? BaseLayer : StateNamed(to, null).Layer);
            var there = _graph.Transitions.FindAll(
                other => other.Layer == layer && other.From == from && other.To == to);
            if (IsRemoval(row))
            {
                there.ForEach(other => other.IsRemoved = true);
                _ = there.Count > 0 ? there
                    : throw NotThere("transition", from + " -> " + to, _graph.Transitions.Select(row => row.Name));
                return;
            }
            if (there.Count > 1)
            {
                throw new FieldFault(" has " + there.Count + " from " + Quoted.Text(from) + " to " + Quoted.Text(to)
                    + ", so it is unknown which is meant. Remove them first (remove: true removes all).");
            }
            if (isFromState)
            {
                StateNamed(from, layer);
            }
            if (to != AnimatorGraph.Exit && there.Count == 0)
            {
                StateNamed(to, layer);
            }
            var planned = there.FirstOrDefault() ?? new TransitionRow { Layer = layer, From = from, To = to };
            planned.IsChanged = true;
            planned.Conditions = FieldWriter.Member(row, "conditions", ConditionsIn, planned.Conditions);
            if (from == AnimatorGraph.Entry && row.Keys.Any(key => key is "has_exit_time" or "exit_time" or "duration"))
            {
                throw new FieldFault(" from Entry takes conditions alone: it has no times.");
            }
            // Without a condition and a time Unity ignores it.
            var isTimed = planned.Part != null ? planned.HasExitTime
                : planned.Conditions.Length == 0 && from != AnimatorGraph.Entry;
            planned.HasExitTime = FieldWriter.Member(row, "has_exit_time", FieldWriter.Flag, isTimed);
            planned.ExitTime = FieldWriter.Member(row, "exit_time", FieldWriter.Single, planned.ExitTime);
            planned.Duration = FieldWriter.Member(row, "duration", FieldWriter.Single, planned.Duration);
            if (isFromState && !planned.HasExitTime && planned.Conditions.Length == 0)
            {
                throw new FieldFault(" from " + Quoted.Text(from)
                    + " needs conditions or has_exit_time: Unity ignores it else.");
            }
            if (there.Count == 0)
            {
                _graph.Transitions.Add(planned);
            }
        }

        private AnimatorCondition[] ConditionsIn(object value) =>
            (value as List<object> ?? throw FieldFault.MustBe("a list such as [[\"Speed\", \">\", 0.1]]", value))
            .ConvertAll(ConditionIn).ToArray();

        private AnimatorCondition ConditionIn(object value)
        {
            var row = value as JsonObject;
            var members = new[] { "parameter", "mode", "threshold" };
            // As code has it.
            var parts = row != null && row.Keys.All(members.Contains)
                ? members.Where(row.ContainsKey).Select(row.Get).ToList()
                : value as List<object> ?? new List<object> { value };
            var name = parts.Count > 0 ? parts[0] as string : null;
            var sign = parts.Count < 2 ? "true" : parts[1] is bool flag ? flag.ToString() : parts[1] as string;
            if (name == null || sign == null || !(AnimatorGraph.ModeOf(sign) is { } mode)
                || (mode > AnimatorConditionMode.IfNot ? parts.Count != 3 : parts.Count > 2 && row == null))
            {
                throw FieldFault.MustBe("[parameter, sign, value], with >, <, =, != and a value, or with true, false, "
                    + "trigger", value);
            }
            return new AnimatorCondition
            {
                parameter = name, mode = mode, threshold = parts.Count > 2 ? FieldWriter.Single(parts[2]) : 0,
            };
        }

        // Unity takes any, and warns in the running game, or is silent and never goes on.
        private string FaultOf(AnimatorCondition condition)
        {
            var parameter = _graph.Parameters.Find(candidate => candidate.name == condition.parameter);
            if (parameter == null)
            {
                return " asks for the parameter " + Quoted.Text(condition.parameter) + ", which is not there.";
            }
            var fits = parameter.type switch
            {
                AnimatorControllerParameterType.Float =>
                    condition.mode is AnimatorConditionMode.Greater or AnimatorConditionMode.Less,
                AnimatorControllerParameterType.Int => condition.mode > AnimatorConditionMode.IfNot,
                AnimatorControllerParameterType.Bool => condition.mode <= AnimatorConditionMode.IfNot,
                _ => condition.mode == AnimatorConditionMode.If,
            };
            return fits ? null : " compares the parameter " + Quoted.Text(parameter.name) + " in a way that "
                + parameter.type + " does not have: Float has > and <, Int also = and !=, Bool true and false.";
        }

        private StateRow StateNamed(string name, string layer) =>
            FindState(name, layer) ?? throw NotThere("state", name, _graph.States.Select(state => state.Name));

        private StateRow FindState(string name, string layer)
        {
            var there = _graph.States.FindAll(state =>
                state.Name == name && !state.IsRemoved && (layer == null || state.Layer == layer));
            return there.Count < 2 ? there.FirstOrDefault()
                : throw new FieldFault(" names " + Quoted.Text(name) + ", which is in several layers: give the layer.");
        }

        private static FieldFault NotThere(string kind, string name, IEnumerable<string> names) =>
            new FieldFault(" names the " + kind + " " + Quoted.Text(name) + ", which is not there. There "
                + (names.Any() ? "are " + Cut.Names(names) + "." : "is none."));

        private static string NameIn(JsonObject row)
        {
            var name = FieldWriter.TextOf(row.Get("name"));
            return name.Length > 0 ? name : throw FieldFault.MustBe("a list whose rows have a name", row);
        }

        private Motion MotionIn(object value)
        {
            var motion = value == null ? null : (Motion)AssetIn(value, "Motion", ".anim");
            return motion is AnimationClip { legacy: true }
                ? throw new FieldFault(" must be a clip for an Animator; " + Quoted.Text(motion.name)
                    + " is for the component Animation (legacy).")
                : motion;
        }
    }
}
