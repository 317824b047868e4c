using System;
using UnityBridge.Wire;

namespace UnityBridge.Framework
{
    /// <summary>A command of ours would not do what it was asked for, and has done nothing (SPEC §15.8).</summary>
    internal sealed class CommandRefused : Exception
    {
        public CommandRefused(Refusal refusal) : base(refusal.Message)
        {
            Refusal = refusal;
        }

        public CommandRefused(string reason, string message) : this(Refusal.NotExecuted(reason, message))
        {
        }

        public Refusal Refusal { get; }

        /// <summary>The path that led to nothing, and what the refusal says of it; null for any other refusal. After a
        /// batch was taken back something else may be there.</summary>
        public (string Path, string Fault)? Missing { get; set; }
    }
}
