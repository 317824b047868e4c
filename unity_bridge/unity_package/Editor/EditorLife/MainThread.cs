using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using UnityEditor;

namespace UnityBridge.EditorLife
{
    /// <summary>Work that other threads hand to Unity's main thread; it runs in the editor's update.</summary>
    internal sealed class MainThread
    {
        // One tick gives the bridge this much; a burst of work never makes the editor stutter.
        private const long BudgetMs = 5;

        private readonly object _lock = new object();
        private readonly Queue<Action> _work = new Queue<Action>(); // guarded by _lock
        private readonly Action _wakeEditor = FindWake();

        /// <summary>Any thread. Runs <paramref name="work"/> on the main thread; never, if the domain reloads before.</summary>
        public void Post(Action work)
        {
            lock (_lock)
            {
                _work.Enqueue(work);
            }
            Wake();
        }

        /// <summary>Any thread. Asks for the next update now: an editor without focus may take a second for it.</summary>
        public void Wake() => _wakeEditor?.Invoke();

        /// <summary>Main thread, in every update.</summary>
        public void RunPosted()
        {
            var spent = Stopwatch.StartNew();
            while (spent.ElapsedMilliseconds < BudgetMs && TryTake(out var work))
            {
                Guard.Run(work);
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

        // Internal in Unity, callable from any thread; without it the bridge is slower in the background, not wrong.
        private static Action FindWake()
        {
            var method = typeof(EditorApplication).GetMethod(
                "SignalTick", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic, null, Type.EmptyTypes, null);
            return method == null ? null : (Action)Delegate.CreateDelegate(typeof(Action), method, false);
        }
    }
}
