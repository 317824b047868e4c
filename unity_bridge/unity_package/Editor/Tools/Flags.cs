using System;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>Arguments that are true or false.</summary>
    internal static class Flags
    {
        /// <summary>What is wrong with those of the given names, or null; absent is not wrong.</summary>
        public static string FaultIn(JsonObject parameters, params string[] names)
        {
            var wrong = Array.Find(names, name => parameters.Get(name) is not (null or bool));
            return wrong == null ? null : wrong + " is true or false.";
        }
    }
}
