"""OpenCode. Its version 2 prefers ``mcp.servers`` but still reads the format of version 1, which is used here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List

from unity_bridge.installation.clients.client import Client, Machine


def _user_files(machine: Machine) -> List[Path]:
    folder = machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    with_comments = folder / "opencode.jsonc"
    return [with_comments if os.path.exists(with_comments) else folder / "opencode.json"]


CLIENT = Client(
    name="opencode",
    title="OpenCode",
    documentation="https://opencode.ai/docs/mcp-servers",
    checked="2026-11-22 with OpenCode 1.18.33",
    table=("mcp",),
    user_files=_user_files,
    project_file="opencode.json",
    transport={"type": "local"},
    preferences={"enabled": True},
    command_holds_arguments=True,
    environment_key="environment",
    signs=lambda machine: [machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"],
    program="opencode",
    apply="Start it again.",
    success="`opencode mcp list` shows unity-bridge as connected.",
)
