using System.Reflection;
using UnityEditor;
using UnityBridge.Framework;
using UnityBridge.Platform;

namespace UnityBridge.Commands
{
    internal static class ClearConsole
    {
        // Internal from 2021.3 to 6000.7 (LogEntries.bindings.cs). Errors that must be fixed stay, as with the window's
        // own button.
        private static readonly MethodInfo ClearRows =
            Members.Method(typeof(EditorApplication).Assembly.GetType("UnityEditor.LogEntries"), "Clear");

        [BridgeCommand("clear_console",
            "Empties Unity's console, and what read_console returns; errors of the compiler stay.")]
        private static void Run(ToolContext context)
        {
            ClearRows?.Invoke(null, null);
            context.Console.Clear();
        }
    }
}
