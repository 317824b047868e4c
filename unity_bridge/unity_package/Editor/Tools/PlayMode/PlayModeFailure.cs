using System.Collections.Generic;
using UnityBridge.Console;
using UnityBridge.Framework;
using UnityBridge.Jobs;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>Unity did something else than requested: the job reports it, with the errors that were logged while it
    /// waited.</summary>
    internal static class PlayModeFailure
    {
        private const int MostErrors = 10;
        private const int MaxChars = 2000;

        public static JobEnd Ended(ToolContext context, Job job, string message) => JobEnd.Failed(
            Refusal.Completed("cancelled_by_unity", message)
            .With("errors", ErrorsSince(context.Console, job.ConsoleSeq ?? 0)));

        private static List<object> ErrorsSince(ConsoleBuffer console, long seq)
        {
            var errors = new List<object>();
            foreach (var entry in console.After(seq, out _, out _))
            {
                if (entry.Type is EntryType.Error or EntryType.Exception or EntryType.Assert
                    && errors.Count < MostErrors)
                {
                    errors.Add(Cut.To(entry.Message, MaxChars));
                }
            }
            return errors;
        }
    }
}
