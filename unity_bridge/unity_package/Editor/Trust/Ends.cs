using System.Net;

namespace UnityBridge.Trust
{
    /// <summary>Both ends of a TCP connection, address:port each, as this side sees them on its own socket (SPEC
    /// §17.1).</summary>
    internal sealed class Ends
    {
        public Ends(EndPoint client, EndPoint server)
        {
            Client = Text((IPEndPoint)client);
            Server = Text((IPEndPoint)server);
        }

        public string Client { get; }

        public string Server { get; }

        // A dual-mode socket shows IPv4 addresses as IPv6.
        private static string Text(IPEndPoint end) =>
            (end.Address.IsIPv4MappedToIPv6 ? end.Address.MapToIPv4() : end.Address) + ":" + end.Port;
    }
}
