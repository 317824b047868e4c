using System;
using System.IO;
using UnityBridge.Json;

namespace UnityBridge.Settings
{
    /// <summary>The project's settings of the bridge, in <c>ProjectSettings/UnityBridge.json</c>.</summary>
    internal sealed class BridgeSettings
    {
        public const int DefaultPort = 8091;

        private readonly string _file;

        public BridgeSettings(string projectPath)
        {
            _file = Path.Combine(projectPath, "ProjectSettings", "UnityBridge.json");
        }

        public static bool IsPort(long port) => port is >= 1 and <= 65535;

        /// <summary>The port of the project's server; the default where the file is absent or not usable.</summary>
        public int LoadPort()
        {
            try
            {
                if (File.Exists(_file) && JsonReader.TryRead(File.ReadAllText(_file), out var read, out _)
                    && read is JsonObject settings && settings.Integer("port") is { } port && IsPort(port))
                {
                    return (int)port;
                }
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                // Unreadable is as good as absent: the settings page shows the port in use.
            }
            return DefaultPort;
        }

        /// <summary>Keeps the port; answers why it could not, or null.</summary>
        public string SavePort(int port)
        {
            try
            {
                Directory.CreateDirectory(Path.GetDirectoryName(_file));
                File.WriteAllText(_file, JsonWriter.Write(new JsonObject { { "port", port } }) + "\n");
                return null;
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return failure.Message;
            }
        }
    }
}
