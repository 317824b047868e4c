using System;
using System.Collections.Generic;
using System.Diagnostics;
using UnityEditor;
using UnityBridge.EditorLife;

namespace UnityBridge.Tools
{
    /// <summary>A walk that stopped at the end of a page, in front of an item that the page had no room for. Main
    /// thread.</summary>
    internal sealed class KeptWalk
    {
        public string Cursor;
        public Question Question;
        public IEnumerator<Found> Steps;
        public Found Next;
        public TimeSpan At;
    }

    /// <summary>
    /// The walks of the last pages of hierarchies, by the cursor that each answered with. Main thread.
    /// </summary>
    /// <remarks>A walk that begins at a cursor goes over all earlier siblings again, to distinguish equal names, so the
    /// pages of one wide level would cost more and more. A walk that is kept goes on where it stopped, unless anything
    /// in the hierarchy changed.</remarks>
    internal sealed class KeptWalks
    {
        private const int Most = 4;
        private static readonly TimeSpan Longest = TimeSpan.FromSeconds(30);

        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly List<KeptWalk> _walks = new List<KeptWalk>();  // the oldest first
        private bool _listens;

        public void Keep(KeptWalk kept)
        {
            Listen();
            _walks.RemoveAll(walk => walk.Cursor == kept.Cursor);
            if (_walks.Count == Most)
            {
                _walks.RemoveAt(0);
            }
            kept.At = _clock.Elapsed;
            _walks.Add(kept);
        }

        /// <summary>Null where there is none, or it may not be true any more. It is taken once: a page that is asked
        /// for again is walked to.</summary>
        public KeptWalk Take(string cursor)
        {
            _walks.RemoveAll(walk => _clock.Elapsed - walk.At > Longest);
            var found = _walks.Find(walk => walk.Cursor == cursor);
            _walks.Remove(found);
            return found;
        }

        private void Listen()
        {
            if (!_listens)
            {
                _listens = true;
                DomainEnd.Subscribe(() => EditorApplication.hierarchyChanged += _walks.Clear,
                    () => EditorApplication.hierarchyChanged -= _walks.Clear);
                EditorEvents.OnProject(_walks.Clear);
            }
        }
    }
}
