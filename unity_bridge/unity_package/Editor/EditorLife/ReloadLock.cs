using System;
using System.Reflection;
using UnityEditor;

namespace UnityBridge.EditorLife
{
    /// <summary>Whether something in the editor holds <c>LockReloadAssemblies</c>. Main thread.</summary>
    internal static class ReloadLock
    {
        // Internal from 2021.3 to 6000.7. Without it no lock is seen, and a reload that does not come has an unknown
        // reason.
        private static readonly Func<bool> CanReload = Find();

        public static bool IsFree => CanReload == null || CanReload();

        private static Func<bool> Find()
        {
            var method = typeof(EditorApplication).GetMethod(
                "CanReloadAssemblies", BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public, null,
                Type.EmptyTypes, null);
            return method == null || method.ReturnType != typeof(bool)
                ? null
                : (Func<bool>)Delegate.CreateDelegate(typeof(Func<bool>), method, false);
        }
    }
}
