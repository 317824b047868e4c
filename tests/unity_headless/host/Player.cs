using System;
using UnityEngine;

namespace Headless
{
    /// <summary>Play mode, as the native side of Unity changes it.</summary>
    /// <remarks>Exiting... is raised before anything changes, and may be answered with isPlaying = false, which calls
    /// the entry off (as PackageManagerUI's PlayModeDownload does when its dialog is cancelled). Then the domain is
    /// reloaded, unless that is switched off (manual, "The details of entering Play Mode"). Entered... is raised in the
    /// next update of the editor (manual, PlayModeStateChange). With compile errors a notification is shown and nothing
    /// else happens (SceneView.ShowCompileErrorNotification). While scripts compile, an entry waits.</remarks>
    internal sealed class Player
    {
        private readonly NativeEditor _native;
        private readonly System.Diagnostics.Stopwatch _sinceFrame = System.Diagnostics.Stopwatch.StartNew();
        private string _entered;

        public Player(NativeEditor native)
        {
            _native = native;
        }

        public bool DisableDomainReload;

        /// <summary>Report the result of the last change, then run a frame of the game.</summary>
        /// <param name="isAskedFor">SignalTick asked for this update: without focus it runs a frame only if a player
        /// loop was asked for too (EditorApplication.bindings.cs, QueuePlayerLoopUpdate).</param>
        public void BeforeUpdate(ScriptDomain scripts, bool isAskedFor)
        {
            var asked = _native.PlayerLoopWanted;
            _native.PlayerLoopWanted = false;
            if (_entered != null)
            {
                scripts.PlayMode(_entered);
                _native.Say("play " + (_entered == "EnteredPlayMode" ? "on" : "off"));
                _entered = null;
                if (_native.Quirk("script-stops") && Native.Playing) Native.PlayingWanted = false;
                return;
            }
            var runs = Native.Playing && (!Native.Paused || _native.StepWanted) && !_native.Quirk("no-frames");
            // Without the focus, the player loop rests unless Run In Background is on; a step runs in any case (Unity's
            // skill "playmode verification loop", step 2; macOS and Windows).
            var background = _native.StepWanted || (_native.RunInBackground && (asked || !isAskedFor));
            if (!runs || (!Native.Focused && !background)) return;
            _native.FrameCount++;
            // Time.maximumDeltaTime: a frame that comes late is a third of a second long at most.
            _native.GameMs += Math.Min(
                _native.FrameCount == 1 ? 0 : _sinceFrame.Elapsed.TotalMilliseconds, 1000.0 / 3) * _native.TimeScale;
            _native.EndFrame(_sinceFrame.Elapsed.TotalMilliseconds);
            _sinceFrame.Restart();
            if (_native.StepWanted) _native.Say("stepped " + _native.FrameCount);
            _native.StepWanted = false;
            scripts.BeginFrame();
        }

        public void AfterUpdate(ScriptDomain scripts, Func<ScriptDomain> reload)
        {
            if (Native.PlayingWanted == Native.Playing || _native.Quirk("play-mode-stuck")) return;
            if (Native.PlayingWanted) Enter(scripts, reload);
            else Leave(scripts);
        }

        private void Enter(ScriptDomain scripts, Func<ScriptDomain> reload)
        {
            if (Native.Compiling) return;
            if (Native.CompilationFailed)
            {
                Native.PlayingWanted = false;
                return;
            }
            scripts.PlayMode("ExitingEditMode");
            // The handler of another script.
            if (_native.Quirk("entry-called-off"))
            {
                scripts.Log("Error", "The level has no player", "Level:Check ()\n", true);
                Native.PlayingWanted = false;
            }
            if (!Native.PlayingWanted)
            {
                _entered = "EnteredEditMode";
                return;
            }
            if (!DisableDomainReload) scripts = reload();
            _native.FrameCount = 0;
            _native.GameMs = 0;
            if (_native.Quirk("entry-fails"))
            {
                Native.PlayingWanted = false;
                _entered = "EnteredEditMode";
                return;
            }
            Native.Playing = true;
            _entered = "EnteredPlayMode";
        }

        private void Leave(ScriptDomain scripts)
        {
            scripts.PlayMode("ExitingPlayMode");
            Native.Playing = Native.PlayingWanted = false;
            Native.Paused = _native.StepWanted = false;
            _entered = "EnteredEditMode";
        }
    }
}
