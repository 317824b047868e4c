using System;
using System.Collections.Generic;
using System.Globalization;

namespace UnityBridge.Settings
{
    /// <summary>The last requests of the server, one line each, for the settings page. Any thread.</summary>
    internal sealed class RecentRequests
    {
        private const int Kept = 20;

        private readonly object _lock = new object();
        private readonly Queue<string> _lines = new Queue<string>(); // guarded by _lock

        public void Note(string what)
        {
            var line = DateTime.Now.ToString("HH:mm:ss", CultureInfo.InvariantCulture) + "  " + what;
            lock (_lock)
            {
                _lines.Enqueue(line);
                if (_lines.Count > Kept)
                {
                    _lines.Dequeue();
                }
            }
        }

        /// <summary>The newest first.</summary>
        public string[] Newest()
        {
            lock (_lock)
            {
                var lines = _lines.ToArray();
                Array.Reverse(lines);
                return lines;
            }
        }
    }
}
