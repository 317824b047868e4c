using System;
using System.IO;
using System.Linq;
using UnityBridge.Json;
using UnityBridge.Platform;

namespace UnityBridge.Framework
{
    /// <summary>
    /// <c>Library/UnityBridge/commands.json</c>: the commands of the last load, for clients that ask without an editor.
    /// Main thread.
    /// </summary>
    internal static class CommandsFile
    {
        public static void Write(string projectPath, CommandList list)
        {
            var path = Path.Combine(projectPath, "Library", "UnityBridge", "commands.json");
            var text = JsonWriter.Write(new JsonObject
            {
                { "schema_version", 1L }, { "plugin_version", PackageVersion.Current },
                { "commands", list.All.Select(Entry) },
            }) + "\n";
            try
            {
                if (File.Exists(path) && File.ReadAllText(path) == text)
                {
                    return;
                }
                Directory.CreateDirectory(Path.GetDirectoryName(path));
                // Never a half-written file.
                File.WriteAllText(path + ".new", text);
                FilesOnDisk.PutInPlace(path + ".new", path);
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                // A full disk costs the list, and nothing else.
            }
        }

        // The types show the command line which of its words are numbers.
        private static JsonObject Entry(Command command)
        {
            var entry = command.ToJson(withSource: true);
            var types = new JsonObject();
            foreach (var parameter in command.Arguments)
            {
                types[parameter.Name] = ArgumentType.NameOf(parameter.Type);
            }
            entry["parameters"] = types;
            if (command.IsUnitys)
            {
                entry["of_unity"] = true;
            }
            return entry;
        }
    }
}
