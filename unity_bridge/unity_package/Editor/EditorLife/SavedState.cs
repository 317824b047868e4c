using UnityEditor;
using UnityBridge.Json;

namespace UnityBridge.EditorLife
{
    /// <summary>What survives a reload, and ends with the editor. Main thread.</summary>
    internal static class SavedState
    {
        /// <summary>Null for none.</summary>
        public static JsonObject Read(string key)
        {
            JsonReader.TryRead(SessionState.GetString(key, ""), out var saved, out _);
            return saved as JsonObject;
        }

        public static void Write(string key, JsonObject state) =>
            SessionState.SetString(key, JsonWriter.Write(state));
    }
}
