using System.Collections.Generic;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Trust
{
    /// <summary>What a server without proof may ask for: tools, their parameters, and the values of those (SPEC §17.2).
    /// What is not in this list is closed to it. The server's side of it is
    /// <c>unity_bridge/catalogue/before_proof.py</c>.</summary>
    internal static class BeforeProof
    {
        private static readonly object Anything = new object();

        private static readonly Dictionary<string, Dictionary<string, object>> Open =
            new Dictionary<string, Dictionary<string, object>>
        {
            ["read_console"] = new Dictionary<string, object>
            {
                ["max_entries"]
                = Anything, ["types"] = Anything, ["contains"] = Anything, ["include_stack_trace"] =
                    Anything, ["since"] = Anything,
            },
            ["run_tests"] = new Dictionary<string, object>
            {
                ["mode"] = Anything, ["filter"] = Anything, ["include_passed"] = Anything, ["refresh"] = false,
            },
        };

        /// <summary>The tool, or the tool and the parameter, that is closed; null if the call is open to
        /// everybody.</summary>
        /// <param name="parameters">Null for none.</param>
        public static string WhatIsClosed(string tool, JsonObject parameters)
        {
            if (!Open.TryGetValue(tool, out var open))
            {
                return tool;
            }
            foreach (var parameter in parameters ?? new JsonObject())
            {
                if (!open.TryGetValue(parameter.Key, out var value))
                {
                    return tool + " with " + Quoted.Text(parameter.Key);
                }
                if (value != Anything && !value.Equals(parameter.Value))
                {
                    return tool + " with " + parameter.Key + ", but for " + JsonWriter.Write(value) + ",";
                }
            }
            return null;
        }
    }
}
