"""Claude Code. It keeps servers of one project in the user's file too, and those have priority (``client_configs``)."""

from __future__ import annotations

import json
from typing import List

from unity_bridge.installation.clients.client import Client, Launch, Scope


def _with_claude(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["claude", "mcp", "add-json", "--scope", scope.value, name, json.dumps({**CLIENT.entry(launch), **_LOADED})]


# Its tool search hides the tools of a server without this until they are searched for.
_LOADED = {"alwaysLoad": True}

CLIENT = Client(
    name="claude-code",
    title="Claude Code",
    documentation="https://code.claude.com/docs/en/mcp",
    checked="2026-11-22 with Claude Code 2.1.330",
    table=("mcpServers",),
    user_files=lambda machine: [machine.folder("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"],
    project_file=".mcp.json",
    transport={"type": "stdio"},
    preferences=_LOADED,
    own_command=_with_claude,
    signs=lambda machine: [machine.home / ".claude"],
    program="claude",
    writes_its_file_back=True,
    skills=".claude/skills",
    user_skills=lambda machine: machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude") / "skills",
    apply="Start a new session.",
    success="`claude mcp list` shows unity-bridge as connected; in a session, /mcp lists its tools.",
)
