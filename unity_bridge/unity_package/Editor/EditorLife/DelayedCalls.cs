using UnityEditor;
using UnityEditorInternal;

namespace UnityBridge.EditorLife
{
    /// <summary><c>EditorApplication.delayCall</c> while the editor has no focus. Main thread.</summary>
    /// <remarks>Unity calls it only while it has the focus, as the test framework 1.7.0 found
    /// (TestRun/TestJobRunner.cs), which calls it itself. The bridge works with editors in the background: tests,
    /// commands and packages that go on in a delayed call would stand still until somebody clicks on Unity.</remarks>
    internal static class DelayedCalls
    {
        /// <summary>The bridge is making the calls now, in place of Unity.</summary>
        public static bool IsCalling { get; private set; }

        public static void RunWithoutFocus()
        {
            var calls = EditorApplication.delayCall;
            if (calls == null || InternalEditorUtility.isApplicationActive)
            {
                return;
            }
            // Taken first: one that asks for another call gets it in the next update, as from Unity.
            EditorApplication.delayCall = null;
            IsCalling = true;
            foreach (EditorApplication.CallbackFunction call in calls.GetInvocationList())
            {
                try
                {
                    call();
                }
                catch (System.Exception thrown)
                {
                    // The script's own, and logged as Unity does.
                    UnityEngine.Debug.LogException(thrown);
                }
            }
            IsCalling = false;
        }
    }
}
