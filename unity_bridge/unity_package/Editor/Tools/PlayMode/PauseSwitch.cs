using UnityEditor;
using UnityBridge.EditorLife;
using UnityBridge.Jobs;
using UnityBridge.Json;

namespace UnityBridge.Tools
{
    /// <summary>Pauses the game or lets it go on, which Unity does at once. Main thread.</summary>
    internal sealed class PauseSwitch : IJobRun
    {
        private readonly bool _changed;

        private PauseSwitch(bool changed)
        {
            _changed = changed;
        }

        public static PauseSwitch Begin(bool pauses)
        {
            var changed = EditorApplication.isPaused != pauses;
            if (changed)
            {
                EditorApplication.isPaused = pauses;
            }
            return new PauseSwitch(changed);
        }

        /// <summary>In the next domain: it was done when the job began.</summary>
        public static PauseSwitch GoOn(JsonObject memo) => new PauseSwitch(memo?.Flag("changed") ?? true);

        public JobEnd Advance() => JobEnd.Succeeded(PlayModeState.ToJson(_changed));

        public JsonObject Memo() => new JsonObject { { "changed", _changed } };
    }
}
