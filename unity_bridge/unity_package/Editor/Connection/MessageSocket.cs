using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using UnityBridge.EditorLife;
using UnityBridge.Trust;
using UnityBridge.Wire;

namespace UnityBridge.Connection
{
    /// <summary>One WebSocket that carries text messages whole: closed once, never reused.</summary>
    /// <remarks>One thread receives and one sends, and the end of a script domain waits for both. Threads of the pool
    /// cannot be waited for, and any script may block them all. And Mono compiles again after each domain reload
    /// whatever is used: the framework's WebSocket and its tasks were a quarter of what the plugin caused to be
    /// compiled. The socket does not block, and no wait for it is longer than an interval of the watch: a thread inside
    /// of a blocking call can hold up the unloading of its domain for ever, and with it the editor.</remarks>
    internal sealed class MessageSocket
    {
        // For one message.
        private const int SendTimeoutMs = 10000;
        private const int WatchIntervalMs = 200;

        // There is room for it where a socket can be written to (SO_SNDLOWAT of macOS). For more, Mono's Send would try
        // again and again until all is sent, also on a socket that does not block.
        private const int PieceBytes = 2048;

        // Far above anything legitimate: a peer that asks without reading must not fill the editor's memory.
        private const int MaxUnsent = 16 * 1024 * 1024;

        private readonly Socket _socket;
        private readonly Incoming _incoming;
        private readonly object _lock = new object();
        private readonly Queue<Frame> _outgoing = new Queue<Frame>(); // guarded by _lock, as are the two below
        private int _unsent;
        private bool _isEnding; // nothing is queued any more: after a close frame, or after Abort
        private volatile bool _isAborted;
        private Thread _sender;

        public MessageSocket(Socket socket, Incoming incoming)
        {
            _socket = socket;
            _incoming = incoming;
            Ends = new Ends(socket.LocalEndPoint, socket.RemoteEndPoint);
        }

        /// <summary>Of its connection, for the proofs.</summary>
        public Ends Ends { get; }

        /// <summary>Begins to send; once. <paramref name="watch"/> is called several times a second within <see
        /// cref="Receive"/>.</summary>
        public void Start(Action watch)
        {
            _incoming.Watch(WatchIntervalMs, () =>
            {
                watch();
                if (_isAborted)
                {
                    throw new IOException("it was dropped");
                }
            });
            var sender = new Thread(() => Guard.Run(SendAll)) { IsBackground = true, Name = "Unity Bridge, sending" };
            sender.Start();
            _sender = sender;
        }

        /// <summary>Any thread. Queues one message, in order; a lost connection drops it.</summary>
        public void Send(string text) => Queue(new Frame(text), false);

        /// <summary>Any thread. Says goodbye after what is queued. <see cref="Receive"/> ends once the other side has
        /// done the same.</summary>
        public void Close(int code, string reason) => Queue(Frame.Closing(code, reason), true);

        /// <summary>Any thread. Drops the connection; a pending <see cref="Receive"/> soon ends with null.</summary>
        public void Abort()
        {
            lock (_lock)
            {
                _isEnding = true;
                _isAborted = true;
                _outgoing.Clear();
                Monitor.Pulse(_lock);
            }
        }

        /// <summary>Lets go of the socket, after the last <see cref="Receive"/>. Nothing of it runs any more
        /// then.</summary>
        public void End()
        {
            Abort();
            try
            {
                // Closing is not enough where a program that was started from Unity has inherited the socket.
                _socket.Shutdown(SocketShutdown.Both);
            }
            catch (SocketException)
            {
                // The other side has reset the connection.
            }
            _sender?.Join();
            _socket.Close();
        }

        /// <summary>Waits for the next whole message; null when the connection has ended, however it ended.</summary>
        public string Receive()
        {
            try
            {
                // What has arrived before an abort is not begun: no answer to it could leave.
                return _isAborted ? null : ReceiveMessage();
            }
            catch (DecoderFallbackException)
            {
                return Refuse(CloseCode.NoUtf8, "no UTF-8");
            }
            catch (Exception lost) when (IsLoss(lost))
            {
                return null;
            }
        }

