using System;
using System.Threading;
using UnityBridge.Connection;
using UnityBridge.Json;
using UnityBridge.Wire;

namespace UnityBridge.Tools
{
    /// <summary>A tool that only looks: it is answered once, and may be asked again after a lost connection.</summary>
    internal interface IReadTool
    {
        /// <summary>The tool's name on the wire.</summary>
        string ToolName { get; }

        /// <summary>A socket thread. Answers now, or hands the call to the main thread and answers there. An exception here is
        /// answered as a failure.</summary>
        void Execute(ToolCall call);
    }

    /// <summary>One <c>execute</c> of the server: its arguments, and the one answer to it. Any thread.</summary>
    internal sealed class ToolCall
    {
        private readonly ServerSession _session;
        private readonly string _requestId;
        private int _answers;

        public ToolCall(ServerSession session, string requestId, JsonObject parameters)
        {
            _session = session;
            _requestId = requestId;
            Parameters = parameters;
        }

        public JsonObject Parameters { get; }

        public void Succeed(JsonObject content) => Answer(() => Messages.Result(_requestId, content));

        /// <summary>The tool ran and failed.</summary>
        public void Fail(Refusal failure) => Answer(() => Messages.ResultError(_requestId, failure));

        /// <summary>The tool did not run.</summary>
        public void Refuse(Refusal refusal) => Answer(() => Messages.Error(_requestId, refusal));

        private void Answer(Func<JsonObject> message)
        {
            if (Interlocked.Increment(ref _answers) == 1)
            {
                _session.Send(message());
            }
        }
    }
}
