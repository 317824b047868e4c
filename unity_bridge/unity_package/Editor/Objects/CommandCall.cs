using System.Collections.Generic;
using UnityEngine;
using Object = UnityEngine.Object;

namespace UnityBridge.Objects
{
    /// <summary>One call of a command: what its paths may name besides the scenes, and what they were taken for. Main
    /// thread.</summary>
    internal class CommandCall
    {
        public CommandCall(List<string> remarks = null)
        {
            Remarks = remarks ?? new List<string>();
        }

        /// <summary>What its arguments were taken for: a sentence for each.</summary>
        public List<string> Remarks { get; }

        /// <summary>The objects that the steps of a batch have made, by their names; null outside a batch.</summary>
        public Dictionary<string, Object> Named { get; set; }

        /// <summary>The root of a prefab's file whose contents are loaded and not saved yet; null for any other
        /// file.</summary>
        public virtual GameObject ContentsOf(string file) => null;
    }
}
