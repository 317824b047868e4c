"""GitHub Copilot CLI."""

from __future__ import annotations

from typing import List

from unity_bridge.installation.clients.client import Client, Launch, Scope


def _with_copilot(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["copilot", "mcp", "add", name, "--", *launch.words]


CLIENT = Client(
    name="copilot",
    title="Copilot CLI",
    documentation="https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
    checked="2026-11-22 with Copilot CLI 1.0.102",
    table=("mcpServers",),
    user_files=lambda machine: [machine.folder("COPILOT_HOME", machine.home / ".copilot") / "mcp-config.json"],
    project_file=".github/mcp.json",
    transport={"type": "stdio"},
    preferences={"tools": ["*"]},
    own_command=_with_copilot,
    own_command_knows_projects=False,
    own_command_sets_variables=False,
    signs=lambda machine: [machine.folder("COPILOT_HOME", machine.home / ".copilot")],
    program="copilot",
    apply="Start a new session.",
    success="In a session, /mcp show lists unity-bridge with its tools.",
)
