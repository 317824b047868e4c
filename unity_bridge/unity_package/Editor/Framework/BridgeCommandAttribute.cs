using System;

namespace UnityBridge
{
    /// <summary>
    /// Makes a static method a command, which agents and scripts run by its name. See docs/commands.md.
    /// </summary>
    /// <remarks>The plugin looks for the attribute's name, not for this type: a project that does not want to reference
    /// this assembly declares an attribute <c>BridgeCommandAttribute</c> of its own, with the same
    /// constructor.</remarks>
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class BridgeCommandAttribute : Attribute
    {
        public BridgeCommandAttribute(string name, string description)
        {
            Name = name;
            Description = description;
        }

        public string Name { get; }

        /// <summary>What the command does, for a client that chooses among many.</summary>
        public string Description { get; }

        /// <summary>False for a command that only looks: it may run while tests run. Unless it is said, a command
        /// writes.</summary>
        public bool Write { get; set; } = true;

        /// <summary>Further words that a search of the list finds it by, with blanks between. They are not sent to
        /// clients.</summary>
        public string Keywords { get; set; } = "";

        /// <summary>True for a command that no list shows. It can be run by its name.</summary>
        public bool Hidden { get; set; }

        /// <summary>True for a command of this package that <c>batch</c> may carry out as a step.</summary>
        public bool Step { get; set; }

        /// <summary>True for a command of this package that runs next to others: it takes no turn among the jobs, and
        /// delays none.</summary>
        public bool NextToOthers { get; set; }
    }
}
