using System;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace UnityBridge.Connection
{
    /// <summary>The bytes that a socket receives, which does not block. For one thread, which waits until there are
    /// some.</summary>
    /// <remarks>It polls. A thread that blocks in a read has to be interrupted by Mono when its socket is closed, and
    /// in the headless editor (Mono 6.8) a receive timeout did not end such a read.</remarks>
    internal sealed class Incoming
    {
        private const int BufferBytes = 16 * 1024;
        private const int PauseMs = 10;

        private readonly Socket _socket;
        private readonly byte[] _buffer = new byte[BufferBytes];
        private int _next;
        private int _end;
        private Action _watch;
        private int _watchMs;
        private int _watchedAt;

        public Incoming(Socket socket)
        {
            _socket = socket;
        }

        /// <summary>What the waiting thread does every <paramref name="intervalMs"/>, in the middle of a message as
        /// well. It may throw, and that ends the wait.</summary>
        public void Watch(int intervalMs, Action watch)
        {
            _watch = watch;
            _watchMs = intervalMs;
            _watchedAt = Environment.TickCount;
        }

        /// <summary>The next byte, or an <see cref="IOException"/> at the end of the stream.</summary>
        public byte Take()
        {
            Fill();
            return _buffer[_next++];
        }

        public void Take(int count, Stream into)
        {
            while (count > 0)
            {
                Fill();
                var piece = Math.Min(count, _end - _next);
                into.Write(_buffer, _next, piece);
                _next += piece;
                count -= piece;
            }
        }

        private void Fill()
        {
            while (_next == _end)
            {
                var isReadable = _socket.Poll(_watchMs * 1000, SelectMode.SelectRead);
                if (Environment.TickCount - _watchedAt >= _watchMs)
                {
                    _watchedAt = Environment.TickCount;
                    _watch();
                }
                if (!isReadable)
                {
                    continue;
                }
                _next = 0;
                _end = _socket.Receive(_buffer, 0, BufferBytes, SocketFlags.None, out var error);
                if (error == SocketError.WouldBlock)
                {
                    // Mono on macOS says at once of a descriptor over 1024 that it can be read (mono-poll.c).
                    Thread.Sleep(PauseMs);
                }
                else if (_end == 0)
                {
                    throw new IOException(error == SocketError.Success
                        ? "it hung up"
                        : "the connection was lost: " + error);
                }
            }
        }
    }
}
