using System;
using System.Threading;
using UnityEngine;

namespace UnityBridge.EditorLife
{
    /// <summary>The outermost catch of every entry point: a bug of the bridge is logged and stays the bridge's
    /// own.</summary>
    internal static class Guard
    {
        /// <remarks>Unity calls its handlers in a plain loop: one that throws would keep the later ones from
        /// running.</remarks>
        public static void Run(Action action)
        {
            try
            {
                action();
            }
            catch (Exception bug) when (bug is not ThreadAbortException)
            {
                Debug.LogError("[Unity Bridge] internal error, please report it: " + bug);
            }
        }
    }
}
