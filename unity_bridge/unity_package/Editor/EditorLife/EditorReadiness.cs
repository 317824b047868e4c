using UnityEditor;
using UnityBridge.Wire;

namespace UnityBridge.EditorLife
{
    /// <summary>What the editor is doing that a tool has to wait for, or is refused for (SPEC §15.8). Main
    /// thread.</summary>
    internal static class EditorReadiness
    {
        /// <summary>Of this domain; set once, before anything asks.</summary>
        public static LoadedCode Code { get; set; }

        /// <summary>Compiling, importing or about to reload: it passes by itself.</summary>
        public static bool IsBusy => Code.IsBusy;

        public static bool IsInPlayMode =>
            EditorApplication.isPlaying || EditorApplication.isPlayingOrWillChangePlaymode;

        /// <summary>For what a job waits that may not begin (SPEC §15.3).</summary>
        public static string WhatItDoes() => !IsBusy ? "test_run" : Code.IsCompiling ? "compiling" : "importing";

        /// <summary>Why what needs a running game cannot be done, or null: not in play mode, or paused.</summary>
        /// <param name="what">What it would do, as in "click".</param>
        public static Refusal WhyNotInGame(string what)
        {
            if (!EditorApplication.isPlaying)
            {
                return Refusal.NotExecuted(
                    "not_playing", "The editor is not in play mode. Enter it with play_mode enter, then " + what
                    + " again.");
            }
            return EditorApplication.isPaused
                ? Refusal.NotExecuted("paused",
                    "The game is paused, so nothing would react. Resume it with play_mode resume, then " + what
                    + " again.")
                : null;
        }

        /// <summary>Why a tool that needs edit mode cannot run, or null.</summary>
        /// <param name="what">What it would do, as in "compile".</param>
        public static Refusal WhyNotInEditMode(string what)
        {
            if (IsInPlayMode)
            {
                return PlaySession.WhyNot(what)
                    ?? Refusal.NotExecuted("playing",
                        "The editor is in play mode. Leave play mode, then " + what + " again.");
            }
            return BuildPipeline.isBuildingPlayer
                ? Refusal.NotExecuted("building",
                    "The editor is building a player. Wait for the end of the build, then " + what + " again.")
                : null;
        }
    }
}
