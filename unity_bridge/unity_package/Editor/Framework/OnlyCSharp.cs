using System.IO;
using UnityEngine;
using UnityBridge.Objects;
using UnityBridge.Settings;

namespace UnityBridge.Framework
{
    /// <summary>The way that is left where no command does what was asked for. Every such refusal has the same
    /// sentence. Any thread.</summary>
    internal static class OnlyCSharp
    {
        private static CSharpPermission _permission;

        /// <summary>That C# can do it, and who allows it how.</summary>
        public static string Can => "C# can do it: run_csharp, "
            + (IsAllowed ? "which is allowed in this project"
            : "once the user has allowed it with `unity-bridge allow csharp`")
            + ", or a command of the project.";

        /// <summary>Why nothing was found, with the way that is left.</summary>
        public static string Explain(ObjectFinder finder) => finder.IsOfSettings ? finder.Fault + " " + Can
            : finder.Fault;

        /// <summary>Main thread, once in a domain.</summary>
        public static void Start() => _permission = new CSharpPermission(Path.GetDirectoryName(Application.dataPath));

        private static bool IsAllowed => _permission?.IsGiven == true;
    }
}
