"""Google Antigravity: the app, the editor and the terminal (``agy``) share one file, which must be strict JSON."""

from __future__ import annotations

from unity_bridge.installation.clients.client import Client, StartsIn

CLIENT = Client(
    name="antigravity",
    title="Antigravity",
    documentation="https://antigravity.google/docs/mcp",
    checked="2026-11-22 by guides of other servers",
    table=("mcpServers",),
    user_files=lambda machine: [machine.home / ".gemini" / "config" / "mcp_config.json"],
    project_file=".agents/mcp_config.json",
    signs=lambda machine: [machine.home / ".gemini" / name for name in ("config", "antigravity", "antigravity-cli")],
    program="agy",
    user_skills=lambda machine: machine.home / ".gemini" / "skills",
    starts_in=StartsIn.HOME,  # google-antigravity/antigravity-cli#918
    apply="Press Refresh under Manage MCP Servers, or start a new session of `agy`.",
    success="Manage MCP Servers shows unity-bridge with its tools.",
)
