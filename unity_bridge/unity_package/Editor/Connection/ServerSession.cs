using System;
using System.Diagnostics;
using System.Linq;
using System.Text;
using System.Threading;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Trust;
using UnityBridge.Wire;

namespace UnityBridge.Connection
{
    /// <summary>What a session needs from the editor, and whom it hands requests to.</summary>
    internal interface ISessionHost
    {
        /// <summary>Any thread.</summary>
        JsonObject Hello();

        EditorStateTracker Editor { get; }

        /// <summary>A socket thread; a request of the server, answered through <paramref name="session"/>.</summary>
        void Handle(ServerSession session, JsonObject message);

        /// <summary>A socket thread, several times a second.</summary>
        void Watch();

        /// <summary>Any thread. The server of a session has not proved itself; <paramref name="warning"/> is for a
        /// person.</summary>
        void Doubt(string warning);

        /// <summary>Any thread. A server that has proved itself takes over: the jobs of those without proof
        /// end.</summary>
        void DisownJobs();

        /// <summary>How many of these have not ended.</summary>
        int DisownedJobs { get; }
    }

    /// <summary>One connection to a server from its first hello to its end (SPEC §7.1).</summary>
    internal sealed class ServerSession
    {
        private const int HelloTimeoutMs = 5000;

        // The server pings every 3 s; a frozen one is given up after this much silence.
        private const int SilenceTimeoutMs = 20000;

        private readonly MessageSocket _socket;
        private readonly ISessionHost _host;
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly object _statusLock = new object();
        private long _seq;              // guarded by _statusLock: the order of numbers is the order on the line
        private bool _saidHello;        // guarded by _statusLock
        private long _lastMessageMs;
        private readonly CancellationTokenSource _ended = new CancellationTokenSource();
        private volatile string _serverVersion;

        public ServerSession(MessageSocket socket, ISessionHost host)
        {
            _socket = socket;
            _host = host;
            Trust = new ServerTrust(socket.Ends);
            Tools = new string[0];
        }

        /// <summary>Raised once, on a socket thread, when the server has answered our hello.</summary>
        public event Action<ServerSession, JsonObject> Established;

        /// <summary>Null until the hello is completed.</summary>
        public string ServerVersion => _serverVersion;

        /// <summary>The server's own words for why it did not take this session, or ended it; null if it gave
        /// none.</summary>
        public string RefusedBecause { get; private set; }

        /// <summary>Whether the server runs as the same user.</summary>
        public ServerTrust Trust { get; }

        /// <summary>The names of the tools that the server offers to its clients; none until it has sent
        /// them.</summary>
        public string[] Tools { get; private set; }

        /// <summary>Whether the connection is over or we have said goodbye, so that nothing sent arrives any
        /// more.</summary>
        public bool IsEnded => _ended.IsCancellationRequested;

        /// <summary>Cancelled when <see cref="IsEnded"/>.</summary>
        public CancellationToken Ended => _ended.Token;

        /// <summary>Speaks with the server until the connection ends.</summary>
        public void Run()
        {
            try
            {
                _socket.Start(Watch);
                SayHello();
                TakeAll();
            }
            finally
            {
                _ended.Cancel();
                _socket.End();
            }
        }

        private void TakeAll()
        {
            string text;
            while ((text = _socket.Receive()) != null)
            {
                Interlocked.Exchange(ref _lastMessageMs, _clock.ElapsedMilliseconds);
                var received = text;
                Guard.Run(() => Take(received));
            }
        }

        /// <summary>Any thread.</summary>
        public void Send(JsonObject message)
        {
            var text = JsonWriter.WriteForMessage(message);
            if (text.Length > Messages.MaxBytes / 4 && Encoding.UTF8.GetByteCount(text) > Messages.MaxBytes)
            {
                text = JsonWriter.Write(Messages.Error(message.Text("request_id"), new Refusal(
                    ErrorCode.InvalidResponse, "The answer is over 1 MiB and was not sent. Ask for less.")));
            }
            _socket.Send(text);
        }

        /// <summary>Any thread. Reports the editor's state, if our hello was sent; the server's answer is not waited
        /// for: a reload that begins in between must not look like a lost editor.</summary>
        public void SendStatus()
        {
            lock (_statusLock)
            {
                if (!_saidHello)
                {
                    return;
                }
                _seq++;
                Send(EditorMessages.EditorStatus(
                    _host.Editor, _seq, Trust.TakeProof(), Trust.IsProven, _host.DisownedJobs));
            }
        }

