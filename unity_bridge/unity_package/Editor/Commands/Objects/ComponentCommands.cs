using System;
using System.Collections.Generic;
using System.Linq;
using UnityEngine;
using UnityBridge.Changes;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Objects;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Adds and removes components, with Undo.</summary>
    internal static class ComponentCommands
    {
        [BridgeCommand("add_component",
            "Adds a component to an object, with those that it needs, and sets its values. One undo step.",
            Step = true)]
        private static JsonObject Add(ChangeCall call, string path, string component,
            IDictionary<string, object> values = null)
        {
            var refusals = new Refusals();
            GameObject owner = null;
            string remark = null;
            using var file = refusals.Try(() => call.OpenObject(path, out owner, out remark));
            var type = refusals.Try(() => ComponentTypes.Find(component));
            refusals.Throw();
            ComponentTypes.RequireRoom(
                owner.GetComponents(typeof(Component)).Where(owned => owned != null).Select(owned => owned.GetType())
                .ToList(), type);
            return ChangeReport.InOneUndoGroup(call, "Add " + TypeNames.NameOf(type), remark, report =>
            {
                var before = ObjectNode.ComponentsOf(owner);
                var added = AddTo(call, owner, type);
                Report(report, owner, before);
                if (values?.Count > 0)
                {
                    using var staged = new StagedFields(call, added);
                    staged.StageAll(values);
                    staged.Apply(report);
                }
            });
        }

        [BridgeCommand("remove_component",
            "Removes a component, by the name that inspect prints: BoxCollider[1] is the second. One undo step.",
            Step = true)]
        private static JsonObject Remove(ChangeCall call, string path, string component)
        {
            using var file = call.OpenObject(path, out var owner, out var remark, PathUse.Whole);
            var named = ObjectPart.PartsOf(owner).Where(match => match.FieldIn(component ?? "") == "").ToList();
            var part = named.Find(match => match.Name == component) ?? (named.Count == 1 ? named[0] : null);
            if (part == null)
            {
                throw ChangeTarget.Refused(
                    (named.Count > 1 ? "Several components are named '" : "There is no component '")
                    + Quoted.Text(component) + "'. "
                    + ChangeTarget.PathOf(owner) + " has "
                    + Quoted.Text(string.Join(", ", ObjectPart.PartsOf(owner).Select(shown => shown.Name))) + ".");
            }
            if (!(part.Target is Component found) || part.Target == null)
            {
                throw ChangeTarget.Refused("The script of this component of " + ChangeTarget.PathOf(owner)
                    + " is missing. Unity removes such components only all together; a person can do it in the "
                    + "Inspector.");
            }
            ChangeTarget.RequireWritable(found);
            if (found is Transform)
            {
                throw ChangeTarget.Refused(
                    "Every object has a " + TypeNames.NameOf(found) + ", which goes only with it (delete_object).");
            }
            ComponentTypes.RequireNotNeeded(owner, found);
            return ChangeReport.InOneUndoGroup(call, "Remove " + part.Name, remark, report =>
            {
                var before = ObjectNode.ComponentsOf(owner);
                call.Edits.Destroy(found);
                if (found != null)
                {
                    throw ChangeTarget.Refused(
                        "Unity did not remove " + part.Name + ". The console says why (read_console).");
                }
                Report(report, owner, before);
            });
        }

        public static Component AddTo(ChangeCall call, GameObject owner, Type type)
        {
            Component added = null;
            var why = "The console says why (read_console).";
            try
            {
                added = call.Edits.AddComponent(owner, type);
            }
            catch (Exception thrown) when (!(thrown is CommandRefused))
            {
                why = Quoted.Text(CommandFailure.Cause(thrown).Message);
            }
            if (added == null)
            {
                throw ChangeTarget.Refused("Unity did not add " + TypeNames.NameOf(type) + ". " + why);
            }
            return added;
        }

        private static void Report(ChangeReport report, GameObject owner, object before)
        {
            report.Add(ChangeTarget.PathOf(owner), "components", before, ObjectNode.ComponentsOf(owner));
            report.Touched(owner);
            report.Overrides(owner, "The list of components");
        }
    }
}
