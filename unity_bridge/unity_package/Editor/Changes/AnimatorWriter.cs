using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.Animations;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityBridge.Changes
{
    /// <summary>Makes an animator controller what is planned. Every part becomes one of its file, or it would be lost
    /// at the next load. The arrays are set by hand, since Unity's methods give new parts other names where there are
    /// such, and record Undo (AnimatorController.cs and StateMachine.cs, 2021.3 to 6000.7). Main thread.</summary>
    internal sealed class AnimatorWriter
    {
        public const string BaseLayer = "Base Layer";

        private readonly AnimatorController _controller;

        public AnimatorWriter(AnimatorController controller)
        {
            _controller = controller;
        }

        public void AddLayer(string name)
        {
            var machine = Part(new AnimatorStateMachine { name = name });
            var layer = new AnimatorControllerLayer { name = name, stateMachine = machine, defaultWeight = 1 };
            _controller.layers = _controller.layers.Append(layer).ToArray();
        }

        public void Write(AnimatorGraph graph)
        {
            foreach (var name in graph.Layers.Where(name => _controller.layers.All(layer => layer.name != name)))
            {
                AddLayer(name);
            }
            _controller.parameters = graph.Parameters.ToArray();
            graph.States.Where(state => !state.IsRemoved).ToList().ForEach(Write);
            foreach (var row in graph.Transitions.Where(row => row.IsChanged && !row.IsRemoved))
            {
                Write(row);
            }
            graph.Transitions.Where(row => row.IsRemoved && row.Part != null).ToList().ForEach(Remove);
            foreach (var state in graph.States.Where(state => state.IsRemoved && state.Part != null))
            {
                Remove(state, graph);
            }
            foreach (var layer in graph.Layers)
            {
                var machine = MachineOf(layer);
                graph.Defaults.TryGetValue(layer, out var name);
                // It may be in a machine below.
                if (machine.defaultState == null || machine.defaultState.name != name)
                {
                    var wanted = StateIn(machine, name);
                    machine.defaultState = wanted != null ? wanted : machine.states.FirstOrDefault().state;
                }
            }
        }

        private void Write(StateRow row)
        {
            if (row.Part == null)
            {
                row.Part = Part(new AnimatorState { name = row.Name });
                var machine = MachineOf(row.Layer);
                var states = machine.states;
                // As Unity places a new one in its window.
                var position = states.Length == 0 ? new Vector3(200, 0, 0)
                    : states.Last().position + new Vector3(35, 65, 0);
                var child = new ChildAnimatorState { state = row.Part, position = position };
                machine.states = states.Append(child).ToArray();
            }
            // A missing one is read as null, and lost by being set.
            if (row.Part.motion != row.Motion)
            {
                row.Part.motion = row.Motion;
            }
            row.Part.speed = row.Speed;
        }

        private void Write(TransitionRow row)
        {
            var machine = MachineOf(row.Layer);
            if (row.Part == null)
            {
                row.Part = row.From == AnimatorGraph.Entry ? Part<AnimatorTransitionBase>(new AnimatorTransition())
                    : Part(new AnimatorStateTransition { hasFixedDuration = true });
                row.Part.isExit = row.To == AnimatorGraph.Exit;
                row.Part.destinationState = StateIn(machine, row.To);
                Edit(row, transitions => transitions.Append(row.Part));
            }
            row.Part.conditions = row.Conditions;
            if (row.Part is AnimatorStateTransition timed)
            {
                timed.hasExitTime = row.HasExitTime;
                timed.exitTime = row.ExitTime;
                timed.duration = row.Duration;
            }
        }

        private void Remove(TransitionRow row)
        {
            Edit(row, transitions => transitions.Where(transition => transition != row.Part));
            Object.DestroyImmediate(row.Part, true);
        }

        private void Remove(StateRow row, AnimatorGraph graph)
        {
            var machine = MachineOf(row.Layer);
            machine.states = machine.states.Where(child => child.state != row.Part).ToArray();
            var parts = row.Part.behaviours.Cast<Object>().Append(row.Part.motion is BlendTree tree
                    && graph.States.TrueForAll(state => state.IsRemoved || state.Motion != tree) ? tree : null)
                .Append(row.Part);
            // A blend tree in another file is that file's, and one that another state plays stays.
            var path = AssetDatabase.GetAssetPath(_controller);
            foreach (var part in parts.Where(part => part != null && AssetDatabase.GetAssetPath(part) == path).ToList())
            {
                Object.DestroyImmediate(part, true);
            }
        }

        // The list that a transition is in.
        private void Edit(TransitionRow row,
            Func<IEnumerable<AnimatorTransitionBase>, IEnumerable<AnimatorTransitionBase>> change)
        {
            var machine = MachineOf(row.Layer);
            if (row.From == AnimatorGraph.Entry)
            {
                machine.entryTransitions = change(machine.entryTransitions).Cast<AnimatorTransition>().ToArray();
                return;
            }
            if (row.From == AnimatorGraph.AnyState)
            {
                var edited = change(machine.anyStateTransitions);
                machine.anyStateTransitions = edited.Cast<AnimatorStateTransition>().ToArray();
                return;
            }
            var state = StateIn(machine, row.From);
            state.transitions = change(state.transitions).Cast<AnimatorStateTransition>().ToArray();
        }

        private AnimatorStateMachine MachineOf(string layer) => _controller.layers
            .First(candidate => candidate.name == layer && candidate.syncedLayerIndex < 0).stateMachine;

        private static AnimatorState StateIn(AnimatorStateMachine machine, string name) =>
            machine.states.Select(child => child.state).FirstOrDefault(state => state.name == name);

        private T Part<T>(T part) where T : Object
        {
            part.hideFlags = HideFlags.HideInHierarchy;
            AssetDatabase.AddObjectToAsset(part, _controller);
            return part;
        }
    }
}
