using System;
using System.Globalization;
using System.Threading;

namespace UnityBridge.Connection
{
    /// <summary>Runs the cases of Autobahn's fuzzing server, one connection each, and sends back every message.
    /// Argument: the server's port.</summary>
    internal static class EchoClient
    {
        /// <summary>What the plugin's opening handshake asks for here, instead of /unity.</summary>
        public static string Path { get; private set; }

        private static int _port;

        private static void Main(string[] arguments)
        {
            _port = int.Parse(arguments[0], CultureInfo.InvariantCulture);
            var cases = 0;
            Run("/getCaseCount", (_, text) => cases = int.Parse(text, CultureInfo.InvariantCulture));
            for (var number = 1; number <= cases; number++)
            {
                Run("/runCase?agent=plugin&case=" + number, (socket, text) => socket.Send(text));
            }
            Run("/updateReports?agent=plugin", (_, _) => { });
        }

        private static void Run(string path, Action<MessageSocket, string> take)
        {
            Path = path;
            var socket = Reach();
            socket.Start(() => { });
            string text;
            while ((text = socket.Receive()) != null)
            {
                take(socket, text);
            }
            socket.End();
        }

        // The server may still be starting, and on a busy machine it may take longer to answer than the plugin waits.
        private static MessageSocket Reach()
        {
            while (true)
            {
                try
                {
                    var socket = Opening.Connect(_port, new ManualResetEvent(false), () => false);
                    if (socket != null)
                    {
                        return socket;
                    }
                }
                catch (TimeoutException)
                {
                }
                Thread.Sleep(50);
            }
        }
    }
}
