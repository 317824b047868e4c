using UnityEngine;
using UnityBridge.Json;

namespace UnityBridge.Commands
{
    internal static class Ping
    {
        [BridgeCommand("ping", "Answers at once: commands can be run.", Write = false)]
        private static JsonObject Run() =>
            new JsonObject { { "pong", true }, { "unity_version", Application.unityVersion } };
    }
}
