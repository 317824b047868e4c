using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.SceneManagement;
using UnityBridge.Changes;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Commands
{
    /// <summary>Takes back what this client did, one step of Undo after the other, and stops at the first that is not
    /// its own. Main thread.</summary>
    internal static class UndoCommand
    {
        private const int MostSteps = 20;

        [BridgeCommand("undo", "Takes back the newest Undo steps of this client, and never a person's. force: "
            + "another client's too.")]
        private static JsonObject Run(int steps = 1, bool force = false)
        {
            if (steps < 1 || steps > MostSteps)
            {
                throw ChangeTarget.Refused("steps is a whole number from 1 to " + MostSteps + ".");
            }
            Refuse.OutsideEditMode("undo");
            var stage = PrefabStageUtility.GetCurrentPrefabStage();
            var saved = stage == null ? null : PrefabMode.AutoSavedWith(stage.prefabContentsRoot);
            Refuse.For(saved == null ? null : PrefabMode.WhyNotSavable(saved));
            var remarks = new List<string>();
            var unsaved = UnsavedWork.FindAssets();
            var undone = TakeBack(steps, force, remarks);
            var answer = new JsonObject { { "changed", undone }, { "undo", false } };
            if (saved != null && saved.scene.isDirty)
            {
                UnsavedWork.SavePrefab();
                answer["written"] = new[] { saved.assetPath };
            }
            if (UnsavedWork.FindAssets().Except(unsaved).ToList() is { Count: > 0 } behind)
            {
                remarks.Add("Files still have what was undone: " + Cut.Names(behind) + ". save_all saves them.");
            }
            if (remarks.Count > 0)
            {
                answer["remarks"] = remarks;
            }
            return answer;
        }

        private static List<JsonObject> TakeBack(int steps, bool force, List<string> remarks)
        {
            // A change of a person that is recorded and not written yet is the newest step then.
            Undo.FlushUndoRecordObjects();
            var undone = new List<JsonObject>();
            while (undone.Count < steps)
            {
                var stack = UndoSteps.Stack();
                var newest = stack?.LastOrDefault();
                var step = newest == null ? null : UndoSteps.Find(newest);
                var refusal = WhyNot(stack, step, force);
                if (refusal == null)
                {
                    Undo.PerformUndo();
                    refusal = UndoSteps.Stack().Count == stack.Count - 1 ? null
                        : NotOurs("Unity did not undo '" + Quoted.Text(newest)
                        + "'. A person may be dragging something. Try again.", newest);
                }
                if (refusal != null && undone.Count == 0)
                {
                    throw new CommandRefused(refusal);
                }
                if (refusal != null)
                {
                    remarks.Add(refusal.Message);
                    break;
                }
                undone.Add(new JsonObject { { "step", newest } });
                if (!step.IsWhole)
                {
                    remarks.Add("What '" + Quoted.Text(newest) + "' did to files stays: Undo does not reach it.");
                }
            }
            return undone;
        }

        private static Refusal WhyNot(List<string> stack, UndoStep step, bool force)
        {
            var newest = stack?.LastOrDefault();
            if (stack == null || newest == null)
            {
                return NotOurs(stack == null ? "This Unity's Undo stack cannot be read, so it is unknown whose the "
                    + "newest step is. Undo in Unity." : "There is no step to undo.", null);
            }
            if (step == null)
            {
                return NotOurs("The newest step, '" + Quoted.Text(newest)
                    + "', is not of a call: a person, a package or a change of the selection made it. "
                    + "It stays, and so does what is before it. Only a person can undo it, in Unity.", newest);
            }
            if (step.IsOfThisClient || force)
            {
                return null;
            }
            var refusal = NotOurs("The newest step, '" + Quoted.Text(newest)
                + "', is another client's. It stays, and so does what is before it. force: true takes it back.",
                newest);
            refusal.Details["held_by"] = step.HeldBy;
            return refusal;
        }

        private static Refusal NotOurs(string message, string name)
        {
            var refusal = Refusal.NotExecuted("not_ours", message);
            refusal.Details.AddIfAny("name", name);
            return refusal;
        }
    }
}
