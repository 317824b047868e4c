using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using UnityEditor;
using UnityBridge.Platform;

namespace UnityBridge.EditorLife
{
    /// <summary>Work that other threads hand to Unity's main thread; it runs in the editor's update.</summary>
    internal sealed class MainThread
    {
        // One tick gives the bridge this much; a burst of work never makes the editor stutter.
        private const long BudgetMs = 5;

        // An editor in the background may take a second for an update; only what is clearly slower is a stall.
        private const long StallMs = 3000;

        // As soon as Unity makes an update anyway: it rests for up to 4 ms between two (manual, Interaction Mode).
        private const int SoonMs = 4;

        private readonly object _lock = new object();
        private readonly int _mainThreadId = Thread.CurrentThread.ManagedThreadId;
        private readonly Queue<Action> _work = new Queue<Action>(); // guarded by _lock
        private readonly Queue<Func<bool>> _steps = new Queue<Func<bool>>(); // guarded by _lock
        private readonly Stopwatch _spent = Stopwatch.StartNew();
        // Internal in Unity, callable from any thread; without it the bridge is slower in the background, not wrong.
        private readonly Action _wakeEditor = Members.Static<Action>(typeof(EditorApplication), "SignalTick");
        private readonly Timer _timer;
        // main thread only, as is the next one: after how long the timer wakes the editor
        private int _nextMs = Timeout.Infinite;
        private bool _isWanted;                     // this update has asked for it

        public MainThread()
        {
            _timer = new Timer(_ => _wakeEditor?.Invoke(), null, Timeout.Infinite, Timeout.Infinite);
        }

        /// <summary>Any thread. Runs <paramref name="work"/> on the main thread; never, if the domain reloads
        /// before.</summary>
        public void Post(Action work)
        {
            lock (_lock)
            {
                _work.Enqueue(work);
            }
            Wake();
        }

        /// <summary>Any thread. Runs <paramref name="step"/> on the main thread, in one update after the other, until
        /// it answers true or throws; no more, if the domain reloads before. Until then the editor is kept
        /// awake.</summary>
        /// <remarks>A step that has much to do stops when <see cref="IsBudgetSpent"/>. Several share an update, and
        /// take turns where its budget is not enough for all.</remarks>
        public void EachUpdate(Func<bool> step)
        {
            lock (_lock)
            {
                _steps.Enqueue(step);
            }
            Wake();
        }

        /// <summary>Main thread. Whether the bridge has used up its share of this update.</summary>
        public bool IsBudgetSpent => _spent.ElapsedMilliseconds >= BudgetMs;

        /// <summary>Any thread. Whether there was no update for so long that what waits for one should not.</summary>
        public bool IsStalled => _spent.ElapsedMilliseconds > StallMs;

        /// <summary>Any thread. Asks for the next update soon: an editor without focus may take a second for
        /// it.</summary>
        public void Wake()
        {
            if (Thread.CurrentThread.ManagedThreadId == _mainThreadId)
            {
                WakeIn(SoonMs);
            }
            else
            {
                _wakeEditor?.Invoke();
            }
        }

        /// <summary>Main thread. Asks for an update after <paramref name="ms"/>; the shortest of an update's wishes
        /// counts.</summary>
        /// <remarks>The timer's thread wakes the editor. On the main thread, inside an update, SignalTick has no effect
        /// on some systems (hatayama/unity-cli-loop issue 2643: updates stay 100 ms apart on macOS). It is repeated
        /// until the update comes, because a signal that meets a running update may be lost as well.</remarks>
        public void WakeIn(int ms)
        {
            if (_isWanted && _nextMs <= ms)
            {
                return;
            }
            _isWanted = true;
            _nextMs = ms;
            _timer.Change(ms, ms);
        }

        /// <summary>Main thread, at the end of every update: without a wish the editor goes on at its own
        /// pace.</summary>
        public void EndUpdate()
        {
            if (!_isWanted && _nextMs != Timeout.Infinite)
            {
                _nextMs = Timeout.Infinite;
                _timer.Change(Timeout.Infinite, Timeout.Infinite);
            }
            _isWanted = false;
        }

        /// <summary>Main thread, before the domain goes: nothing of it is called any more.</summary>
        public void Leave() => _timer.Dispose();

        /// <summary>Main thread, in every update.</summary>
        public void RunPosted()
        {
            _spent.Restart();
            while (!IsBudgetSpent && TryTake(out var work))
            {
                Guard.Run(work);
            }
            RunSteps();
        }

        // One in any case, so that a stream of posted work does not keep them from going on.
        private void RunSteps()
        {
            int left;
            lock (_lock)
            {
                left = _steps.Count;
            }
            while (left-- > 0)
            {
                Func<bool> step;
                lock (_lock)
                {
                    step = _steps.Dequeue();
                }
                var isDone = true;
                Guard.Run(() => isDone = step());
                if (!isDone)
                {
                    EachUpdate(step);
                }
                if (IsBudgetSpent)
                {
                    return;
                }
            }
        }

        private bool TryTake(out Action work)
        {
            lock (_lock)
            {
                work = _work.Count > 0 ? _work.Dequeue() : null;
                if (_work.Count > 0)
                {
                    Wake();
                }
            }
            return work != null;
        }
    }
}
