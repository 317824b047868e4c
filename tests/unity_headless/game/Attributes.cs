using System;

// Attributes of the project's own: the plugin goes by their names.

namespace Game.Editor
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class BridgeCommandAttribute : Attribute
    {
        public BridgeCommandAttribute(string name, string description)
        {
        }

        public bool Write { get; set; }
    }
}

namespace Unity.Pipeline.Commands
{
    /// <summary>As in com.unity.pipeline 0.7.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    public class CliCommandAttribute : Attribute
    {
        public CliCommandAttribute(string name, string description)
        {
        }

        public bool MainThreadRequired { get; set; }
        public bool RuntimeOnly { get; set; }
        public string[] Tags { get; set; }
    }

    [AttributeUsage(AttributeTargets.Parameter)]
    public class CliArgAttribute : Attribute
    {
        public CliArgAttribute(string name, string description)
        {
        }

        public bool Required { get; set; }
        public object DefaultValue { get; set; }
    }
}
