using System.Collections.Generic;
using System.Linq;
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

        private static IEnumerable<string> ErrorsSince(ConsoleBuffer console, long seq) =>
            console.After(seq, out _, out _).Where(entry => entry.IsError).Take(MostErrors)
            .Select(entry => Cut.To(entry.Message, MaxChars));
    }
}
