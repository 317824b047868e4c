using System;
using System.Collections.Generic;
using System.Globalization;
using UnityBridge.Platform;

namespace UnityBridge.Settings
{
    /// <summary>The port of the project's server, and which source decided it (SPEC §18.1).</summary>
    internal sealed class PortChoice
    {
        public const int DefaultPort = 8091;
        public const string Option = "-unityBridgePort";
        public const string Variable = "UNITY_BRIDGE_PORT";
        public const string Member = "port";
        public const string Automatic = "auto";

        private PortChoice(int port, string source, SettingsFile file, bool isFixed, IReadOnlyList<string> warnings)
        {
            Port = port;
            Source = source;
            File = file;
            IsFixed = isFixed;
            Warnings = warnings;
        }

        public int Port { get; }

        /// <summary>For a person.</summary>
        public string Source { get; }

        /// <summary>The file that decided; null where none did.</summary>
        public SettingsFile File { get; }

        /// <summary>The command line or the environment decided: no file counts as long as this process runs.</summary>
        public bool IsFixed { get; }

        /// <summary>A sentence for each source that is broken; the next one counted.</summary>
        public IReadOnlyList<string> Warnings { get; }

        public static bool IsPort(long port) => port is >= 1 and <= 65535;

        /// <param name="files">The one that counts first comes first.</param>
        /// <param name="automaticPort">The project's own port.</param>
        public static PortChoice Make(
            string[] commandLine, string variable, IEnumerable<SettingsFile> files, Func<int> automaticPort)
        {
            var warnings = new List<string>();
            if (FromText(OptionIn(commandLine), "The option " + Option, warnings) is { } asked)
            {
                return new PortChoice(asked, "the command line (" + Option + ")", null, true, warnings);
            }
            if (!string.IsNullOrEmpty(variable) && FromText(variable, "The variable " + Variable, warnings) is { } set)
            {
                return new PortChoice(set, "the variable " + Variable, null, true, warnings);
            }
            foreach (var file in files)
            {
                if (FromFile(file, automaticPort, warnings, out var isAutomatic) is { } kept)
                {
                    return new PortChoice(kept, file.Name + (isAutomatic ? " (auto)" : ""), file, false, warnings);
                }
            }
            return new PortChoice(DefaultPort, "the default", null, false, warnings);
        }

        // Null where the option is not given, empty where its value is missing. Unity's own options count in any case,
        // too.
        private static string OptionIn(string[] commandLine)
        {
            var at = Array.FindIndex(commandLine, word => word.EqualsAnyCase(Option));
            return at < 0 ? null : at + 1 < commandLine.Length ? commandLine[at + 1] : "";
        }

        private static int? FromText(string text, string what, List<string> warnings)
        {
            if (text == null)
            {
                return null;
            }
            if (int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var port) && IsPort(port))
            {
                return port;
            }
            warnings.Add(what + " is no port (1 to 65535) and does not count.");
            return null;
        }

        private static int? FromFile(
            SettingsFile file, Func<int> automaticPort, List<string> warnings, out bool isAutomatic)
        {
            isAutomatic = false;
            var settings = file.Read(out var fault);
            object port = null;
            if (settings?.TryGetValue(Member, out port) == true)
            {
                if (port is Automatic)
                {
                    isAutomatic = true;
                    return automaticPort();
                }
                if (port is long number && IsPort(number))
                {
                    return (int)number;
                }
                fault = "its \"port\" is neither a port (1 to 65535) nor \"auto\"";
            }
            if (fault != null)
            {
                warnings.Add(file.Name + " does not count for the port: " + fault.TrimEnd('.') + ".");
            }
            return null;
        }
    }
}
