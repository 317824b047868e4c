using System;
using System.Threading.Tasks;

// The members that the documentation of com.unity.pipeline 0.9 and 1.0 shows. What it does not show is ours: how a
// context is made, and where its result is kept.

namespace Unity.Pipeline.Commands
{
    public enum CommandEffect { Unspecified, ReadOnly, Idempotent, Destructive }

    /// <summary>Other numbers than zero and one, so that only the name can be right.</summary>
    public enum ExitCode { CommandFailure = 0, Success = 4, InvalidArguments = 6 }

    /// <summary>Changelog 0.9.1: one argument is the description, two are a name and a description.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class CliCommandAttribute : Attribute
    {
        public CliCommandAttribute(string description)
        {
        }

        public CliCommandAttribute(string name, string description)
        {
        }

        /// <summary>A constructor of a version that nobody has seen.</summary>
        public CliCommandAttribute(int number)
        {
        }

        public string Name { get; set; }
        public string[] Tags { get; set; }
        public CommandEffect Effect { get; set; }
    }

    /// <summary>Manual of 0.9 and 1.0, "Creating commands".</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class CliGroupCommandAttribute : Attribute
    {
        public CliGroupCommandAttribute(string group, string description)
        {
        }

        public string Name { get; set; }
        public bool MainThreadRequired { get; set; }
        public CommandEffect Effect { get; set; }
    }

    [AttributeUsage(AttributeTargets.Parameter)]
    public sealed class CliArgAttribute : Attribute
    {
        public CliArgAttribute(string name, string description)
        {
        }

        public bool Required { get; set; }
        public object DefaultValue { get; set; }
    }

    public sealed class CommandResultWriter
    {
        private object _written;

        public object Value { get { return _written; } }

        public void Write(object value)
        {
            _written = value;
        }
    }

    public sealed class CommandContext
    {
        internal CommandContext(CommandResultWriter result)
        {
            Result = result;
        }

        public CommandResultWriter Result { get; private set; }
    }

    internal static class OwnCommands
    {
        [CliGroupCommand("pipeline", "Reports how far Unity's own work is.", Effect = CommandEffect.ReadOnly)]
        internal static ExitCode Status(CommandContext cmd)
        {
            cmd.Result.Write("idle");
            return ExitCode.Success;
        }
    }
}

namespace Unity.Pipeline.Conventions
{
    /// <summary>docs.unity.com, "Define and name Unity CLI commands": two texts again, and the first of them is the
    /// group.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class CliCommandAttribute : Attribute
    {
        public CliCommandAttribute(string group, string description)
        {
        }

        public string Name { get; set; }
        public string[] Tags { get; set; }
    }
}

namespace Unity.Pipeline.Sealed
{
    /// <summary>A context that nobody but its package can make.</summary>
    public abstract class CommandContext
    {
    }
}

namespace Unity.Pipeline.Models
{
    /// <summary>What commands of 0.x give back to say that they have failed.</summary>
    public class CommandExecutionResponse
    {
        public bool Success { get; set; }
        public string Error { get; set; }
    }
}