        private void SayHello()
        {
            lock (_statusLock)
            {
                var hello = _host.Hello();
                hello["nonce"] = Trust.Nonce;
                Send(hello);
                _saidHello = true;
            }
        }

        /// <summary>Any thread. Says goodbye after what is queued; the session ends with the server's answer to
        /// it.</summary>
        public void Close(int code, string reason)
        {
            _ended.Cancel();
            _socket.Close(code, reason);
        }

        /// <summary>Any thread. Drops the connection.</summary>
        public void Abort()
        {
            _ended.Cancel();
            _socket.Abort();
        }

        private void Take(string text)
        {
            if (!JsonReader.TryRead(text, out var value, out var why, JsonWriter.MaxLevels))
            {
                Refuse(null, ErrorCode.InvalidRequest, "The message is not JSON: " + why + ".");
                return;
            }
            var message = value as JsonObject;
            var type = message == null ? null : message.Text("type");
            if (type == null)
            {
                Refuse(message == null ? null : message.Text("request_id"), ErrorCode.InvalidRequest,
                    "A message is a JSON object with a text member 'type'.");
                return;
            }
            if (type != "error" && !IsMyVersion(message))
            {
                Refuse(message.Text("request_id"), ErrorCode.InvalidRequest, "This plugin speaks protocol_version 1.");
                return;
            }
            Dispatch(type, message);
        }

        // A message without a version is of the version that the hello had (SPEC §7.7).
        private bool IsMyVersion(JsonObject message)
        {
            var version = message.Get("protocol_version");
            if (!message.ContainsKey("protocol_version")
                ? _serverVersion != null
                : message.Integer("protocol_version") == Messages.ProtocolVersion)
            {
                return true;
            }
            if (_serverVersion == null)
            {
                RefusedBecause = "it speaks protocol_version " + Quoted.Text(JsonWriter.Write(version))
                    + " and this plugin 1; update the older of the two (unity-bridge plugin update)";
            }
            return false;
        }

        private void Dispatch(string type, JsonObject message)
        {
            if (_serverVersion != null)
            {
                // Of an established session the last word counts: a server that goes on did not mean its end.
                RefusedBecause = null;
            }
            switch (type)
            {
                case "ping":
                    SendPong();
                    break;
                case "hello":
                    Establish(message);
                    break;
                case "capability":
                    Tools = message.Items("tools").OfType<JsonObject>().Select(tool => tool.Text("name"))
                        .Where(name => name != null).ToArray();
                    break;
                case "error":
                    NoteError(message);
                    break;
                default:
                    if (_serverVersion == null)
                    {
                        Refuse(message.Text("request_id"), ErrorCode.InvalidRequest, "A hello comes first.");
                        break;
                    }
                    // After our goodbye no answer leaves, so nothing may begin.
                    if (!IsEnded)
                    {
                        _host.Handle(this, message);
                    }
                    break;
            }
        }

        private void Establish(JsonObject hello)
        {
            if (_serverVersion != null)
            {
                return;
            }
            Trust.Check(hello, _ended.Token);
            _serverVersion = hello.Text("server_version") ?? "unknown";
            Established?.Invoke(this, hello);
            // The state may have changed while our hello was on its way, and our proof is due.
            SendStatus();
        }

        private void NoteError(JsonObject message)
        {
            var error = message.Object("error");
            if (error != null && message.Text("request_id") == null)
            {
                RefusedBecause = error.Text("message") ?? error.Text("code");
            }
        }

        private void SendPong()
        {
            lock (_statusLock)
            {
                Send(EditorMessages.Pong(_host.Editor, _seq, Trust.IsProven, _host.DisownedJobs));
            }
        }

        private void Refuse(string requestId, string code, string message)
        {
            Send(Messages.Error(requestId, new Refusal(code, message)));
        }

        private void Watch()
        {
            Guard.Run(_host.Watch);
            var now = _clock.ElapsedMilliseconds;
            var helloIsLate = _serverVersion == null && now > HelloTimeoutMs;
            if (helloIsLate || now - Interlocked.Read(ref _lastMessageMs) > SilenceTimeoutMs)
            {
                Abort();
            }
        }
    }
}
