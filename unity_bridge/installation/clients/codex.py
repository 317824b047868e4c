"""Codex: the terminal, the desktop app and the editors' extension share one file."""

from __future__ import annotations

from typing import List

from unity_bridge.installation.clients.client import Client, Form, Launch, Scope


def _with_codex(name: str, launch: Launch, scope: Scope) -> List[str]:
    variables = [word for assignment in launch.assignments for word in ("--env", assignment)]
    return ["codex", "mcp", "add", name, *variables, "--", *launch.words]


CLIENT = Client(
    name="codex",
    title="Codex",
    documentation="https://developers.openai.com/codex/mcp",
    checked="2026-11-22 with Codex 0.169.0",
    table=("mcp_servers",),
    user_files=lambda machine: [machine.folder("CODEX_HOME", machine.home / ".codex") / "config.toml"],
    project_file=".codex/config.toml",
    form=Form.TOML,
    own_command=_with_codex,
    own_command_knows_projects=False,
    signs=lambda machine: [machine.folder("CODEX_HOME", machine.home / ".codex")],
    program="codex",
    apply="Start a new session.",
    success="`codex mcp list` shows unity-bridge as enabled; in a session, /mcp lists its tools.",
)
