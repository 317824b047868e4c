using System;
using System.Runtime.CompilerServices;
using UnityEditor;
using UnityEditor.MPE;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Platform;

namespace UnityBridge.Startup
{
    /// <summary>Starts the bridge in every new script domain of an editor that a person works with.</summary>
    [InitializeOnLoad]
    internal static class Bootstrap
    {
        /// <summary>Set to 1 to have the bridge in a batch-mode editor too.</summary>
        public const string BatchModeVariable = "UNITY_BRIDGE_BATCHMODE";

        static Bootstrap()
        {
            WhyNot = FindWhyNot();
            if (WhyNot == null)
            {
                WhyNot =
                    "It could not start; Unity's console has the error. Report it, then reload the scripts or "
                    + "restart the editor.";
                Guard.Run(() =>
                {
                    LoadTypes();
                    var bridge = new Bridge();
                    bridge.Start();
                    Bridge = bridge;
                    WhyNot = null;
                });
            }
        }

        /// <summary>Null where the bridge does not run.</summary>
        public static Bridge Bridge { get; private set; }

        /// <summary>Why the bridge does not run, for a person; null where it does.</summary>
        public static string WhyNot { get; private set; }

        // Mono can fail for good when two threads load the same types at once ("Recursive type definition detected"),
        // and right after a reload the socket threads and this one would. So all are loaded before there is a second
        // thread.
        private static void LoadTypes()
        {
            foreach (var type in typeof(Bootstrap).Assembly.GetTypes())
            {
                if (!type.ContainsGenericParameters && type != typeof(Bootstrap))
                {
                    RuntimeHelpers.RunClassConstructor(type.TypeHandle);
                }
            }
        }

        private static string FindWhyNot()
        {
            if (IsImportWorker() || IsSecondaryProcess() || IsVirtualPlayer())
            {
                return "This process helps another editor. The bridge runs in that one.";
            }
            return !Application.isBatchMode || Environment.GetEnvironmentVariable(BatchModeVariable) == "1"
                ? null
                : "This editor runs in batch mode. Set " + BatchModeVariable + "=1 before you start it.";
        }

        // 6000.4 and 6000.5 refuse most of AssetDatabase while code is being loaded (PreventExecutionInState in
        // AssetDatabase.bindings.cs). A worker is started with -name AssetImportWorkerN.
        private static bool IsImportWorker()
        {
            try
            {
                return AssetDatabase.IsAssetImportWorkerProcess();
            }
            catch (Exception)
            {
                return Array.Exists(Environment.GetCommandLineArgs(),
                    word => word.Begins("AssetImportWorker"));
            }
        }

        // Multiplayer Play Mode starts further editors on a copy of the project, with a window and no process role of
        // their own. Unity's own code looks for the same word (ContainerWindow.cs).
        private static bool IsVirtualPlayer() =>
            Array.IndexOf(Environment.GetCommandLineArgs(), "--virtual-project-clone") >= 0;

        // The stand-alone profiler and the like are Unity processes too.
        private static bool IsSecondaryProcess() => ProcessService.level == ProcessLevel.Secondary;
    }
}
