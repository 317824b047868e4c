"""Devin Desktop, the successor of Windsurf."""

from __future__ import annotations

from typing import List

from unity_bridge.installation.clients.client import Client, Launch, Scope, StartsIn


def _with_devin(name: str, launch: Launch, scope: Scope) -> List[str]:
    return ["devin", "mcp", "add", "-s", scope.value, name, "--", *launch.words]


CLIENT = Client(
    name="devin",
    title="Devin Desktop",
    documentation="https://docs.devin.ai/desktop/mcp",
    checked="2026-11-22 by guides of other servers",
    table=("mcpServers",),
    user_files=lambda machine: [machine.config / "devin" / "mcp_config.json"],
    project_file=".devin/mcp_config.json",
    own_command=_with_devin,
    own_command_sets_variables=False,
    signs=lambda machine: [machine.config / "devin"],
    program="devin",
    starts_in=StartsIn.UNKNOWN,
    apply="Press the refresh button of the MCP list, or restart Devin Desktop.",
    success="The MCP list shows unity-bridge with its tools.",
)
