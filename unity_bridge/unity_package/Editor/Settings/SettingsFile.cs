using System;
using System.IO;
using System.Text;
using UnityBridge.Json;

namespace UnityBridge.Settings
{
    /// <summary>One of the two files in which a project keeps settings of the bridge: <c>UserSettings/UnityBridge.json</c> is one
    /// user's, <c>ProjectSettings/UnityBridge.json</c> is for all who share the project.</summary>
    internal sealed class SettingsFile
    {
        private const long MaxBytes = 64 * 1024;

        private static readonly UTF8Encoding StrictUtf8 = new UTF8Encoding(false, true);

        private readonly string _path;

        private SettingsFile(string projectPath, string folder)
        {
            Name = folder + "/UnityBridge.json";
            _path = Path.Combine(projectPath, folder, "UnityBridge.json");
        }

        public static SettingsFile OfUser(string projectPath) => new SettingsFile(projectPath, "UserSettings");

        public static SettingsFile OfProject(string projectPath) => new SettingsFile(projectPath, "ProjectSettings");

        /// <summary>Its path below the project, as people write it.</summary>
        public string Name { get; }

        /// <summary>Null where there is none that can be read; <paramref name="fault"/> says what is wrong with one that is there.</summary>
        public JsonObject Read(out string fault)
        {
            fault = null;
            try
            {
                if (!File.Exists(_path))
                {
                    fault = Directory.Exists(_path) ? "it is not a file" : null;
                    return null;
                }
                if (new FileInfo(_path).Length > MaxBytes)
                {
                    fault = "it is over 64 KiB";
                    return null;
                }
                if (!JsonReader.TryRead(File.ReadAllText(_path, StrictUtf8), out var read, out var why))
                {
                    fault = "it is not JSON: " + why;
                }
                else if (read is not JsonObject)
                {
                    fault = "it is not a JSON object";
                }
                return read as JsonObject;
            }
            catch (DecoderFallbackException)
            {
                fault = "it is not UTF-8";
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                fault = failure.Message;
            }
            return null;
        }

        /// <summary>Keeps one setting, and the others as they are; answers why it could not, or null.</summary>
        public string Set(string member, object value)
        {
            var settings = Read(out _) ?? new JsonObject();
            settings[member] = value;
            try
            {
                Directory.CreateDirectory(Path.GetDirectoryName(_path));
                Replace(JsonWriter.Write(settings) + "\n");
                return null;
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return failure.Message;
            }
        }

        // Never a half-written file.
        private void Replace(string text)
        {
            var draft = _path + ".new";
            File.WriteAllText(draft, text);
            if (File.Exists(_path))
            {
                File.Replace(draft, _path, null);
            }
            else
            {
                File.Move(draft, _path);
            }
        }
    }
}
