using UnityBridge.EditorLife;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    /// <summary>What the editor does, for <c>unity-bridge selftest</c>. In no list: it is of no use to
    /// agents.</summary>
    internal static class RecordEvents
    {
        // One answer has room for them.
        private const int MostRead = 500;

        private enum Action
        {
            start,
            read,
            delay,
            stop,
        }

        [BridgeCommand("record_events", "Records what the editor does, for the self-test.", Write = false,
            Hidden = true)]
        private static JsonObject Record(Action action, int first = 0)
        {
            if (action == Action.start)
            {
                EventRecord.Begin();
            }
            if (action == Action.delay)
            {
                EventRecord.AskForDelayedCall();
            }
            if (action == Action.stop)
            {
                EventRecord.End();
            }
            return EventRecord.Read(first, MostRead);
        }
    }
}
