using System.Threading.Tasks;
using UnityEditor;
using UnityEngine;
using UnityBridge.Wire;

namespace UnityBridge.Settings
{
    /// <summary>Project Settings > Unity Bridge: the connection in words, the port and its change, the last requests.</summary>
    internal sealed class SettingsPage
    {
        private Task<Refusal> _change;
        private string _secondChange = "";
        private int _port;

        private SettingsPage(Bridge bridge)
        {
            _port = bridge == null ? BridgeSettings.DefaultPort : bridge.Port.Link.Port;
        }

        [SettingsProvider]
        public static SettingsProvider Create()
        {
            var page = new SettingsPage(Bootstrap.Bridge);
            return new SettingsProvider("Project/Unity Bridge", SettingsScope.Project, new[] { "mcp", "bridge", "port", "agent" })
            {
                label = "Unity Bridge",
                guiHandler = search => page.Draw(Bootstrap.Bridge),
            };
        }

        private void Draw(Bridge bridge)
        {
            if (bridge == null)
            {
                EditorGUILayout.HelpBox("The bridge does not run in this process (batch mode).", MessageType.Info);
                return;
            }
            var link = bridge.Port.Link;
            EditorGUILayout.HelpBox(link.InWords, link.Session != null ? MessageType.Info : MessageType.Warning);
            EditorGUILayout.LabelField("Package version", PackageVersion.Current);
            DrawPort(bridge);
            EditorGUILayout.Space();
            EditorGUILayout.LabelField("Last requests", EditorStyles.boldLabel);
            foreach (var line in bridge.Recent.Newest())
            {
                EditorGUILayout.LabelField(line);
            }
        }

        private void DrawPort(Bridge bridge)
        {
            _port = EditorGUILayout.IntField("Port", _port);
            if (GUILayout.Button("Apply"))
            {
                Apply(bridge);
            }
            if (bridge.Port.IsRunning)
            {
                EditorGUILayout.HelpBox("Trying the new port; the old one stays in use until it answers. " + _secondChange,
                    MessageType.Info);
            }
            else if (_change != null && _change.IsCompleted && _change.Result != null)
            {
                EditorGUILayout.HelpBox(_change.Result.Message, MessageType.Error);
            }
        }

        private void Apply(Bridge bridge)
        {
            var isSecond = bridge.Port.IsRunning;
            var change = bridge.Port.Apply(_port);
            // The outcome of the change that runs is still to be shown.
            _secondChange = isSecond && change.IsCompleted && change.Result != null ? change.Result.Message : "";
            _change = isSecond ? _change : change;
        }
    }
}
