using System;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace UnityBridge.Platform
{
    /// <summary>A lock between programs, on a file that is there for nothing else. The system ends it with its holder.
    /// The server does the same in Python (<c>unity_bridge/launch/file_lock.py</c>).</summary>
    internal sealed class FileLock : IDisposable
    {
        // The main thread waits: the others hold it for as long as they write one small file.
        private const int PatienceMs = 2000;
        private const int PauseMs = 10;

        private readonly FileStream _stream;
        private readonly int _descriptor;

        private FileLock(FileStream stream, int descriptor)
        {
            _stream = stream;
            _descriptor = descriptor;
        }

        /// <exception cref="IOException">Another program goes on holding it, or it cannot be made; or
        /// <see cref="UnauthorizedAccessException"/>.</exception>
        public static FileLock Take(string path)
        {
            var since = Stopwatch.StartNew();
            for (; ; Thread.Sleep(PauseMs))
            {
                var taken = Host.Name == Host.Windows ? TakenOnWindows(path) : TakenOnPosix(path);
                if (taken != null)
                {
                    return taken;
                }
                if (since.ElapsedMilliseconds > PatienceMs)
                {
                    throw new IOException("another program holds " + path);
                }
            }
        }

        public void Dispose()
        {
            if (_stream != null)
            {
                _stream.Dispose();
            }
            else
            {
                Posix.Close(_descriptor);
            }
        }

        private static FileLock TakenOnWindows(string path)
        {
            var stream = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite);
            try
            {
                stream.Lock(0, 1);
                return new FileLock(stream, -1);
            }
            catch (IOException)
            {
                stream.Dispose();
                return null;
            }
        }

        private static FileLock TakenOnPosix(string path)
        {
            if (!Posix.IsThere(path))
            {
                new FileStream(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite).Dispose();
            }
            var descriptor = Posix.OpenToWrite(path, out var error);
            if (descriptor < 0)
            {
                throw Posix.Failure(path + " cannot be opened", error);
            }
            error = Posix.Lock(descriptor);
            if (error == 0)
            {
                return new FileLock(null, descriptor);
            }
            Posix.Close(descriptor);
            return Posix.IsHeldByAnother(error) ? null : throw Posix.Failure(path + " cannot be locked", error);
        }
    }
}
