using System.Collections.Generic;
using System.Linq;

namespace UnityBridge.Settings
{
    /// <summary>What an empty file of each client holds to start the server, with ' for ". Made by
    /// tests/client_entries.py.</summary>
    internal static class ClientEntries
    {
        private static readonly Dictionary<string, string> ByNames = new Dictionary<string, string>
        {
            { "claude-code", @"{
  'mcpServers': {
    'unity-bridge': {
      'type': 'stdio',
      'command': 'PROGRAM',
      'args': [
        'WORDS',
        '--project',
        'PROJECT'
      ],
      'alwaysLoad': true
    }
  }
}" },
            { "claude-desktop junie gemini antigravity devin windsurf cline kiro", @"{
  'mcpServers': {
    'unity-bridge': {
      'command': 'PROGRAM',
      'args': [
        'WORDS',
        '--project',
        'PROJECT'
      ]
    }
  }
}" },
            { "cursor", @"{
  'mcpServers': {
    'unity-bridge': {
      'type': 'stdio',
      'command': 'PROGRAM',
      'args': [
        'WORDS',
        '--project',
        'PROJECT'
      ]
    }
  }
}" },
            { "vscode visual-studio", @"{
  'servers': {
    'unity-bridge': {
      'type': 'stdio',
      'command': 'PROGRAM',
      'args': [
        'WORDS',
        '--project',
        'PROJECT'
      ]
    }
  }
}" },
            { "codex", @"[mcp_servers.unity-bridge]
command = 'PROGRAM'
args = ['WORDS', '--project', 'PROJECT']" },
            { "copilot", @"{
  'mcpServers': {
    'unity-bridge': {
      'type': 'stdio',
      'command': 'PROGRAM',
      'args': [
        'WORDS',
        '--project',
        'PROJECT'
      ],
      'tools': [
        '*'
      ]
    }
  }
}" },
            { "opencode", @"{
  'mcp': {
    'unity-bridge': {
      'type': 'local',
      'command': [
        'PROGRAM',
        'WORDS',
        '--project',
        'PROJECT'
      ],
      'enabled': true
    }
  }
}" },
            { "zed", @"{
  'context_servers': {
    'unity-bridge': {
      'command': 'PROGRAM',
      'args': [
        'WORDS',
        '--project',
        'PROJECT'
      ]
    }
  }
}" },
        };

        public static readonly IReadOnlyDictionary<string, string> ByName = ByNames
            .SelectMany(entry => entry.Key.Split(' '), (entry, name) => (Name: name, Text: entry.Value))
            .ToDictionary(entry => entry.Name, entry => entry.Text.Replace('\'', '"'));
    }
}
