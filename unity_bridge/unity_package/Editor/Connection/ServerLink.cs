using System;
using System.Threading;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Connection
{
    /// <summary>Keeps a session with the server of one port: connects, and again for ever, until it is
    /// closed.</summary>
    internal sealed class ServerLink
    {
        private readonly ISessionHost _host;
        private readonly Backoff _backoff = new Backoff(new System.Random());
        private readonly ManualResetEvent _closed = new ManualResetEvent(false);
        private readonly object _verdictLock = new object();
        private bool? _firstVerdict; // guarded by _verdictLock
        private volatile ServerSession _session;
        private volatile string _lastFailure;
        private bool _refusalLogged; // the loop's own: one line, however often and however it is put
        private Thread _thread;
        private ReconnectPause _pause; // the loop's own
        private bool _isReloading; // written before _closed is set
        private ProofSearch _search; // the loop's own: of the session, if its server has not proved itself

        public ServerLink(int port, ISessionHost host)
        {
            Port = port;
            _host = host;
        }

        public int Port { get; }

        /// <summary>Why there was no session last time, in a sentence; null when nothing has failed yet.</summary>
        public string LastFailure => _lastFailure;

        /// <summary>The session whose hello is completed, or null.</summary>
        public ServerSession Session
        {
            get
            {
                var session = _session;
                return session?.ServerVersion != null ? session : null;
            }
        }

        /// <summary>Any thread. Reports the editor's state to the server, if there is a connection.</summary>
        public void SendStatus() => _session?.SendStatus();

        /// <summary>The state of the connection in words, for a person.</summary>
        public string InWords
        {
            get
            {
                var session = Session;
                return session != null
                    ? "Connected to unity-bridge " + Quoted.Text(session.ServerVersion) + " on port " + Port + "."
                    : _lastFailure == null
                        ? "Connecting to port " + Port + "."
                        : _lastFailure + " Trying again; it connects by itself once a client has started unity-bridge.";
            }
        }

        public void Start()
        {
            _thread = new Thread(() => Guard.Run(Loop)) { IsBackground = true, Name = "Unity Bridge" };
            _thread.Start();
        }

        /// <summary>Any thread. Waits for the first completed hello. False if there is none in time, or if the server's
        /// word on the first session is no.</summary>
        public bool WaitForHello(int timeoutMs)
        {
            lock (_verdictLock)
            {
                if (_firstVerdict == null)
                {
                    Monitor.Wait(_verdictLock, timeoutMs);
                }
                return _firstVerdict == true;
            }
        }

        /// <summary>Any thread. Says goodbye, stops, and waits until nothing of it runs any more; each for at most
        /// <paramref name="budgetMs"/>.</summary>
        /// <remarks>A domain is unloaded under whatever still runs in it, and Mono does not take that well.</remarks>
        public void Close(int code, string reason, int budgetMs, bool isReloading)
        {
            _isReloading = isReloading;
            _closed.Set();
            Decide(false);
            var session = _session;
            session?.Close(code, reason);
            if (session != null && !_thread.Join(budgetMs))
            {
                session.Abort();
            }
            if (_thread != null && !_thread.Join(budgetMs))
            {
                // Into Editor.log: nobody can do anything about it, but a crash of Mono at the unload that follows may
                // come from it.
                System.Console.WriteLine(
                    "[Unity Bridge] The connection still ended " + budgetMs + " ms after it was closed.");
            }
        }

        private bool IsClosed => _closed.WaitOne(0);

        private void Loop()
        {
            _pause = new ReconnectPause(Port, _closed);
            while (!IsClosed)
            {
                _search = null;
                _pause.BeginAttempt();
                try
                {
                    OneSession();
                }
                catch (Exception failure) when (failure is not ThreadAbortException)
                {
                    _lastFailure = "No server answers on port " + Port + " (" + failure.GetBaseException().Message
                        + ").";
                }
                // A server that has proved itself waits at the port.
                if (_search?.HasFound() != true)
                {
                    _pause.Wait(_backoff.NextMs());
                }
            }
            _pause.Leave(_isReloading);
        }

        private void OneSession()
        {
            var socket = Opening.Connect(Port, _closed, _pause.CheckCall);
            if (socket == null)
            {
                _lastFailure = "No server answers on port " + Port + ".";
                return;
            }
            var session = new ServerSession(socket, _host);
            session.Established += OnEstablished;
            _session = session;
            if (IsClosed)
            {
                // Close came between connecting and here, and did not see this session.
                session.Abort();
            }
            try
            {
                session.Run();
            }
            finally
            {
                _session = null;
                _pause.DropCall();
                NoteEnd(session);
            }
        }

        private void Decide(bool verdict)
        {
            lock (_verdictLock)
            {
                _firstVerdict ??= verdict;
                Monitor.PulseAll(_verdictLock);
            }
        }

        private void OnEstablished(ServerSession session, JsonObject hello)
        {
            _pause.EndWaiting();
            if (session.Trust.IsProven)
            {
                _backoff.Configure(hello);
            }
            else
            {
                _host.Doubt("Port " + Port + ": " + session.Trust.Warning);
                _search = new ProofSearch(Port, session, _host);
            }
            Decide(true);
        }

        private void NoteEnd(ServerSession session)
        {
            var refusal = session.RefusedBecause;
            var wasEstablished = session.ServerVersion != null;
            if (wasEstablished && refusal == null)
            {
                _backoff.Reset();
                _refusalLogged = false;
            }
            // A server may refuse whom it does not trust after it has said hello.
            var doubt = wasEstablished && session.Trust.Doubt != null
                ? " It is not trusted here either. " + session.Trust.Doubt
                : "";
            _lastFailure = refusal != null
                ? "The server on port " + Port + " refused this editor: " + Quoted.Text(refusal).TrimEnd('.') + "."
                + doubt
                : wasEstablished
                    ? "The connection to port " + Port + " was lost."
                    : "What listens on port " + Port + " does not answer as unity-bridge does.";
            if (refusal != null && !_refusalLogged)
            {
                _refusalLogged = true;
                Decide(false);
                Debug.LogWarning("[Unity Bridge] " + _lastFailure
                    + (wasEstablished ? "" : " Give each editor its own port in Project Settings > Unity Bridge."));
            }
        }
    }
}
