using System;
using System.Diagnostics;
using System.Threading;
using UnityBridge.Trust;

namespace UnityBridge.Connection
{
    /// <summary>The pauses between attempts to connect, which a server that has taken the port ends by a call (SPEC
    /// §11.2). For one thread.</summary>
    internal sealed class ReconnectPause
    {
        private const int CheckMs = 20;

        private readonly WaitingFile _file;
        private readonly WaitHandle _closed;
        private bool _mayBeCalled = true;
        private bool _isCalled;

        public ReconnectPause(int port, WaitHandle closed)
        {
            _file = new WaitingFile(port);
            _closed = closed;
        }

        public void BeginAttempt()
        {
            _isCalled = false;
            _file.Make();
        }

        /// <summary>Whether a server has called since the attempt began.</summary>
        /// <remarks>A second call needs a whole pause before it, so that a program that removes the file again and
        /// again at most doubles the attempts.</remarks>
        public bool CheckCall()
        {
            if (_mayBeCalled && _file.TakeCall())
            {
                _mayBeCalled = false;
                _isCalled = true;
            }
            return _isCalled;
        }

        /// <summary>A server has said hello: this editor waits no longer.</summary>
        public void EndWaiting()
        {
            _file.Remove();
            _mayBeCalled = true;
        }

        /// <summary>A session is over, which has answered the call that led to it.</summary>
        public void DropCall() => _file.TakeCall();

        /// <summary>Until the next attempt, a call, or the end of the link.</summary>
        public void Wait(int pauseMs)
        {
            var clock = Stopwatch.StartNew();
            while (!CheckCall())
            {
                _file.Make();
                var leftMs = (int)(pauseMs - clock.ElapsedMilliseconds);
                if (leftMs <= 0)
                {
                    _mayBeCalled = true;
                    return;
                }
                if (_closed.WaitOne(_file.IsMade ? Math.Min(leftMs, CheckMs) : leftMs))
                {
                    return;
                }
            }
        }

        /// <summary>The link is closed. An editor that reloads will come again, so its file stays.</summary>
        public void Leave(bool isReloading)
        {
            if (isReloading)
            {
                _file.Make();
            }
            else
            {
                _file.Remove();
            }
        }
    }
}
