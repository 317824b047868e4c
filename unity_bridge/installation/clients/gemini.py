"""Gemini CLI. For individuals, Antigravity has replaced it (``antigravity.py``)."""

from __future__ import annotations

from typing import List

from unity_bridge.installation.clients.client import Client, Launch, Scope


def _with_gemini(name: str, launch: Launch, scope: Scope) -> List[str]:
    variables = [word for assignment in launch.assignments for word in ("-e", assignment)]
    return ["gemini", "mcp", "add", "--scope", scope.value, *variables, name, *launch.words]


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    documentation="https://geminicli.com/docs/tools/mcp-server",
    checked="2026-11-22 with Gemini CLI 0.61.0",
    table=("mcpServers",),
    user_files=lambda machine: [machine.folder("GEMINI_CLI_HOME", machine.home) / ".gemini" / "settings.json"],
    project_file=".gemini/settings.json",
    own_command=_with_gemini,
    own_command_sets_empty_ones=False,  # packages/cli/src/commands/mcp/add.ts drops a variable without a value
    program="gemini",
    apply="Start a new session in a folder that Gemini CLI trusts.",
    success="`gemini mcp list` shows unity-bridge as connected; in a session, /mcp lists its tools.",
)
