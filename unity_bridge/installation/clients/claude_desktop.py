"""Claude Desktop."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List

from unity_bridge.installation.clients.client import Client, Machine, StartsIn


def _user_files(machine: Machine) -> List[Path]:
    plain = machine.settings / "Claude" / "claude_desktop_config.json"
    if machine.platform != "win32":
        return [plain]
    # The installer packages the app (MSIX), and Windows then shows it a settings folder of its own.
    packages = machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
    own = [folder / "LocalCache" / "Roaming" / "Claude" for folder in sorted(packages.glob("Claude_*"))]
    packaged = [folder / plain.name for folder in own if os.path.isdir(folder)]
    return [*packaged, plain] if os.path.exists(plain) or not packaged else packaged


CLIENT = Client(
    name="claude-desktop",
    title="Claude Desktop",
    documentation="https://modelcontextprotocol.io/docs/develop/connect-local-servers",
    checked="2026-11-22 by its documentation for macOS and Windows",
    table=("mcpServers",),
    user_files=_user_files,
    skills=None,
    signs=lambda machine: [machine.settings / "Claude"],
    starts_in=StartsIn.ROOT,  # on macOS; its documentation calls the folder undefined
    apply="Quit Claude Desktop completely (not only its window) and start it again.",
    success="Settings > Developer shows unity-bridge as running; its tools stand in the chat's tool menu.",
)
