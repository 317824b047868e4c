using System;
using System.Collections;
using System.Threading;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace UnityBridge.Samples
{
    /// <summary>
    /// Commands to start from: unity-bridge run greet name=World. What a command may take and give back is on the page
    /// docs/commands.md of unity-bridge.
    /// </summary>
    public static class SampleCommands
    {
        public enum Tone { Friendly, Formal }

        [BridgeCommand("greet", "Greets in the console, and gives the greeting back.")]
        private static string Greet(string name, Tone tone = Tone.Friendly)
        {
            var greeting = (tone == Tone.Formal ? "Good day, " : "Hello, ") + name + ".";
            Debug.Log(greeting);
            return greeting;
        }

        // It only looks, so it may run while tests run.
        [BridgeCommand("count_open_scenes", "Counts the scenes that are open.", Write = false)]
        private static int CountOpenScenes() => SceneManager.sceneCount;

        // One step in each update of the editor: Unity goes on living, and the command can be cancelled between steps.
        [BridgeCommand("count_slowly", "Counts up to a number, one at a step, and reports its progress.")]
        private static IEnumerator CountSlowly(IProgress<float> progress, CancellationToken stop, int upTo = 100)
        {
            for (var i = 1; i <= upTo; i++)
            {
                stop.ThrowIfCancellationRequested();
                progress.Report((float)i / upTo);
                yield return null;
            }
            yield return upTo;
        }
    }
}
