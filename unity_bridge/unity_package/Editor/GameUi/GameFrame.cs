using System;
using System.Collections;
using System.Diagnostics;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;
using UnityEditor;
using UnityEngine;
using UnityEngine.LowLevel;
using UnityBridge.EditorLife;
using UnityBridge.Wire;

namespace UnityBridge.GameUi
{
    /// <summary>Runs steps inside the frames of the game. There <c>Screen</c>, which the raycasters of uGUI use
    /// (GraphicRaycaster.Raycast), has the size of the Game view: the player loop sets it
    /// (EarlyUpdate.UpdateMainGameViewRect). In the editor's update it has that of any window. Main thread.</summary>
    /// <remarks>A paused game runs no loop; its Canvases are drawn with the view all the same. If not even that comes,
    /// the steps run in the update.</remarks>
    internal sealed class GameFrame : IDisposable
    {
        private const long PausedFrameWithinMs = 1000;
        private const long FrameWithinMs = 3000;
        private const long SteadyWithinMs = 1000;
        private const long BudgetMs = 5;

        private readonly Func<GameScreen, IEnumerator> _begin;
        private readonly Stopwatch _waits = Stopwatch.StartNew();
        private readonly PlayerLoopSystem.UpdateFunction _inLoop;
        private readonly CancellationTokenRegistration _domainEnd;
        private IEnumerator _steps;
        private ExceptionDispatchInfo _thrown;
        private Refusal _noView;
        private bool _isInUpdate;
        private bool _isOver;

        /// <param name="begin">The steps, each of them short, on the screen of the first frame.</param>
        public GameFrame(Func<GameScreen, IEnumerator> begin)
        {
            _begin = begin;
            _inLoop = RunSteps;
            SetInLoop(true);
            Canvas.willRenderCanvases += RunPaused;
            _domainEnd = DomainEnd.Token.Register(Leave);
        }

        /// <summary>Why the steps did not run, or did not end. Null while nothing is wrong.</summary>
        public Refusal Refusal { get; private set; }

        /// <summary>In each update, until it is true: the steps are over, or there is a <see cref="Refusal"/>. Throws
        /// what a step throws.</summary>
        public bool Advance()
        {
            _thrown?.Throw();
            if (!_isOver && (_isInUpdate
                || _waits.ElapsedMilliseconds > (EditorApplication.isPaused ? PausedFrameWithinMs : FrameWithinMs)))
            {
                EndWait();
                _thrown?.Throw();
            }
            if (!_isOver && Refusal == null)
            {
                Refusal = EditorApplication.isPlaying ? AskForFrame() : EditorReadiness.WhyNotInGame("try");
            }
            return _isOver || Refusal != null;
        }

        public void Dispose()
        {
            Leave();
            _domainEnd.Dispose();
        }

        /// <summary>The steps of one act.</summary>
        public static IEnumerator Once(Action act)
        {
            act();
            yield break;
        }

        private void Leave()
        {
            SetInLoop(false);
            Canvas.willRenderCanvases -= RunPaused;
        }

        private void EndWait()
        {
            if (EditorApplication.isPaused)
            {
                _isInUpdate = true;
                RunSteps();
                Refusal = _noView;
            }
            else
            {
                Refusal = _noView ?? Refusal.NotExecuted(
                    "not_advancing",
                    "The game runs no frame: it may be loading, or Unity holds it while another window has the focus. "
                    + "Bring Unity to the front, or try again.");
            }
        }

        private static Refusal AskForFrame()
        {
            var view = PlayModeViews.AreKnown ? PlayModeViews.Find() : null;
            if (view == null)
            {
                return GameScreen.NoView("No Game view is open. Open one with Window > General > Game.");
            }
            view.Repaint();
            EditorApplication.QueuePlayerLoopUpdate();
            return null;
        }

        private void RunPaused()
        {
            if (EditorApplication.isPaused)
            {
                RunSteps();
            }
        }

        private void RunSteps()
        {
            if (_isOver || _thrown != null || (_steps == null && !Begin()))
            {
                return;
            }
            _waits.Restart();
            try
            {
                do
                {
                    _isOver = !_steps.MoveNext();
                }
                while (!_isOver && _waits.ElapsedMilliseconds < BudgetMs);
            }
            catch (Exception thrown)
            {
                _thrown = ExceptionDispatchInfo.Capture(thrown);
            }
        }

        // After a change of the view's size its texture follows when it is drawn next.
        private bool Begin()
        {
            var screen = GameScreen.Find(out _noView);
            if (screen == null || (!screen.IsSteady && _waits.ElapsedMilliseconds < SteadyWithinMs))
            {
                return false;
            }
            _steps = _begin(screen);
            return true;
        }

        private void SetInLoop(bool isIn)
        {
            var loop = PlayerLoop.GetCurrentPlayerLoop();
            var systems = (loop.subSystemList ?? Array.Empty<PlayerLoopSystem>())
                .Where(system => system.updateDelegate != _inLoop).ToList();
            if (isIn)
            {
                // Behind the scripts' Update, in which the game's own input is handled.
                var update = systems.FindIndex(system => system.type == typeof(UnityEngine.PlayerLoop.Update));
                systems.Insert(update < 0 ? systems.Count : update + 1,
                    new PlayerLoopSystem { type = typeof(GameFrame), updateDelegate = _inLoop });
            }
            loop.subSystemList = systems.ToArray();
            PlayerLoop.SetPlayerLoop(loop);
        }
    }
}
