using System.Globalization;
using UnityEditor;
using UnityEngine;

namespace UnityBridge.EditorLife
{
    /// <summary>Time.timeScale while the game plays. Unity keeps what was set after the end of play mode, so the value
    /// before is put back then. Main
    /// thread.</summary>
    internal static class GameSpeed
    {
        private const string Key = "UnityBridge.time_scale";

        public static void Set(float scale)
        {
            if (SessionState.GetString(Key, "").Length == 0)
            {
                SessionState.SetString(Key, Time.timeScale.ToString("R", CultureInfo.InvariantCulture));
            }
            Time.timeScale = scale;
        }

        /// <summary>The editor is back in edit mode.</summary>
        public static void PutBack()
        {
            if (float.TryParse(SessionState.GetString(Key, ""), NumberStyles.Float, CultureInfo.InvariantCulture,
                out var before))
            {
                Time.timeScale = before;
                SessionState.EraseString(Key);
            }
        }
    }
}
