using System;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using NUnit.Framework;
using UnityBridge.Connection;
using UnityBridge.Platform;

namespace UnityBridge.Tests
{
    public class MessageSocketTests
    {
        private const int HangGuardMs = 10000;

        [Test]
        public void TheServerSeesTheEndThoughAnotherProgramHasInheritedTheSocket()
        {
            if (Host.Name == Host.Windows)
            {
                return;
            }
            using var pair = new Pair();
            var inherited = dup((int)pair.Client.Handle);
            try
            {
                var socket = new MessageSocket(pair.Client, new Incoming(pair.Client));
                socket.Start(() => { });
                socket.End();
                Assert.IsTrue(pair.Server.Poll(HangGuardMs * 1000, SelectMode.SelectRead));
                Assert.AreEqual(0, pair.Server.Receive(new byte[1]));
            }
            finally
            {
                close(inherited);
            }
        }

        [DllImport("libc")]
        private static extern int dup(int descriptor);

        [DllImport("libc")]
        private static extern int close(int descriptor);

        /// <summary>Both ends of a connection.</summary>
        private sealed class Pair : IDisposable
        {
            public Pair()
            {
                using var listener = NewSocket();
                listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                listener.Listen(1);
                Client = NewSocket();
                Client.Connect(listener.LocalEndPoint);
                Client.Blocking = false;
                Server = listener.Accept();
            }

            public Socket Client { get; }

            public Socket Server { get; }

            public void Dispose()
            {
                Client.Close();
                Server.Close();
            }

            private static Socket NewSocket() =>
                new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        }
    }
}
