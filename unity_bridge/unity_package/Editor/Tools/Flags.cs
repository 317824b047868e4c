using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>Arguments that are true or false.</summary>
    internal static class Flags
    {
        /// <summary>What is wrong with those of the given names, or null; absent is not wrong.</summary>
        public static string FaultIn(JsonObject parameters, params string[] names)
        {
            foreach (var name in names)
            {
                if (parameters.Get(name) is not (null or bool))
                {
                    return name + " is true or false.";
                }
            }
            return null;
        }
    }
}
