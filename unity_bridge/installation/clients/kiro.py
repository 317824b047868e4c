"""Kiro: the editor and the terminal share these files."""

from __future__ import annotations

from unity_bridge.installation.clients.client import Client, StartsIn

CLIENT = Client(
    name="kiro",
    title="Kiro",
    documentation="https://kiro.dev/docs/mcp/configuration",
    checked="2026-11-22 by its documentation",
    table=("mcpServers",),
    user_files=lambda machine: [machine.home / ".kiro" / "settings" / "mcp.json"],
    project_file=".kiro/settings/mcp.json",
    signs=lambda machine: [machine.home / ".kiro"],
    program="kiro",
    skills=".kiro/skills",
    starts_in=StartsIn.UNKNOWN,  # since 1.0 the editor's own folder, kirodotdev/Kiro#10486
    apply="Kiro reads the file when it changes.",
    success="The Kiro panel shows unity-bridge as connected under MCP Servers.",
)
