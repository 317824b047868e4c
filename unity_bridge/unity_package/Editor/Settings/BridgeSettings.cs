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
            _file = Path.Combine(Path.Combine(projectPath, "ProjectSettings"), "UnityBridge.json");
        }

        public static bool IsPort(long port)
        {
            return port >= 1 && port <= 65535;
        }

        /// <summary>The port of the project's server; the default where the file is absent or not usable.</summary>
        public int LoadPort()
        {
            try
            {
                object value;
                string why;
                if (File.Exists(_file) && JsonReader.TryRead(File.ReadAllText(_file), out value, out why) && value is JsonObject)
                {
                    var port = ((JsonObject)value).Integer("port");
                    return port != null && IsPort(port.Value) ? (int)port.Value : DefaultPort;
                }
            }
            catch (IOException)
            {
                // Unreadable is as good as absent: the settings page shows the port in use.
            }
            catch (UnauthorizedAccessException)
            {
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
            catch (IOException failure)
            {
                return failure.Message;
            }
            catch (UnauthorizedAccessException failure)
            {
                return failure.Message;
            }
        }
    }
}
