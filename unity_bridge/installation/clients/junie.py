"""Junie, JetBrains' agent, in Rider and in the terminal."""

from __future__ import annotations

from unity_bridge.installation.clients.client import Client, StartsIn

CLIENT = Client(
    name="junie",
    title="Rider (Junie)",
    documentation="https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html",
    checked="2026-11-22 by guides of other servers",
    table=("mcpServers",),
    user_files=lambda machine: [machine.home / ".junie" / "mcp" / "mcp.json"],
    project_file=".junie/mcp/mcp.json",
    signs=lambda machine: [machine.home / ".junie"],
    program="junie",
    skills=".junie/skills",
    starts_in=StartsIn.UNKNOWN,
    apply="Rider reads the file when it changes; in the terminal, start a new session.",
    success="Settings > Tools > Junie > MCP Settings shows unity-bridge as connected.",
)
