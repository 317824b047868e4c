using System.Collections.Generic;

namespace UnityBridge.Settings
{
    /// <summary>What an empty file of each client holds to start the server. Made by tests/client_entries.py.</summary>
    internal static class ClientEntries
    {
        public static readonly IReadOnlyDictionary<string, string> ByName = new Dictionary<string, string>
        {
            { "claude-code", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""type"": ""stdio"",
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ],
      ""alwaysLoad"": true
    }
  }
}" },
            { "claude-desktop", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "cursor", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""type"": ""stdio"",
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "vscode", @"{
  ""servers"": {
    ""unity-bridge"": {
      ""type"": ""stdio"",
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "visual-studio", @"{
  ""servers"": {
    ""unity-bridge"": {
      ""type"": ""stdio"",
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "junie", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "codex", @"[mcp_servers.unity-bridge]
command = ""PROGRAM""
args = [""WORDS"", ""--project"", ""PROJECT""]" },
            { "copilot", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""type"": ""stdio"",
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ],
      ""tools"": [
        ""*""
      ]
    }
  }
}" },
            { "gemini", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "antigravity", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "devin", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "windsurf", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "cline", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "opencode", @"{
  ""mcp"": {
    ""unity-bridge"": {
      ""type"": ""local"",
      ""command"": [
        ""PROGRAM"",
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ],
      ""enabled"": true
    }
  }
}" },
            { "zed", @"{
  ""context_servers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
            { "kiro", @"{
  ""mcpServers"": {
    ""unity-bridge"": {
      ""command"": ""PROGRAM"",
      ""args"": [
        ""WORDS"",
        ""--project"",
        ""PROJECT""
      ]
    }
  }
}" },
        };
    }
}
