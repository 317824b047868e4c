"""Cursor."""

from __future__ import annotations

from unity_bridge.installation.clients.client import Client, StartsIn

CLIENT = Client(
    name="cursor",
    title="Cursor",
    documentation="https://cursor.com/docs/mcp",
    checked="2026-11-22 by its documentation",
    table=("mcpServers",),
    user_files=lambda machine: [machine.home / ".cursor" / "mcp.json"],
    project_file=".cursor/mcp.json",
    transport={"type": "stdio"},
    signs=lambda machine: [machine.home / ".cursor", machine.settings / "Cursor"],
    program="cursor",
    starts_in=StartsIn.UNKNOWN,
    apply="Cursor notices the change; if not, switch the server off and on in its settings.",
    success="MCPs under Customize in the sidebar (before: Settings > Tools & MCP) shows unity-bridge with its tools.",
)
