"""VS Code, with GitHub Copilot."""

from __future__ import annotations

import json
from typing import List

from unity_bridge.installation.clients.client import Client, Launch, Scope, StartsIn


def _with_code(name: str, launch: Launch, scope: Scope) -> List[str]:
    environ = {"env": dict(launch.environ)} if launch.environ else {}
    server = {"name": name, "command": launch.command, "args": list(launch.args), **environ}
    return ["code", "--add-mcp", json.dumps(server)]


CLIENT = Client(
    name="vscode",
    title="VS Code",
    documentation="https://code.visualstudio.com/docs/agents/reference/mcp-configuration",
    checked="2026-11-22 by its documentation",
    table=("servers",),
    user_files=lambda machine: [machine.settings / "Code" / "User" / "mcp.json"],
    project_file=".vscode/mcp.json",
    transport={"type": "stdio"},
    own_command=_with_code,
    own_command_knows_projects=False,
    signs=lambda machine: [machine.settings / "Code"],
    program="code",
    starts_in=StartsIn.HOME,  # microsoft/vscode#250078
    apply="Run `MCP: List Servers` from the Command Palette, choose unity-bridge, then Start.",
    success="`MCP: List Servers` shows unity-bridge as running; agent mode lists its tools.",
)
