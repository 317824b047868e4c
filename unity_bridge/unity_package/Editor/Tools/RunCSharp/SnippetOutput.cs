using System;
using System.IO;
using System.Text;
using System.Threading;
using UnityEngine;

namespace UnityBridge.Tools
{
    /// <summary>Records what is logged while a snippet runs, and what the snippet writes to Console.Out. Main thread,
    /// except for what comes in.</summary>
    /// <remarks>In Unity, Console.Out is the way into Editor.log, for Unity's own code too
    /// (UnityLogWriter.bindings.cs). So everything is passed on, and while a snippet awaits only what its own flow
    /// writes is recorded.</remarks>
    internal sealed class SnippetOutput : IDisposable
    {
        private const int MaxChars = 40 * 1000;

        private readonly object _lock = new object();
        private readonly StringBuilder _text = new StringBuilder(); // guarded by _lock, as is the one below
        private long _cut;
        private readonly AsyncLocal<bool> _isOfSnippet = new AsyncLocal<bool>();
        private readonly TextWriter _console = System.Console.Out;
        private TextWriter _ours;

        private SnippetOutput()
        {
        }

        public static SnippetOutput Begin()
        {
            var output = new SnippetOutput();
            Application.logMessageReceivedThreaded += output.OnLog;
            System.Console.SetOut(new Writer(output));
            output._ours = System.Console.Out;
            return output;
        }

        /// <summary>Runs code of the snippet; what it awaits belongs to it as well.</summary>
        public T Run<T>(Func<T> code)
        {
            _isOfSnippet.Value = true;
            try
            {
                return code();
            }
            finally
            {
                _isOfSnippet.Value = false;
            }
        }

        /// <summary>What there is by now; of too much the beginning, and how much is left out.</summary>
        public string Text
        {
            get
            {
                lock (_lock)
                {
                    return _cut == 0
                        ? _text.ToString()
                        : _text + "\n... and " + _cut + " more characters; read_console has what was logged.";
                }
            }
        }

        public void Dispose()
        {
            Application.logMessageReceivedThreaded -= OnLog;
            // Somebody else's is left alone.
            if (System.Console.Out == _ours)
            {
                System.Console.SetOut(_console);
            }
        }

        private void Write(string text)
        {
            _console.Write(text);
            if (_isOfSnippet.Value)
            {
                Add(text);
            }
        }

        private void OnLog(string condition, string stackTrace, LogType type) => Add((type switch
        {
            LogType.Log => "",
            LogType.Warning => "warning: ",
            LogType.Assert => "assert: ",
            LogType.Exception => "exception: ",
            _ => "error: ",
        }) + condition + "\n");

        private void Add(string text)
        {
            lock (_lock)
            {
                var room = MaxChars - _text.Length;
                _text.Append(text, 0, Math.Min(room, text.Length));
                _cut += Math.Max(0, text.Length - room);
            }
        }

        private sealed class Writer : TextWriter
        {
            private readonly SnippetOutput _output;

            public Writer(SnippetOutput output)
            {
                _output = output;
            }

            public override Encoding Encoding => Encoding.UTF8;

            public override void Write(char value) => _output.Write(value.ToString());

            public override void Write(string value) => _output.Write(value ?? "");

            public override void Write(char[] buffer, int index, int count) =>
                _output.Write(new string(buffer, index, count));
        }
    }
}
