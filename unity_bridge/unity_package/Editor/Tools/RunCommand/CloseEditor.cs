using System.Linq;
using System.Threading;
using UnityEditor;
using UnityEngine;
using UnityBridge.Commands;
using UnityBridge.EditorLife;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>
    /// The command <c>close_editor</c>: ends the editor, if nothing is lost by it (SPEC §22.8). It is in no list,
    /// because only the command line asks for it, and it is carried out at once, before jobs that wait and in parallel
    /// with one that runs.
    /// </summary>
    /// <remarks>What is checked and the exit happen in one update: the main thread waits in it until the server has
    /// read the job's end, which the socket threads answer. In a later update there could be unsaved work
    /// again.</remarks>
    internal sealed class CloseEditor : IJobRun
    {
        private const string Name = "close_editor";
        private const string Save = "save";
        private const string Discard = "discard";
        // A server asks once a second.
        private const int ReportedWithinMs = 3000;
        private const int LookAgainMs = 10;
        // From the socket's queue to the server.
        private const int SentWithinMs = 100;

        private readonly ToolContext _context;
        private readonly Job _job;

        public CloseEditor(ToolContext context, Job job)
        {
            _context = context;
            _job = job;
        }

        public static bool IsMeant(Job job) => job.Parameters.Text("name") == Name;

        public static Turn MayBegin(Job job)
        {
            var arguments = ArgumentsOf(job);
            foreach (var argument in arguments.Keys)
            {
                if ((argument != Save && argument != Discard) || !(arguments.Get(argument) is bool))
                {
                    return Turn.Never(CommandArguments.NotRun(
                        Name + " takes save and discard, each true or false.", "arguments"));
                }
            }
            return Turn.NowToItsEnd;
        }

        public JobEnd Advance()
        {
            var value = new JsonObject { { "closing", true } };
            try
            {
                Check(ArgumentsOf(_job).Is(Save), ArgumentsOf(_job).Is(Discard), value);
            }
            catch (CommandRefused refused)
            {
                return JobEnd.Failed(refused.Refusal);
            }
            var end = JobEnd.Value(value);
            // Not by returning it: then it would be reported in a later update, which does not come.
            _context.Ledger.End(_job, end);
            for (var waitedMs = 0; waitedMs < ReportedWithinMs && !_context.Ledger.IsEndReported(_job);
                waitedMs += LookAgainMs)
            {
                Thread.Sleep(LookAgainMs);
            }
            Thread.Sleep(SentWithinMs);
            EditorApplication.Exit(0);
            return end;
        }

        public JsonObject Memo() => null;

        // Writes into value what was saved and what is lost. Throws where something would be lost that may not be, or
        // broken off.
        private void Check(bool saves, bool discards, JsonObject value)
        {
            Refuse.OutsideEditMode("close the editor");
            var unended = _context.Ledger.Unended().Where(job => job != _job).ToList();
            var others = unended.ConvertAll(job => job.JobId);
            if (others.Count > 0 || _context.AreTestsRunning() || EditorReadiness.IsBusy)
            {
                var what = others.Count > 0
                    ? unended.Count + " jobs have not ended, the first is " + unended[0].Request.ToolName + " ("
                    + others[0] + ")"
                    : _context.AreTestsRunning() ? "A test run has not ended" : "The editor compiles or imports";
                var busy = Refusal.NotExecuted("busy", what + ". Wait for it, or cancel it; then close the editor.")
                    .With("jobs", others);
                if (unended.Find(job => job.Request.Client != _job.Request.Client) is { } first)
                {
                    busy.Details["held_by"] = first.HeldBy(Clock.UtcMs);
                }
                throw new CommandRefused(busy);
            }
            var before = EverythingUnsaved.Find();
            if (saves && before.NeedsAPerson && !discards)
            {
                throw new CommandRefused(
                    before.Refused("There are changes that only a person can save, so nothing was saved. Save or apply "
                    + "them in Unity, or close with --discard, which loses them. They are in "
                    + Cut.Names(before.All) + "."));
            }
            if (saves && before.All.Count > 0)
            {
                SaveAll.Save();
            }
            var left = EverythingUnsaved.Find();
            if (left.All.Count > 0 && !discards)
            {
                // Nobody can save or discard in an editor without a window.
                var advice = Application.isBatchMode ? "Close the editor" : "Save or discard them in Unity, or close";
                var canSave = !saves && !left.NeedsAPerson;
                var saving = canSave ? " with --save, which saves everything that has a file, or" : "";
                throw new CommandRefused(
                    left.Refused("There are unsaved changes. " + advice + saving
                    + " with --discard, which loses them. They are in " + Cut.Names(left.All) + "."));
            }
            DiscardAll(left);
            value["saved"] = Cut.List(before.All.Except(left.All));
            value["discarded"] = Cut.List(left.All);
        }

        // Unity and packages ask about what is marked as changed, or save it, while the editor quits
        // (Internal_EditorApplicationQuit).
        private static void DiscardAll(EverythingUnsaved unsaved)
        {
            if (unsaved.All.Count == 0)
            {
                return;
            }
            unsaved.Discard();
            var stays = EverythingUnsaved.Find().All;
            if (stays.Count > 0)
            {
                throw new CommandRefused(
                    Refusal.NotExecuted("would_ask", "Unity could not discard everything (" + Cut.Names(stays)
                    + "), and might ask about it while it closes. Close the editor in its window.")
                    .With("discarded", unsaved.All.Except(stays)));
            }
        }

        private static JsonObject ArgumentsOf(Job job) =>
            job.Parameters.Object("arguments") ?? new JsonObject();
    }
}
