using System;
using System.Collections.Generic;
using System.Threading;

namespace UnityBridge.EditorLife
{
    /// <summary>The end of this generation of the code: a domain reload, or the editor's.</summary>
    /// <remarks>With CoreCLR a reload leaves Unity's statics as they are, and the old code stays in memory for as long
    /// as one of them, a timer or a thread refers to it. So whatever is subscribed is unsubscribed here, and whatever
    /// waits is cancelled.</remarks>
    internal static class DomainEnd
    {
        private static readonly CancellationTokenSource Source = new CancellationTokenSource();
        private static readonly List<Action> Undone = new List<Action>();   // main thread only

        /// <summary>Any thread. Every wait of the bridge ends with it, except those of the connection, which is closed
        /// before.</summary>
        public static CancellationToken Token => Source.Token;

        /// <summary>Main thread. Subscribes, and unsubscribes at the end.</summary>
        public static void Subscribe(Action subscribe, Action unsubscribe)
        {
            subscribe();
            Undone.Add(unsubscribe);
        }

        /// <summary>Main thread.</summary>
        public static void AtEnd(Action action) => Undone.Add(action);

        /// <summary>Main thread, once.</summary>
        public static void Leave()
        {
            Undone.ForEach(Guard.Run);
            Undone.Clear();
            Guard.Run(Source.Cancel);
        }
    }
}
