using System;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using UnityBridge.Json;
using UnityBridge.Platform;
using UnityBridge.Trust;

namespace UnityBridge.Connection
{
    /// <summary>One attempt to connect to a server: TCP, and the opening handshake of a WebSocket, the client's side
    /// (RFC 6455 §4.1).</summary>
    internal sealed class Opening
    {
        // For the connection, and again for the handshake.
        private const int TimeoutMs = 3000;
        private const int WatchMs = 50;
        private const int MaxHeadBytes = 8 * 1024;
        private const string AcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455 §1.3

        private readonly int _port;
        // Of two small messages in a row the second would wait 40 ms without NoDelay.
        private readonly Socket _socket =
            new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        private readonly WaitHandle _givenUp;
        private readonly Func<bool> _isCalled;

        private Opening(int port, WaitHandle givenUp, Func<bool> isCalled)
        {
            _isCalled = isCalled;
            _port = port;
            _givenUp = givenUp;
        }

        /// <summary>Waits for the connection; null if nobody listens. Throws if what listens does not answer like a
        /// server, or soon after
        /// <paramref name="givenUp"/> is set. An attempt also ends when <paramref name="isCalled"/> says that a server
        /// has come since.</summary>
        public static MessageSocket Connect(int port, WaitHandle givenUp, Func<bool> isCalled) =>
            new Opening(port, givenUp, isCalled).Connect();

        /// <summary>Whether a server that has proved itself has the port: a plain HTTP request, which says nothing of
        /// the editor (SPEC §17.4).</summary>
        public static bool IsProven(int port, byte[] secret, WaitHandle givenUp)
        {
            var opening = new Opening(port, givenUp, () => false);
            try
            {
                return opening.Reach() && opening.IsProven(secret);
            }
            catch (Exception failure) when (failure is IOException or SocketException or TimeoutException)
            {
                return false;
            }
            finally
            {
                opening._socket.Close();
            }
        }

        private bool IsProven(byte[] secret)
        {
            var nonce = Proof.NewNonce();
            var incoming = Ask("/proof?nonce=" + nonce, "Connection: close" + OpeningHeader(secret));
            var lines = ReadHead(incoming).Split(new[] { "\r\n" }, StringSplitOptions.None);
            if (!lines[0].Begins("HTTP/1.1 200 ")
                || !int.TryParse(Header(lines, "Content-Length"), out var length)
                || length < 0 || length > MaxHeadBytes)
            {
                return false;
            }
            var body = new MemoryStream();
            incoming.Take(length, body);
            return JsonReader.TryRead(Encoding.UTF8.GetString(body.ToArray()), out var read, out _)
                && read is JsonObject answer
                && Proof.IsNonce(answer.Text("nonce")) && answer.Text("proof") is { } proof
                && Proof.AreEqual(proof,
                    Proof.Compute(secret, Proof.Server, new Ends(_socket.LocalEndPoint, _socket.RemoteEndPoint), nonce,
                        answer.Text("nonce")));
        }

        private MessageSocket Connect()
        {
            try
            {
                if (Reach())
                {
                    return new MessageSocket(_socket, Shake());
                }
                _socket.Close();
                return null;
            }
            catch
            {
                _socket.Close();
                throw;
            }
        }

        // An editor without a server tries again for ever. EndConnect would throw each time, and a debugger that breaks
        // on exceptions would stop there: so it is called for a connection that exists only.
        private bool Reach()
        {
            RefuseAtOnce();
            var attempt = _socket.BeginConnect(IPAddress.Loopback, _port, null, null);
            if (!HasEnded(attempt) || !_socket.Connected)
            {
                return false;
            }
            _socket.EndConnect(attempt);
            return true;
        }

        private bool HasEnded(IAsyncResult attempt)
        {
            var clock = Stopwatch.StartNew();
            var handles = new[] { attempt.AsyncWaitHandle, _givenUp };
            int index;
            do
            {
                index = WaitHandle.WaitAny(handles, WatchMs);
            }
            while (index == WaitHandle.WaitTimeout && clock.ElapsedMilliseconds < TimeoutMs && !_isCalled());
            return index == 0;
        }

