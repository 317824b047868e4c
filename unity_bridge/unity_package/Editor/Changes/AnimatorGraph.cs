using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor.Animations;
using UnityEngine;
using UnityBridge.Json;
using UnityBridge.Objects;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>A state of a layer; without a part while it is only planned.</summary>
    internal sealed class StateRow
    {
        public string Name { get; set; }

        public string Layer { get; set; }

        public Motion Motion { get; set; }

        public float Speed { get; set; } = 1;

        public AnimatorState Part { get; set; }

        public bool IsRemoved { get; set; }

        public JsonObject ToJson() => new JsonObject
        {
            { "name", Name }, { "layer", Layer }, { "motion", FieldValue.Reference(Motion) },
            { "speed", FieldValue.Real(Speed) },
        };
    }

    /// <summary>A transition of a layer; without a part while it is only planned.</summary>
    internal sealed class TransitionRow
    {
        public string Layer { get; set; }

        /// <summary>A state, <see cref="AnimatorGraph.AnyState"/> or <see cref="AnimatorGraph.Entry"/>.</summary>
        public string From { get; set; }

        /// <summary>A state, a machine or <see cref="AnimatorGraph.Exit"/>.</summary>
        public string To { get; set; }

        public AnimatorCondition[] Conditions { get; set; } = new AnimatorCondition[0];

        public bool HasExitTime { get; set; }

        public float ExitTime { get; set; } = 0.75f;

        public float Duration { get; set; } = 0.25f;

        public AnimatorTransitionBase Part { get; set; }

        public bool IsChanged { get; set; }

        public bool IsRemoved { get; set; }

        public string Name => From + " -> " + To;
    }

    /// <summary>What an animator controller consists of: its parameters, and the states and transitions of its layers.
    /// What is in machines below those of the layers is left alone. Main thread.</summary>
    internal sealed class AnimatorGraph
    {
        public const string AnyState = "Any State";
        public const string Entry = "Entry";
        public const string Exit = "Exit";

        private static readonly Dictionary<AnimatorConditionMode, string> Signs =
            new Dictionary<AnimatorConditionMode, string>
            {
                { AnimatorConditionMode.Greater, ">" }, { AnimatorConditionMode.Less, "<" },
                { AnimatorConditionMode.Equals, "=" }, { AnimatorConditionMode.NotEqual, "!=" },
                { AnimatorConditionMode.If, "true" }, { AnimatorConditionMode.IfNot, "false" },
            };

        public AnimatorGraph(AnimatorController controller)
        {
            Parameters = controller.parameters.ToList();
            // One that is synced has the machine of another.
            foreach (var layer in controller.layers.Where(layer => layer.syncedLayerIndex < 0))
            {
                Layers.Add(layer.name);
                Read(layer.name, layer.stateMachine);
            }
            if (Layers.Count == 0)
            {
                // A new one gets it when it is in its file.
                Layers.Add(AnimatorWriter.BaseLayer);
            }
        }

        public List<AnimatorControllerParameter> Parameters { get; }

        public List<string> Layers { get; } = new List<string>();

        public List<StateRow> States { get; } = new List<StateRow>();

        public List<TransitionRow> Transitions { get; } = new List<TransitionRow>();

        /// <summary>The default states, by layer.</summary>
        public Dictionary<string, string> Defaults { get; } = new Dictionary<string, string>();

        public JsonObject ToJson() => new JsonObject
        {
            { "parameters", Parameters.Select(ToJson).ToList<object>() },
            { "states", States.Select(state => state.ToJson()).ToList<object>() },
            { "default_state", Layers.Count > 0 && Defaults.TryGetValue(Layers[0], out var name) ? name : null },
            { "transitions", Transitions.Select(ToJson).ToList<object>() },
        };

        /// <summary>The mode of a sign such as &gt;; null for none.</summary>
        public static AnimatorConditionMode? ModeOf(string sign)
        {
            sign = sign == "==" ? "=" : sign == "trigger" ? "true" : sign.ToLowerInvariant();
            return Signs.ContainsValue(sign) ? Signs.First(pair => pair.Value == sign).Key
                : Enum.TryParse<AnimatorConditionMode>(sign, true, out var mode) ? mode : (AnimatorConditionMode?)null;
        }

        private void Read(string layer, AnimatorStateMachine machine)
        {
            ReadTransitions(layer, Entry, machine.entryTransitions);
            ReadTransitions(layer, AnyState, machine.anyStateTransitions);
            foreach (var child in machine.states)
            {
                var state = child.state;
                States.Add(new StateRow
                {
                    Name = state.name, Layer = layer, Motion = state.motion, Speed = state.speed, Part = state,
                });
                ReadTransitions(layer, state.name, state.transitions);
            }
            Defaults[layer] = machine.defaultState == null ? null : machine.defaultState.name;
        }

        private void ReadTransitions(string layer, string from, IEnumerable<AnimatorTransitionBase> parts)
        {
            foreach (var part in parts)
            {
                var target = (Object)part.destinationState != null ? part.destinationState
                    : (Object)part.destinationStateMachine;
                var row = new TransitionRow
                {
                    Layer = layer, From = from, Conditions = part.conditions, Part = part,
                    To = target == null ? Exit : target.name,
                };
                if (part is AnimatorStateTransition timed)
                {
                    row.HasExitTime = timed.hasExitTime;
                    row.ExitTime = timed.exitTime;
                    row.Duration = timed.duration;
                }
                Transitions.Add(row);
            }
        }

        private static JsonObject ToJson(AnimatorControllerParameter parameter)
        {
            var json = new JsonObject { { "name", parameter.name }, { "type", parameter.type.ToString() } };
            var value = parameter.type switch
            {
                AnimatorControllerParameterType.Float => FieldValue.Real(parameter.defaultFloat),
                AnimatorControllerParameterType.Int => parameter.defaultInt,
                AnimatorControllerParameterType.Bool => parameter.defaultBool,
                _ => (object)null,
            };
            if (value != null)
            {
                json["default"] = value;
            }
            return json;
        }

        private object ToJson(TransitionRow row)
        {
            var json = new JsonObject
            {
                { "from", row.From }, { "to", row.To }, { "layer", row.Layer },
                { "conditions", row.Conditions.Select(ToJson).ToList<object>() },
            };
            if (row.From != Entry)
            {
                json["has_exit_time"] = row.HasExitTime;
                json["exit_time"] = FieldValue.Real(row.ExitTime);
                json["duration"] = FieldValue.Real(row.Duration);
            }
            return json;
        }

        private object ToJson(AnimatorCondition condition)
        {
            var type = Parameters.Find(parameter => parameter.name == condition.parameter)?.type;
            var sign = type == AnimatorControllerParameterType.Trigger ? "trigger" : Signs[condition.mode];
            var parts = new List<object> { condition.parameter, sign };
            if (condition.mode > AnimatorConditionMode.IfNot)
            {
                parts.Add(FieldValue.Real(condition.threshold));
            }
            return parts;
        }
    }
}
