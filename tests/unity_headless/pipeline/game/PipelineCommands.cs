using System;
using System.Threading.Tasks;
using Unity.Pipeline.Commands;
using Unity.Pipeline.Models;
using Conventional = Unity.Pipeline.Conventions.CliCommandAttribute;

namespace Game.LevelTools
{
    /// <summary>Commands of a project that uses the newer attributes of com.unity.pipeline.</summary>
    public static class WaveCommands
    {
        private const string Group = "animation.animator";

        [CliGroupCommand(Group, "Greets.", Effect = CommandEffect.ReadOnly)]
        internal static ExitCode Greet(CommandContext cmd, [CliArg("who", "Who to greet")] string name = "world")
        {
            cmd.Result.Write("Hello " + name);
            return ExitCode.Success;
        }

        [CliGroupCommand(description: "Fails.", group: Group, Effect = CommandEffect.Destructive)]
        internal static ExitCode FailAtOnce(CommandContext cmd)
        {
            cmd.Result.Write(new { left = 3 });
            return ExitCode.CommandFailure;
        }

        [CliGroupCommand(Group, "Fails across frames.")]
        internal static async Task<ExitCode> FailLater()
        {
            await Task.Delay(20);
            return ExitCode.InvalidArguments;
        }

        [CliGroupCommand(Group, "Has a name of its own.", Name = "renamed")]
        internal static async Task<ExitCode> GetUIElement(CommandContext cmd)
        {
            await Task.Delay(20);
            cmd.Result.Write("late");
            return ExitCode.Success;
        }

        [CliCommand("Says what it does, and has no name.")]
        private static int SpawnVector3Wave()
        {
            return 3;
        }

        [CliCommand("animation.skeleton.set_bone", "Has a dotted name.")]
        private static int SetBone([CliArg("bone", "Which")] int index)
        {
            return index;
        }

        [Conventional(group: "prefab", description: "Is named as docs.unity.com has it.")]
        private static int CreateURLPrefab()
        {
            return 7;
        }

        [CliCommand(7)]
        private static int Unreadable()
        {
            return 0;
        }

        [CliCommand("sealed_context", "Needs what cannot be made.")]
        private static int NeedsSealed(Unity.Pipeline.Sealed.CommandContext cmd)
        {
            return 0;
        }

        [CliCommand("lost", "Takes a type of an assembly that is missing.")]
        private static int Lost(Missing.Gone gone)
        {
            return 0;
        }

        [CliCommand("responds", "Gives back a response that says no.")]
        private static CommandExecutionResponse Responds()
        {
            return new CommandExecutionResponse { Success = false, Error = "There is no wave." };
        }

        private static class Own
        {
            internal enum ExitCode { North, South }
        }

        [CliCommand("exits_south", "Gives back an enum of the project's own, which has no success.")]
        private static Own.ExitCode ExitsSouth()
        {
            return Own.ExitCode.South;
        }

        [CliCommand("in_a_player", "Belongs to a player.", Tags = new[] { "runtime/wave" })]
        private static int InAPlayer()
        {
            return 0;
        }
    }
}
