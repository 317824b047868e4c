using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using UnityBridge.Trust;
using UnityBridge.Wire;

namespace UnityBridge.Connection
{
    /// <summary>One WebSocket that carries text messages whole: connected once, closed once, never reused.</summary>
    /// <remarks>Every await leaves the caller's context behind: the main thread may wait for any of these tasks.</remarks>
    internal sealed class MessageSocket
    {
        private const int ConnectTimeoutMs = 3000;
        private const int SendTimeoutMs = 10000;
        private const int BufferBytes = 16 * 1024;
        private const int MostEmptyPieces = 8;

        // Far above anything legitimate: a peer that asks without reading must not fill the editor's memory.
        private const int MaxUnsentChars = 16 * 1024 * 1024;

        private static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        private readonly WebSocket _socket;
        private readonly TcpClient _connection;
        private readonly object _lock = new object();
        private readonly Queue<string> _outgoing = new Queue<string>(); // guarded by _lock, as are the two below
        private int _unsentChars;
        private Task _sender = Task.FromResult(true);

        private MessageSocket(TcpClient connection, WebSocket socket)
        {
            _connection = connection;
            _socket = socket;
            Ends = new Ends(connection.Client.LocalEndPoint, connection.Client.RemoteEndPoint);
        }

        /// <summary>Of its connection, for the proofs.</summary>
        public Ends Ends { get; }

        /// <summary>Connects to 127.0.0.1, or throws within <see cref="ConnectTimeoutMs"/>, or when it is given up. Null if nobody listens.</summary>
        /// <remarks>On a TCP connection of our own: Mono's ClientWebSocket cannot give up an attempt once the connection is accepted,
        /// and holds its descriptor for as long as the other side says nothing.</remarks>
        public static async Task<MessageSocket> Connect(int port, CancellationToken givenUp)
        {
            // Of two small messages in a row the second would wait 40 ms without NoDelay.
            var connection = new TcpClient(AddressFamily.InterNetwork) { NoDelay = true };
            try
            {
                using var giveUp = givenUp.Register(connection.Close);
                var opening = Opening.Shake(connection, port);
                if (await Task.WhenAny(opening, Task.Delay(ConnectTimeoutMs, givenUp)).ConfigureAwait(false) != opening)
                {
                    _ = opening.ContinueWith(late => late.Exception, TaskScheduler.Default); // observed, so that nobody else has to
                    throw new TimeoutException("the port accepts connections but does not speak WebSocket");
                }
                var stream = await opening.ConfigureAwait(false);
                if (stream == null)
                {
                    connection.Close();
                    return null;
                }
                var buffer = WebSocket.CreateClientBuffer(BufferBytes, BufferBytes);
                return new MessageSocket(connection, WebSocket.CreateClientWebSocket(
                    stream, null, BufferBytes, BufferBytes, TimeSpan.Zero, false, buffer));
            }
            catch
            {
                connection.Close();
                throw;
            }
        }

        /// <summary>Any thread. Queues one message, in order; a lost connection drops it.</summary>
        public void Send(string text)
        {
            lock (_lock)
            {
                _unsentChars += text.Length;
                if (_unsentChars > MaxUnsentChars)
                {
                    Abort();
                    return;
                }
                _outgoing.Enqueue(text);
                if (_outgoing.Count == 1)
                {
                    _sender = Task.Run((Func<Task>)SendOutgoing);
                }
            }
        }

        /// <summary>The next whole message, or null when the connection has ended, however it ended.</summary>
        public async Task<string> Receive()
        {
            try
            {
                return await ReceiveMessage().ConfigureAwait(false);
            }
            catch (Exception lost)
            {
                if (!IsLoss(lost))
                {
                    throw;
                }
                return null;
            }
        }

        /// <summary>Sends what is queued, says goodbye, and lets go of the socket; never throws.</summary>
        public async Task Close(WebSocketCloseStatus status, string reason)
        {
            Task sender;
            lock (_lock)
            {
                sender = _sender;
            }
            try
            {
                await sender.ConfigureAwait(false);
                using (var limit = new CancellationTokenSource(SendTimeoutMs))
                {
                    // Not CloseAsync: it waits for an answer that a dying or foreign server never gives.
                    await _socket.CloseOutputAsync(status, reason, limit.Token).ConfigureAwait(false);
                }
            }
            catch (Exception lost)
            {
                if (!IsLoss(lost))
                {
                    throw;
                }
            }
            finally
            {
                Abort();
            }
        }

        /// <summary>Any thread. Drops the connection; a pending <see cref="Receive"/> ends with null.</summary>
        public void Abort()
        {
            _socket.Abort();
            _socket.Dispose();
            _connection.Close();
        }

        private async Task SendOutgoing()
        {
            for (var text = NextOutgoing(null); text != null; text = NextOutgoing(text))
            {
                try
                {
                    using (var limit = new CancellationTokenSource(SendTimeoutMs))
                    {
                        var bytes = new ArraySegment<byte>(Encoding.UTF8.GetBytes(text));
                        await _socket.SendAsync(bytes, WebSocketMessageType.Text, true, limit.Token).ConfigureAwait(false);
                    }
                }
                catch (Exception lost)
                {
                    if (!IsLoss(lost))
                    {
                        throw;
                    }
                    // The receiver notices; queued messages could only go to a later session, which asks again.
                }
            }
        }

        // A message stays in the queue until it is sent, and taking it out is one step with looking for the next: the
        // queue is empty exactly when no sender runs. Two would send one message twice and drop another.
        private string NextOutgoing(string sent)
        {
            lock (_lock)
            {
                if (sent != null)
                {
                    _outgoing.Dequeue();
                    _unsentChars -= sent.Length;
                }
                return _outgoing.Count > 0 ? _outgoing.Peek() : null;
            }
        }

        private async Task<string> ReceiveMessage()
        {
            var buffer = new ArraySegment<byte>(new byte[BufferBytes]);
            var message = new MemoryStream();
            var emptyPieces = 0;
            while (true)
            {
                var piece = await _socket.ReceiveAsync(buffer, CancellationToken.None).ConfigureAwait(false);
                if (piece.MessageType == WebSocketMessageType.Close)
                {
                    await Close(WebSocketCloseStatus.NormalClosure, "").ConfigureAwait(false);
                    return null;
                }
                if (piece.MessageType == WebSocketMessageType.Binary)
                {
                    await Close(WebSocketCloseStatus.InvalidMessageType, "text messages only").ConfigureAwait(false);
                    return null;
                }
                if (message.Length + piece.Count > Messages.MaxBytes)
                {
                    await Close(WebSocketCloseStatus.MessageTooBig, "message over 1 MiB").ConfigureAwait(false);
                    return null;
                }
                // What Mono makes of a frame that claims 2^64 bytes; it would go round for ever.
                emptyPieces = piece.Count == 0 && !piece.EndOfMessage ? emptyPieces + 1 : 0;
                if (emptyPieces > MostEmptyPieces)
                {
                    await Close(WebSocketCloseStatus.ProtocolError, "a frame without an end").ConfigureAwait(false);
                    return null;
                }
                message.Write(buffer.Array, 0, piece.Count);
                if (piece.EndOfMessage)
                {
                    return StrictUtf8.GetString(message.ToArray());
                }
            }
        }

        private static bool IsLoss(Exception e) => e is WebSocketException or IOException or SocketException or ObjectDisposedException
            or OperationCanceledException or InvalidOperationException or DecoderFallbackException;
    }
}
