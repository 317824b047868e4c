using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityBridge.Wire
{
    /// <summary>A table of names as text: each line has what is meant, and then the names for it.</summary>
    internal static class NameTable
    {
        /// <summary>What each name means, of lines such as <c>kind: primitive primitive_type</c>.</summary>
        public static Dictionary<string, string> Read(params string[] lines) => lines
            .Select(line => line.Split(new[] { ": " }, StringSplitOptions.None))
            .SelectMany(parts => parts[1].Split(' ').Select(name => (name, parts[0])))
            .ToDictionary(row => row.name, row => row.Item2);
    }
}