        private string ReceiveMessage()
        {
            var message = new MemoryStream();
            var isBegun = false;
            while (true)
            {
                var first = _incoming.Take();
                var second = _incoming.Take();
                var opcode = first & 0x0F;
                var isLast = (first & 0x80) != 0;
                var length = second switch { 126 => TakeNumber(2), 127 => TakeNumber(8), _ => second };
                // Negative: from 2^63 on, which RFC 6455 does not allow. A length has as few bytes as it needs.
                var isLengthWrong = length < 0 || (second == 126 && length < 126)
                    || (second == 127 && length <= ushort.MaxValue);
                // A second byte over 127 has the bit of a mask, and a server masks nothing. No extension has a use for
                // the three reserved bits.
                if ((first & 0x70) != 0 || second > 127 || isLengthWrong)
                {
                    return RefuseFrame();
                }
                if (opcode == Frame.Binary)
                {
                    return Refuse(CloseCode.NoText, "text messages only");
                }
                if (opcode is (Frame.Close or Frame.Ping or Frame.Pong) && isLast && length <= Frame.MostControlBytes)
                {
                    var payload = new MemoryStream();
                    _incoming.Take((int)length, payload);
                    if (opcode == Frame.Close)
                    {
                        return Refuse(CloseCode.AnswerTo(payload.ToArray()), "");
                    }
                    if (opcode == Frame.Ping)
                    {
                        Queue(new Frame(Frame.Pong, payload.ToArray()), false);
                    }
                    continue;
                }
                if (opcode != (isBegun ? Frame.Continuation : Frame.Text))
                {
                    return RefuseFrame();
                }
                // Not a sum, which could be over the largest number.
                if (length > Messages.MaxBytes - message.Length)
                {
                    return Refuse(CloseCode.TooBig, "message over 1 MiB");
                }
                _incoming.Take((int)length, message);
                if (isLast)
                {
                    return Frame.StrictUtf8.GetString(message.ToArray());
                }
                isBegun = true;
            }
        }

        private string RefuseFrame() => Refuse(CloseCode.ProtocolError, "not a frame of a server");

        // Network order.
        private long TakeNumber(int bytes)
        {
            long number = 0;
            for (var i = 0; i < bytes; i++)
            {
                number = number << 8 | _incoming.Take();
            }
            return number;
        }

        // The end of a connection that this side does not go on with.
        private string Refuse(int code, string reason)
        {
            Close(code, reason);
            _sender.Join(SendTimeoutMs);
            return null;
        }

        private void Queue(Frame frame, bool isLast)
        {
            lock (_lock)
            {
                if (_isEnding)
                {
                    return;
                }
                _isEnding = isLast;
                _unsent += frame.Size;
                if (_unsent <= MaxUnsent)
                {
                    _outgoing.Enqueue(frame);
                    Monitor.Pulse(_lock);
                    return;
                }
            }
            Abort();
        }

        private void SendAll()
        {
            try
            {
                for (var frame = Next(); frame != null; frame = Next())
                {
                    Send(frame.ToBytes());
                }
            }
            catch (Exception lost) when (IsLoss(lost))
            {
                // Queued messages could only go to a later session, which asks again.
                Abort();
            }
        }

        private void Send(byte[] bytes)
        {
            var since = Environment.TickCount;
            for (var sent = 0; sent < bytes.Length;)
            {
                if (_socket.Poll(WatchIntervalMs * 1000, SelectMode.SelectWrite))
                {
                    sent += _socket.Send(bytes, sent, Math.Min(PieceBytes, bytes.Length - sent), SocketFlags.None,
                        out var error);
                    if (error is not (SocketError.Success or SocketError.WouldBlock))
                    {
                        throw new IOException("nothing can be sent: " + error);
                    }
                }
                if (_isAborted || Environment.TickCount - since > SendTimeoutMs)
                {
                    throw new IOException("it does not read");
                }
            }
        }

        // Waits for it; null after the last one.
        private Frame Next()
        {
            lock (_lock)
            {
                while (_outgoing.Count == 0 && !_isEnding)
                {
                    Monitor.Wait(_lock);
                }
                var frame = _outgoing.Count > 0 ? _outgoing.Dequeue() : null;
                _unsent -= frame?.Size ?? 0;
                return frame;
            }
        }

        private static bool IsLoss(Exception e) => e is IOException or SocketException or ObjectDisposedException;
    }
}
