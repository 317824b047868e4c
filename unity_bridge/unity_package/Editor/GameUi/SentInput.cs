using System;

namespace UnityBridge.GameUi
{
    /// <summary>Input that a command has sent to the running game. Main thread.</summary>
    internal static class SentInput
    {
        /// <summary>With words for it, as in "press space".</summary>
        public static event Action<string> Sent;

        public static void Note(string words) => Sent?.Invoke(words);
    }
}
