using System;
using UnityBridge.Console;
using UnityBridge.EditorLife;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Framework
{
    /// <summary>What tools need of the editor and of the bridge.</summary>
    internal sealed class ToolContext
    {
        public ToolContext(ConsoleBuffer console, ConsoleWindow window, CompilerLog compiler, JobLedger ledger,
            MainThread mainThread, TickClock ticks,
            SceneFiles sceneFiles)
        {
            Console = console;
            Window = window;
            Compiler = compiler;
            Ledger = ledger;
            MainThread = mainThread;
            Ticks = ticks;
            SceneFiles = sceneFiles;
        }

        public ConsoleBuffer Console { get; }

        /// <summary>Null where this Unity's console cannot be read.</summary>
        public ConsoleWindow Window { get; }

        public CompilerLog Compiler { get; }

        public JobLedger Ledger { get; }

        public MainThread MainThread { get; }

        public TickClock Ticks { get; }

        public SceneFiles SceneFiles { get; }

        /// <summary>Begins to list tests by the arguments of run_tests. Set by the tool that runs tests when it is
        /// made; the framework has one listener for all.</summary>
        public Func<JsonObject, IJobRun> ListTests { get; set; }

        /// <summary>Whether a test run is under way, also one that the user started. The tool that runs tests knows; it
        /// sets this when it is made, so the others ask it only once all are made.</summary>
        public Func<bool> AreTestsRunning { get; set; } = () => false;
    }
}
