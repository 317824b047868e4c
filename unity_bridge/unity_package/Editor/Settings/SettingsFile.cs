using System;
using System.IO;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Settings
{
    /// <summary>One of the two files in which a project keeps settings of the bridge:
    /// <c>UserSettings/UnityBridge.json</c> is one user's, <c>ProjectSettings/UnityBridge.json</c> is for all who share
    /// the project.</summary>
    internal sealed class SettingsFile
    {
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

        /// <summary>Null where there is none that can be read; <paramref name="fault"/> says what is wrong with one
        /// that is there.</summary>
        public JsonObject Read(out string fault)
        {
            var text = OrdinaryFile.Read(_path, false, out fault);
            if (text == null)
            {
                return null;
            }
            if (!JsonReader.TryRead(text, out var read, out var why))
            {
                fault = "it is not JSON: " + why;
            }
            else if (read is not JsonObject)
            {
                fault = "it is not a JSON object";
            }
            return read as JsonObject;
        }

        /// <summary>Keeps one setting, and the others as they are; answers why it could not, or null.</summary>
        public string Set(string member, object value)
        {
            var settings = Read(out var fault);
            if (fault != null)
            {
                // Whatever its user meant to write there stays.
                return Name + " cannot be changed: " + fault.TrimEnd('.') + ". Correct it or remove it.";
            }
            settings ??= new JsonObject();
            settings[member] = value;
            try
            {
                Directory.CreateDirectory(Path.GetDirectoryName(_path));
                OrdinaryFile.Replace(_path, JsonWriter.Write(settings) + "\n");
                return null;
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return failure.Message;
            }
        }
    }
}