        // Windows asks a closed port again for two seconds. libuv and Go switch that off for connections inside the
        // machine in the same way: SIO_TCP_INITIAL_RTO, with TCP_INITIAL_RTO_NO_SYN_RETRANSMISSIONS (mstcpip.h). From
        // Windows 10 1709 on.
        private void RefuseAtOnce()
        {
            const int initialRetransmission = unchecked((int)0x98000011);
            if (Host.Name != Host.Windows)
            {
                return;
            }
            try
            {
                _socket.IOControl(initialRetransmission, new byte[] { 0xFF, 0xFF, 0xFE, 0x00 }, null);
            }
            catch (Exception failure) when (failure is SocketException or NotSupportedException)
            {
                // An older Windows: the attempt lasts two seconds, or until a server calls.
            }
        }

        private Incoming Shake()
        {
            var key = Convert.ToBase64String(Cryptography.Random(16));
            var opening = OpeningHeader(SharedSecret.Read(CancellationToken.None, out _));
            var incoming = Ask("/unity",
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key
                + opening);
            Check(ReadHead(incoming), key);
            return incoming;
        }

        // So that the server serves this connection before those of other users (SPEC §7.9). It proves nothing to it.
        private string OpeningHeader(byte[] secret) => secret == null ? "" : "\r\nUnity-Bridge-Opening: "
            + Proof.Compute(secret, Proof.Opening, new Ends(_socket.LocalEndPoint, _socket.RemoteEndPoint), "", "");

        private Incoming Ask(string path, string headers)
        {
            _socket.Send(Encoding.ASCII.GetBytes(
                "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + _port + "\r\n" + headers + "\r\n\r\n"));
            _socket.Blocking = false;
            var incoming = new Incoming(_socket);
            var clock = Stopwatch.StartNew();
            incoming.Watch(WatchMs, () =>
            {
                if (clock.ElapsedMilliseconds > TimeoutMs || _givenUp.WaitOne(0))
                {
                    throw new TimeoutException("the port accepts connections but does not speak WebSocket");
                }
            });
            return incoming;
        }

        private static string ReadHead(Incoming incoming)
        {
            var head = new StringBuilder();
            while (head.Length < 4 || head.ToString(head.Length - 4, 4) != "\r\n\r\n")
            {
                if (head.Length >= MaxHeadBytes)
                {
                    throw new IOException("its answer has no end");
                }
                head.Append((char)incoming.Take());
            }
            return head.ToString();
        }

        private static void Check(string head, string key)
        {
            var lines = head.Split(new[] { "\r\n" }, StringSplitOptions.None);
            var status = lines[0].Split(' ');
            if (status.Length < 2 || !status[0].Begins("HTTP/1.") || status[1] != "101")
            {
                throw new IOException("it answers "
                    + (status.Length > 1 && int.TryParse(status[1], out var code) ? "HTTP " + code : "something else"));
            }
            if (!Same(Header(lines, "Upgrade"), "websocket")
                || !Array.Exists(Header(lines, "Connection").Split(','), word => Same(word.Trim(), "upgrade")))
            {
                throw new IOException("it does not upgrade the connection");
            }
            if (Header(lines, "Sec-WebSocket-Accept") != Accept(key))
            {
                throw new IOException("it does not accept the key of the handshake");
            }
            if (Header(lines, "Sec-WebSocket-Extensions") + Header(lines, "Sec-WebSocket-Protocol") != "")
            {
                throw new IOException("it uses an extension or a subprotocol that was not asked for");
            }
        }

        // Headers of one name are one list (RFC 7230 §3.2.2); empty without any.
        private static string Header(string[] lines, string name)
        {
            var values = "";
            foreach (var line in lines)
            {
                if (line.StartsWith(name + ":", StringComparison.OrdinalIgnoreCase))
                {
                    values += (values.Length > 0 ? "," : "") + line.Substring(name.Length + 1).Trim();
                }
            }
            return values;
        }

        private static bool Same(string value, string word) => value.EqualsAnyCase(word);

        private static string Accept(string key) =>
            Convert.ToBase64String(Cryptography.Sha1(Encoding.ASCII.GetBytes(key + AcceptSuffix)));
    }
}
