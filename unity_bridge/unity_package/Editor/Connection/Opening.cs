using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

namespace UnityBridge.Connection
{
    /// <summary>The opening handshake of a WebSocket, the client's side (RFC 6455 §4.1).</summary>
    internal static class Opening
    {
        private const int MaxHeadBytes = 8 * 1024;
        private const string AcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455 §1.3

        /// <summary>Connects and shakes hands; the stream on which frames follow, or null if nobody listens. Ends with an exception if what
        /// listens does not answer like a server, or the connection is closed during the handshake.</summary>
        public static async Task<Stream> Shake(TcpClient connection, int port)
        {
            if (!await Reach(connection.Client, port).ConfigureAwait(false))
            {
                return null;
            }
            var stream = connection.GetStream();
            var key = Convert.ToBase64String(Guid.NewGuid().ToByteArray());
            var request = Encoding.ASCII.GetBytes("GET /unity HTTP/1.1\r\nHost: 127.0.0.1:" + port
                + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + key + "\r\n\r\n");
            await stream.WriteAsync(request, 0, request.Length).ConfigureAwait(false);
            Check(await ReadHead(stream).ConfigureAwait(false), key);
            return stream;
        }

        // An editor without a server tries again for ever. EndConnect would throw each time, and a debugger that breaks on exceptions would stop
        // there: so it is called for a connection that exists only.
        private static Task<bool> Reach(Socket socket, int port)
        {
            var reached = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            socket.BeginConnect(IPAddress.Loopback, port, attempt =>
            {
                try
                {
                    var isConnected = socket.Connected;
                    if (isConnected)
                    {
                        socket.EndConnect(attempt);
                    }
                    reached.TrySetResult(isConnected);
                }
                catch (Exception failure)
                {
                    reached.TrySetException(failure);
                }
            }, null);
            return reached.Task;
        }

        // Byte by byte: what follows the head is a frame already.
        private static async Task<string> ReadHead(Stream stream)
        {
            var head = new StringBuilder();
            var one = new byte[1];
            while (head.Length < 4 || head.ToString(head.Length - 4, 4) != "\r\n\r\n")
            {
                if (head.Length >= MaxHeadBytes)
                {
                    throw new IOException("its answer has no end");
                }
                if (await stream.ReadAsync(one, 0, 1).ConfigureAwait(false) == 0)
                {
                    throw new IOException("it hung up");
                }
                head.Append((char)one[0]);
            }
            return head.ToString();
        }

        private static void Check(string head, string key)
        {
            var lines = head.Split(new[] { "\r\n" }, StringSplitOptions.None);
            var status = lines[0].Split(' ');
            if (status.Length < 2 || !status[0].StartsWith("HTTP/1.", StringComparison.Ordinal) || status[1] != "101")
            {
                throw new IOException("it answers " + (status.Length > 1 && int.TryParse(status[1], out var code) ? "HTTP " + code : "something else"));
            }
            foreach (var line in lines)
            {
                var colon = line.IndexOf(':');
                if (colon > 0 && line.Substring(0, colon).Trim().Equals("Sec-WebSocket-Accept", StringComparison.OrdinalIgnoreCase))
                {
                    if (line.Substring(colon + 1).Trim() == Accept(key))
                    {
                        return;
                    }
                }
            }
            throw new IOException("it does not accept the key of the handshake");
        }

        private static string Accept(string key)
        {
            using var sha1 = SHA1.Create();
            return Convert.ToBase64String(sha1.ComputeHash(Encoding.ASCII.GetBytes(key + AcceptSuffix)));
        }
    }
}
