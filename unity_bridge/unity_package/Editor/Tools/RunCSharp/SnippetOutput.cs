using System;
using System.IO;
using System.Text;
using UnityEngine;

namespace UnityBridge.Tools
{
    /// <summary>Takes down what is logged and written to Console.Out while a snippet runs. Main thread, except for what comes in.</summary>
    internal sealed class SnippetOutput : IDisposable
    {
        private const int MaxChars = 40 * 1000;

        private readonly object _lock = new object();
        private readonly StringBuilder _text = new StringBuilder(); // guarded by _lock, as is the one below
        private long _cut;
        private readonly TextWriter _console = System.Console.Out;

        private SnippetOutput()
        {
        }

        public static SnippetOutput Begin()
        {
            var output = new SnippetOutput();
            Application.logMessageReceivedThreaded += output.OnLog;
            System.Console.SetOut(TextWriter.Synchronized(new Writer(output)));
            return output;
        }

        /// <summary>What there is by now; of too much the beginning, and how much is left out.</summary>
        public string Text
        {
            get
            {
                lock (_lock)
                {
                    return _cut == 0 ? _text.ToString() : _text + "\n... and " + _cut + " more characters; read_console has what was logged.";
                }
            }
        }

        public void Dispose()
        {
            Application.logMessageReceivedThreaded -= OnLog;
            System.Console.SetOut(_console);
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

            public override void Write(char value) => _output.Add(value.ToString());

            public override void Write(string value) => _output.Add(value ?? "");

            public override void Write(char[] buffer, int index, int count) => _output.Add(new string(buffer, index, count));
        }
    }
}
