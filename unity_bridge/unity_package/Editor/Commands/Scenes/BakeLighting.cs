using System;
using System.Collections;
using System.Diagnostics;
using System.Threading;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class BakeLighting
    {
        private const long StartsWithinMs = 10000;

        [BridgeCommand("bake_lighting",
            "Bakes the lighting of the open scenes: allow it a long timeout_ms.",
            Keywords = "lightmap")]
        private static IEnumerator Run(CancellationToken stop, IProgress<float> progress)
        {
            Refuse.OutsideEditMode("bake");
            Refuse.WithUntitledScene("bake");
            if (Lightmapping.isRunning)
            {
                throw new CommandRefused(
                    "baking", "Unity bakes lighting already. Wait for its end, or cancel it in the Lighting window.");
            }
            var took = Stopwatch.StartNew();
            var isOver = false;
            Action over = () => isOver = true;
            Lightmapping.bakeCompleted += over;
            try
            {
                if (!Lightmapping.BakeAsync())
                {
                    throw Refuse.Failed("not_started", "Unity did not start the bake; its console says why.");
                }
                var hasRun = false;
                while (!isOver && (Lightmapping.isRunning || (!hasRun && took.ElapsedMilliseconds < StartsWithinMs)))
                {
                    hasRun |= Lightmapping.isRunning;
                    if (stop.IsCancellationRequested)
                    {
                        Lightmapping.Cancel();
                        throw new OperationCanceledException(stop);
                    }
                    progress.Report(Lightmapping.buildProgress);
                    yield return null;
                }
                if (!isOver && !hasRun)
                {
                    throw Refuse.Failed("not_started", "Unity accepted the bake, and did not start it within 10 s.");
                }
            }
            finally
            {
                Lightmapping.bakeCompleted -= over;
            }
            // A bake that a person cancels ends without the event.
            yield return new JsonObject { { "completed", isOver }, { "duration_ms", took.ElapsedMilliseconds } };
        }
    }
}
