using System;
using System.IO;
using System.Threading.Tasks;
using UnityEditor;
using UnityEngine;
using UnityBridge.Platform;
using UnityBridge.Settings;
using UnityBridge.Wire;

namespace UnityBridge.Startup
{
    /// <summary>Project Settings > Unity Bridge: the connection in words, the port and its change, the clients, the
    /// last calls.</summary>
    internal sealed class SettingsPage
    {
        private Task<Refusal> _change;
        private string _secondChange = "";
        private int _port;
        private Shown _shown;
        private CSharpPermission _permission;
        private ClientSetup _clients;

        private SettingsPage(Bridge bridge)
        {
            _port = bridge == null ? PortChoice.DefaultPort : bridge.Port.Link.Port;
        }

        [SettingsProvider]
        public static SettingsProvider Create()
        {
            var page = new SettingsPage(Bootstrap.Bridge);
            return new SettingsProvider(
                "Project/Unity Bridge", SettingsScope.Project, new[] { "mcp", "bridge", "port", "agent" })
            {
                label = "Unity Bridge",
                guiHandler = search => page.Draw(Bootstrap.Bridge),
            };
        }

        private void Draw(Bridge bridge)
        {
            if (bridge == null)
            {
                EditorGUILayout.HelpBox("The bridge does not run here. " + Bootstrap.WhyNot, MessageType.Info);
                return;
            }
            // Unity draws in two passes that must not differ, and the connection changes when it likes.
            if (_shown == null || Event.current.type == EventType.Layout)
            {
                _shown = Look(bridge);
            }
            EditorGUILayout.HelpBox(_shown.Connection, _shown.IsConnected ? MessageType.Info : MessageType.Warning);
            if (_shown.Doubt != null)
            {
                EditorGUILayout.HelpBox(_shown.Doubt, MessageType.Warning);
            }
            EditorGUILayout.LabelField("Package version", PackageVersion.Current);
            EditorGUILayout.LabelField("Tools for clients", _shown.Tools);
            DrawPort(bridge);
            EditorGUILayout.Space();
            (_permission ??= new CSharpPermission(Path.GetDirectoryName(Application.dataPath))).Draw();
            EditorGUILayout.Space();
            (_clients ??= new ClientSetup(Path.GetDirectoryName(Application.dataPath))).Draw();
            EditorGUILayout.Space();
            EditorGUILayout.LabelField("Last calls", EditorStyles.boldLabel);
            foreach (var line in _shown.Calls)
            {
                EditorGUILayout.LabelField(line);
            }
        }

        private void DrawPort(Bridge bridge)
        {
            _port = EditorGUILayout.IntField("Port", _port);
            EditorGUILayout.LabelField("Port set by", _shown.PortSource);
            if (GUILayout.Button("Apply"))
            {
                Apply(bridge, () => bridge.Port.Apply(_port));
            }
            if (GUILayout.Button("Use the project's own port (auto)"))
            {
                Apply(bridge, bridge.Port.ApplyAutomatic);
            }
            if (_shown.Change != null)
            {
                EditorGUILayout.HelpBox(_shown.Change, _shown.ChangeFailed ? MessageType.Error : MessageType.Info);
            }
        }

        private void Apply(Bridge bridge, Func<Task<Refusal>> begin)
        {
            var isSecond = bridge.Port.IsRunning;
            var change = begin();
            // The outcome of the change that runs is still to be shown.
            _secondChange = isSecond && change.IsCompleted && change.Result != null ? change.Result.Message : "";
            _change = isSecond ? _change : change;
        }

        private Shown Look(Bridge bridge)
        {
            var link = bridge.Port.Link;
            var session = link.Session;
            var shown = new Shown
            {
                Connection = link.InWords
                    + (session?.Trust.IsProven == true
                        ? " The server has proved that it runs as your user: trusted."
                        : ""),
                Doubt = session?.Trust.Warning,
                IsConnected = session != null,
                Tools = session == null ? "none" : string.Join(", ", session.Tools),
                PortSource = bridge.Port.Choice.Source,
                Calls = bridge.Recent.Newest(),
            };
            if (bridge.Port.IsRunning)
            {
                shown.Change = ("Trying the new port; the old one stays in use until it answers. " + _secondChange)
                    .Trim();
            }
            else if (_change != null && _change.IsCompleted && _change.Result != null)
            {
                shown.Change = _change.Result.Message;
                shown.ChangeFailed = true;
            }
            return shown;
        }

        private sealed class Shown
        {
            public string Connection;
            public string Doubt;
            public bool IsConnected;
            public string Tools;
            public string PortSource;
            public string[] Calls;
            public string Change;
            public bool ChangeFailed;
        }
    }
}
