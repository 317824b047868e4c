using System;
using UnityEditor;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>Whether something in the editor holds <c>LockReloadAssemblies</c>. Main thread.</summary>
    internal static class ReloadLock
    {
        // Internal from 2021.3 to 6000.7. Without it no lock is seen, and a reload that does not come has an unknown
        // reason.
        private static readonly Func<bool> CanReload =
            Members.Static<Func<bool>>(typeof(EditorApplication), "CanReloadAssemblies");

        public static bool IsFree => CanReload == null || CanReload();
    }
}
