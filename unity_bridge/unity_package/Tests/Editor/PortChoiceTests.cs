using System.IO;
using NUnit.Framework;
using UnityBridge.Settings;

namespace UnityBridge.Tests
{
    public class PortChoiceTests
    {
        private const string Auto = "{\"port\": \"auto\"}";
        private static readonly string[] NoOption = { "Unity", "-projectPath", "/home/ada/Game" };

        [Test]
        public void TheSourcesCountInTheirOrder()
        {
            var option = new[] { "Unity", "-unitybridgeport", "9001" };
            Assert.AreEqual("9001 the command line (-unityBridgePort)",
                Choose(option, "9002", "{\"port\": 9003}", "{\"port\": 9004}"));
            Assert.AreEqual("9002 the variable UNITY_BRIDGE_PORT",
                Choose(NoOption, "9002", "{\"port\": 9003}", "{\"port\": 9004}"));
            Assert.AreEqual("9003 UserSettings/UnityBridge.json",
                Choose(NoOption, null, "{\"port\": 9003}", "{\"port\": 9004}"));
            Assert.AreEqual("9004 ProjectSettings/UnityBridge.json", Choose(NoOption, "", null, "{\"port\": 9004}"));
            Assert.AreEqual("8091 the default", Choose(NoOption, null, null, null));
        }

        [Test]
        public void AFileMaySayAuto()
        {
            Assert.AreEqual("20123 UserSettings/UnityBridge.json (auto)",
                Choose(NoOption, null, Auto, "{\"port\": 9004}"));
            Assert.AreEqual("20123 ProjectSettings/UnityBridge.json (auto)", Choose(NoOption, null, null, Auto));
        }

        [Test]
        public void AFileWithoutAPortIsNotBroken()
        {
            Assert.AreEqual("9004 ProjectSettings/UnityBridge.json",
                Choose(NoOption, null, "{\"allow_csharp\": true}", "\ufeff{\"port\": 9004}"));
        }

        [Test]
        public void WhatIsBrokenIsNamedAndTheNextSourceCounts()
        {
            foreach (var broken in new[] { "", "{", "[]", "{\"port\": \"x\"}", "{\"port\": 0}", "{\"port\": 65536}",
                "{\"port\": true}", "{\"port\": null}", "{\"port\": 9003.0}", "{\"port\": \"Auto\"}", "\"auto\"" })
            {
                var message = Choose(NoOption, null, broken, "{\"port\": 9004}");
                Assert.IsTrue(message.StartsWith(
                    "9004 ProjectSettings/UnityBridge.json | UserSettings/UnityBridge.json does not count for the "
                    + "port: ", System.StringComparison.Ordinal));
            }
            foreach (var nonsense in new[] { "auto", "0", "-1", "65536", " 80", "8091x" })
            {
                Assert.AreEqual(
                    "9004 ProjectSettings/UnityBridge.json | The variable UNITY_BRIDGE_PORT is no port (1 to 65535) "
                    + "and does not count.",
                    Choose(NoOption, nonsense, null, "{\"port\": 9004}"));
            }
            Assert.AreEqual(
                "8091 the default | The option -unityBridgePort is no port (1 to 65535) and does not count.",
                Choose(new[] { "Unity", "-unityBridgePort" }, null, null, null));
        }

        [Test]
        public void AFileKeepsItsOtherSettings()
        {
            InFolder(folder =>
            {
                Write(folder, "UserSettings", "{\"allow_csharp\": true, \"port\": 1}");
                var file = SettingsFile.OfUser(folder);
                Assert.IsNull(file.Set("port", "auto"));
                Assert.AreEqual("{\"allow_csharp\":true,\"port\":\"auto\"}\n",
                    File.ReadAllText(Path.Combine(folder, "UserSettings", "UnityBridge.json")));
                Assert.AreEqual(1, Directory.GetFiles(Path.Combine(folder, "UserSettings")).Length);
            });
        }

        [Test]
        public void AFileThatCannotBeParsedIsNotOverwritten()
        {
            InFolder(folder =>
            {
                foreach (var broken in new[] { "{\"port\": 8123,, }", "[]", "" })
                {
                    Write(folder, "UserSettings", broken);
                    Assert.IsTrue(SettingsFile.OfUser(folder).Set("port", 1L).Contains("cannot be changed"));
                    Assert.AreEqual(broken, File.ReadAllText(Path.Combine(folder, "UserSettings", "UnityBridge.json")));
                }
            });
        }

        [Test]
        public void OnlyUtf8Counts()
        {
            InFolder(folder =>
            {
                Write(folder, "UserSettings", "{\"port\": 8095}");
                var path = Path.Combine(folder, "UserSettings", "UnityBridge.json");
                File.WriteAllText(path, "{\"port\": 8095}", System.Text.Encoding.Unicode);
                Assert.IsNull(SettingsFile.OfUser(folder).Read(out var fault));
                Assert.AreEqual("it is not UTF-8", fault);
                File.WriteAllText(path, "{\"port\": 8095}", new System.Text.UTF8Encoding(true));
                Assert.IsNotNull(SettingsFile.OfUser(folder).Read(out fault));
            });
        }

        // The port, its source, and what is warned of.
        private static string Choose(string[] commandLine, string variable, string user, string project)
        {
            var message = "";
            InFolder(folder =>
            {
                Write(folder, "UserSettings", user);
                Write(folder, "ProjectSettings", project);
                var files = new[] { SettingsFile.OfUser(folder), SettingsFile.OfProject(folder) };
                var choice = PortChoice.Make(commandLine, variable, files, () => 20123);
                message = choice.Port + " " + choice.Source
                    + (choice.Warnings.Count > 0 ? " | " + string.Join(" ", choice.Warnings) : "");
            });
            return message;
        }

        private static void Write(string project, string folder, string text)
        {
            if (text != null)
            {
                Directory.CreateDirectory(Path.Combine(project, folder));
                File.WriteAllText(Path.Combine(project, folder, "UnityBridge.json"), text);
            }
        }

        private static void InFolder(System.Action<string> test)
        {
            var folder = Path.Combine(Path.GetTempPath(), "unity-bridge-" + System.Guid.NewGuid().ToString("N"));
            Directory.CreateDirectory(folder);
            try
            {
                test(folder);
            }
            finally
            {
                Directory.Delete(folder, true);
            }
        }
    }
}
