"""Windsurf before it became Devin Desktop (``devin.py``)."""

from __future__ import annotations

from unity_bridge.installation.clients.client import Client, StartsIn

CLIENT = Client(
    name="windsurf",
    title="Windsurf",
    documentation="https://docs.devin.ai/desktop/cascade/mcp",
    checked="2026-11-22 by its documentation",
    table=("mcpServers",),
    user_files=lambda machine: [machine.home / ".codeium" / "windsurf" / "mcp_config.json"],
    signs=lambda machine: [machine.home / ".codeium" / "windsurf"],
    starts_in=StartsIn.UNKNOWN,
    apply="Press the refresh button in Windsurf Settings > Cascade > MCP Servers.",
    success="Windsurf Settings > Cascade > MCP Servers shows unity-bridge with its tools.",
)
