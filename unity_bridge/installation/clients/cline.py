"""Cline: the extension of VS Code keeps its own file, the terminal and the other editors share another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List

from unity_bridge.installation.clients.client import Client, Machine, StartsIn

_FILE = "cline_mcp_settings.json"


def _extension(machine: Machine) -> Path:
    return machine.settings / "Code" / "User" / "globalStorage" / "saoudrizwan.claude-dev"


def _user_files(machine: Machine) -> List[Path]:
    shared = machine.folder("CLINE_MCP_SETTINGS_PATH", machine.home / ".cline" / "data" / "settings" / _FILE)
    if not os.path.isdir(_extension(machine)):
        return [shared]
    own = _extension(machine) / "settings" / _FILE
    return [own, shared] if os.path.isdir(machine.home / ".cline") else [own]


CLIENT = Client(
    name="cline",
    title="Cline",
    documentation="https://docs.cline.bot/mcp/configuring-mcp-servers",
    checked="2026-11-22 with Cline 3.0.65 in the terminal, and by its documentation",
    table=("mcpServers",),
    user_files=_user_files,
    signs=lambda machine: [machine.home / ".cline", _extension(machine)],
    program="cline",
    skills=".cline/skills",
    starts_in=StartsIn.ROOT,  # cline/cline#9950
    apply="Cline reads the file when it changes; in the terminal, start it again.",
    success="MCP Servers > Configure shows unity-bridge with a green dot and its tools; so does `cline config mcp`.",
)
