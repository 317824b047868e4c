using System;
using System.Net.WebSockets;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Connection
{
    /// <summary>Keeps a session with the server of one port: connects, and again for ever, until it is closed.</summary>
    internal sealed class ServerLink
    {
        private readonly ISessionHost _host;
        private readonly Backoff _backoff = new Backoff(new System.Random());
        private readonly CancellationTokenSource _closed = CancellationTokenSource.CreateLinkedTokenSource(DomainEnd.Token);
        private readonly TaskCompletionSource<bool> _firstVerdict = new TaskCompletionSource<bool>();
        private volatile ServerSession _session;
        private volatile string _lastFailure;
        private bool _refusalLogged; // the loop's own: one line, however often and however it is put
        private Task _loop = Task.FromResult(true);

        public ServerLink(int port, ISessionHost host)
        {
            Port = port;
            _host = host;
        }

        public int Port { get; }

        /// <summary>True at the first completed hello, false if the server's word on the first session is no; open while
        /// no server has said anything.</summary>
        public Task<bool> FirstVerdict => _firstVerdict.Task;

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
                    ? "Connected to unity-bridge " + Quoted.Of(session.ServerVersion) + " on port " + Port + "."
                    : _lastFailure == null
                        ? "Connecting to port " + Port + "."
                        : _lastFailure + " Trying again; it connects by itself once a client has started unity-bridge.";
            }
        }

        public void Start()
        {
            // Task.Run leaves Unity's synchronization context behind: nothing in here ever waits for the main thread.
            _loop = Task.Run((Func<Task>)Loop);
        }

        /// <summary>Any thread. Says goodbye, stops, and waits until nothing of it runs any more; each for at most
        /// <paramref name="budgetMs"/>.</summary>
        /// <remarks>A domain is unloaded under whatever still runs in it, and Mono does not take that well. What is late, since all threads of the
        /// pool are blocked, ends by itself: each of its waits ends with the token or with the socket.</remarks>
        public void Close(WebSocketCloseStatus status, string reason, int budgetMs)
        {
            _closed.Cancel();
            _firstVerdict.TrySetResult(false);
            var session = _session;
            if (session != null && !Task.Run(() => session.Close(status, reason)).Wait(budgetMs))
            {
                session.Abort();
            }
            if (!_loop.Wait(budgetMs))
            {
                // Into Editor.log: nobody can do anything about it, but a crash of Mono at the unload that follows may come from it.
                System.Console.WriteLine("[Unity Bridge] The connection still ended " + budgetMs + " ms after it was closed.");
            }
        }

        private async Task Loop()
        {
            while (!_closed.IsCancellationRequested)
            {
                try
                {
                    await OneSession().ConfigureAwait(false);
                }
                catch (Exception failure)
                {
                    _lastFailure = "No server answers on port " + Port + " (" + failure.GetBaseException().Message + ").";
                }
                await Task.WhenAny(Task.Delay(_backoff.NextMs(), _closed.Token)).ConfigureAwait(false);
            }
        }

        private async Task OneSession()
        {
            var socket = await MessageSocket.Connect(Port, _closed.Token).ConfigureAwait(false);
            if (socket == null)
            {
                _lastFailure = "No server answers on port " + Port + ".";
                return;
            }
            var session = new ServerSession(socket, _host);
            session.Established += OnEstablished;
            _session = session;
            if (_closed.IsCancellationRequested)
            {
                // Close came between connecting and here, and did not see this session.
                session.Abort();
                return;
            }
            try
            {
                await session.Run().ConfigureAwait(false);
            }
            finally
            {
                _session = null;
                NoteEnd(session);
            }
        }

        private void OnEstablished(ServerSession session, JsonObject hello)
        {
            _backoff.Configure(hello);
            _firstVerdict.TrySetResult(true);
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
            var doubt = wasEstablished && session.Trust.Doubt != null ? " It is not trusted here either. " + session.Trust.Doubt : "";
            _lastFailure = refusal != null
                ? "The server on port " + Port + " refused this editor: " + Quoted.Of(refusal).TrimEnd('.') + "." + doubt
                : wasEstablished
                    ? "The connection to port " + Port + " was lost."
                    : "What listens on port " + Port + " does not answer like unity-bridge.";
            if (refusal != null && !_refusalLogged)
            {
                _refusalLogged = true;
                _firstVerdict.TrySetResult(false);
                Debug.LogWarning("[Unity Bridge] " + _lastFailure + (wasEstablished ? "" : " Give each editor its own port in Project Settings > Unity Bridge."));
            }
        }
    }
}
