using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Unity.Pipeline.Commands;
using UnityEditor;
using UnityEngine;

namespace Game.Editor
{
    /// <summary>The commands of a project. The host reports each one as "did NAME", so that tests can count.</summary>
    public static class GameCommands
    {
        private static int _runs;

        public enum Target { Android, iOS, WebGL }

        [Flags]
        public enum Options { None = 0, Development = 1, Strict = 2 }

        [BridgeCommand("build", "Six minutes of work, in the tests none.", Write = true)]
        private static string Build(Target target, int count = 1)
        {
            Did("build " + target);
            return target + " x" + count;
        }

        [BridgeCommand("person_changes",
            "As a person's change in the Inspector: recorded, and not yet written to Undo.")]
        private static void PersonChanges(string path, float value)
        {
            var material = (Material)AssetDatabase.LoadMainAssetAtPath(path);
            Undo.RecordObject(material, "A person's change");
            material.SetFloat("_Metallic", value);
        }

        [BridgeCommand("convert", "Gives back what it was given.")]
        private static object Convert(
            bool flag = false, int whole = 1, long big = 2, float single = 0.5f, double real = 1.5, string text = "t",
            Target target = Target.iOS, Options options = Options.None, int[] numbers = null,
            List<string> names = null, Target[] targets = null, int? maybe = null)
        {
            return new { flag, whole, big, single, real, text, target, options, numbers, names, targets, maybe };
        }

        [BridgeCommand("count", "Reports its number once, and takes so many updates.", Write = true)]
        private static IEnumerator Count(int number, int updates = 0)
        {
            Did("count " + number);
            for (var i = 0; i < updates; i++) yield return null;
            yield return number;
        }

        [BridgeCommand("throws", "Throws.")]
        private static void Throws(string what)
        {
            Did("throws");
            throw new InvalidOperationException(what);
        }

        [BridgeCommand("throws_later", "Throws after a while.")]
        private static async Task ThrowsLater()
        {
            await Task.Delay(20);
            throw new ArgumentException("later");
        }

        [BridgeCommand("answer", "Answers after a while, on the main thread.")]
        private static async Task<int> Answer()
        {
            await Task.Delay(20);
            Native.RequireMainThread("Game.Answer");
            return 42;
        }

        [BridgeCommand("walk", "Steps that yield steps; the last value is the result.")]
        private static IEnumerator Walk(int steps)
        {
            for (var i = 0; i < steps; i++) yield return null;
            yield return Inner();
            yield return Task.Delay(10);
            yield return "arrived";
        }

        private static IEnumerator Inner()
        {
            yield return 1;
            yield return null;
        }

        [BridgeCommand("forever", "Runs until it is stopped, and reports its progress.")]
        private static IEnumerator Forever(IProgress<float> progress, CancellationToken stop)
        {
            Did("forever");
            progress.Report(0.25f);
            while (true)
            {
                stop.ThrowIfCancellationRequested();
                yield return null;
            }
        }

        [BridgeCommand("deaf", "Runs for ever, and cannot be stopped.")]
        private static IEnumerator Deaf()
        {
            Did("deaf");
            try
            {
                while (true) yield return null;
            }
            finally
            {
                Did("deaf ended");
            }
        }

        [BridgeCommand("reload", "Makes the editor reload its scripts, in the midst of the command.")]
        private static IEnumerator Reload()
        {
            Did("reload");
            UnityEditor.Compilation.CompilationPipeline.RequestScriptCompilation();
            while (true) yield return null;
        }

        [BridgeCommand("look", "Only looks.", Write = false)]
        private static int Look()
        {
            Did("look");
            return ++_runs;
        }

        [BridgeCommand("hold", "Holds the main thread.")]
        private static void Hold(int ms, IProgress<float> progress)
        {
            progress.Report(0.5f);
            Did("hold");
            Native.Editor.Hold(ms);
        }

        [BridgeCommand("much", "More than fits.")]
        private static IEnumerable<string> Much()
        {
            while (true) yield return new string('x', 1000);
        }

        [CliCommand("game.spawn-wave", "Unity's own kind of command.", Tags = new[] { "game" })]
        public static string SpawnWave([CliArg("lane", "Where", DefaultValue = 7)] int lane,
            [CliArg("wave_size", "How many", DefaultValue = 9)] int waveSize =
            3, [CliArg("name", "Who", Required = true)] string name = null)
        {
            return waveSize + " " + name + " " + lane;
        }

        [CliCommand("game.player_only", "Belongs to a player.", RuntimeOnly = true)]
        public static void PlayerOnly()
        {
        }

        [BridgeCommand("twice", "One of two.")]
        private static void TwiceOne()
        {
            Did("twice");
        }

        [BridgeCommand("twice", "The other.")]
        private static void TwiceOther()
        {
            Did("twice");
        }

        [BridgeCommand("strange", "Takes what nobody can give.")]
        private static void Strange(Action what)
        {
        }

        [MenuItem("Game/Validated %#v")]
        private static void FromMenu()
        {
            Did("menu");
        }

        [MenuItem("Game/Validated %#v", true)]
        private static bool IsMenuEnabled()
        {
            Native.Editor.Say("validated");
            return true;
        }

        private static void Did(string what)
        {
            Native.Editor.Say("did " + what);
        }
    }

    public class Component
    {
        [BridgeCommand("of_an_object", "Is no static method.")]
        private void Instance()
        {
        }
    }
}

namespace Game
{
    /// <summary>An asset of the project's own kind, with a field that Unity serializes.</summary>
    public class ItemData : ScriptableObject
    {
        public int price;
    }
}
