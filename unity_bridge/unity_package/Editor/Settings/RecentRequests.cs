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
        private readonly Queue<KeyValuePair<DateTime, string>> _requests = new Queue<KeyValuePair<DateTime, string>>(); // guarded by _lock

        public void Note(string what)
        {
            // Formatted when a person looks: the first local time in a domain is expensive.
            var request = new KeyValuePair<DateTime, string>(DateTime.UtcNow, what);
            lock (_lock)
            {
                _requests.Enqueue(request);
                if (_requests.Count > Kept)
                {
                    _requests.Dequeue();
                }
            }
        }

        /// <summary>The newest first.</summary>
        public string[] Newest()
        {
            lock (_lock)
            {
                var requests = _requests.ToArray();
                Array.Reverse(requests);
                return Array.ConvertAll(requests, request => request.Key.ToLocalTime().ToString("HH:mm:ss", CultureInfo.InvariantCulture) + "  " + request.Value);
            }
        }
    }
}
