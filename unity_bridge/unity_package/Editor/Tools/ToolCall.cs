using System;
using System.Diagnostics;
using System.Threading;
using UnityBridge.Connection;
using UnityBridge.EditorLife;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>One <c>execute</c> of the server: its arguments, and the one answer to it. Any thread.</summary>
    internal sealed class ToolCall
    {
        private readonly ServerSession _session;
        private readonly string _toolName;
        private readonly long _timeoutMs;
        private readonly Action<string> _ended;
        private readonly Stopwatch _age = Stopwatch.StartNew();
        private int _ends;
        private volatile MainThread _waitsFor;

        /// <param name="ended">Called once, with what came of it for people, when the call was answered or will not
        /// be.</param>
        public ToolCall(ServerSession session, string requestId, JsonObject message, Action<string> ended)
        {
            _session = session;
            RequestId = requestId;
            _toolName = message.Text("tool_name");
            Parameters = message.Object("params") ?? new JsonObject();
            _timeoutMs = message.Integer("timeout_ms") ?? long.MaxValue;
            _ended = ended;
        }

        public string RequestId { get; }

        public JsonObject Parameters { get; }

        public void Succeed(JsonObject content) => End("succeeded", () => Messages.Result(RequestId, content));

        /// <summary>The tool ran and failed.</summary>
        public void Fail(Refusal failure) => End(failure.ToString(), () => Messages.ResultError(RequestId, failure));

        /// <summary>The tool did not run.</summary>
        public void Refuse(Refusal refusal) => End(refusal.ToString(), () => Messages.Error(RequestId, refusal));

        /// <summary>Whether its arguments are wrong, which is answered then.</summary>
        /// <param name="fault">What is wrong with them, or null.</param>
        public bool IsRefused(string fault)
        {
            if (fault != null)
            {
                Refuse(new Refusal(ErrorCode.InvalidParams, fault));
            }
            return fault != null;
        }

        /// <summary>A bug of the tool's, or of what it read.</summary>
        public void Fail(Exception bug) =>
            Fail(new Refusal(ErrorCode.UnityExecution, _toolName + " failed: " + bug.Message));

        /// <summary>Nobody waits for the answer any more: there will be none.</summary>
        public void Drop() => End("dropped", null);

        /// <summary>
        /// Runs <paramref name="step"/> on the main thread, in one update after the other, until it answers true or
        /// nobody waits for the answer any more. An exception is answered as a failure. Disposes of <paramref
        /// name="held"/> at the end, there.
        /// </summary>
        /// <remarks>Calls are answered one after the other: one that cannot begin, since a dialog is open in Unity,
        /// would hold up all others for as long as it may take. So it is refused (<see cref="Watch"/>).</remarks>
        public void EachUpdate(MainThread mainThread, Func<bool> step, IDisposable held = null)
        {
            _waitsFor = mainThread;
            Watch();
            mainThread.EachUpdate(() =>
            {
                _waitsFor = null;
                var isDone = IsOver() || Try(step);
                if (isDone)
                {
                    held?.Dispose();
                }
                return isDone;
            });
        }

        /// <summary>A socket thread, now and then.</summary>
        public void Watch()
        {
            if (_waitsFor is { IsStalled: true })
            {
                Refuse(new Refusal(ErrorCode.EditorNotReady,
                    "Unity's main thread stands still: a dialog may be open, or something long runs. "
                    + "Look at the editor, then call " + _toolName + " again."));
            }
        }

        private bool IsOver()
        {
            if (_session.IsEnded)
            {
                Drop();
            }
            else if (_age.ElapsedMilliseconds > _timeoutMs)
            {
                Fail(new Refusal(ErrorCode.UnityExecution,
                    _toolName + " was not done within the time that the call had."));
            }
            return Volatile.Read(ref _ends) > 0;
        }

        private bool Try(Func<bool> step)
        {
            try
            {
                return step();
            }
            catch (Exception bug)
            {
                Fail(bug);
                return true;
            }
        }

        private void End(string outcome, Func<JsonObject> message)
        {
            if (Interlocked.Increment(ref _ends) != 1)
            {
                return;
            }
            _ended(outcome);
            if (message != null)
            {
                _session.Send(message());
            }
        }
    }
}
