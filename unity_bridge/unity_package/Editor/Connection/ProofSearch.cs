using System.Diagnostics;
using System.Threading;
using UnityBridge.EditorLife;
using UnityBridge.Trust;

namespace UnityBridge.Connection
{
    /// <summary>During a session with a server without proof: asks the port now and then whether a server of this user
    /// has it by now, and ends the session for that one (SPEC §17.4).</summary>
    internal sealed class ProofSearch
    {
        private const int EveryMs = 3000;
        private const int EveryMsLater = 15000;
        private const int LaterMs = 60000;

        private readonly int _port;
        private readonly ServerSession _session;
        private readonly ISessionHost _host;
        private readonly Thread _thread;
        private bool _hasFound;

        public ProofSearch(int port, ServerSession session, ISessionHost host)
        {
            _port = port;
            _session = session;
            _host = host;
            _thread = new Thread(() => Guard.Run(Search)) { IsBackground = true,
                Name = "Unity Bridge, looking for a proof" };
            _thread.Start();
        }

        /// <summary>After the end of the session: whether it ended for a server that has proved itself.</summary>
        public bool HasFound()
        {
            _thread.Join();
            if (_hasFound)
            {
                // Not earlier: until its end the session may take in a job.
                _host.DisownJobs();
            }
            return _hasFound;
        }

        private void Search()
        {
            var clock = Stopwatch.StartNew();
            var nextMs = 0L;
            do
            {
                nextMs = clock.ElapsedMilliseconds < LaterMs ? nextMs + EveryMs : nextMs + EveryMsLater;
                var pauseMs = nextMs - clock.ElapsedMilliseconds;
                if (pauseMs > 0 ? _session.Ended.WaitHandle.WaitOne((int)pauseMs) : _session.IsEnded)
                {
                    return;
                }
            }
            while (SharedSecret.Read(_session.Ended, out _) is not { } secret
                || !Opening.IsProven(_port, secret, _session.Ended.WaitHandle));
            _hasFound = true;
            _session.Abort();
        }
    }
}
