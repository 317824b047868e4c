"""Visual Studio, with GitHub Copilot; on Windows only."""

from __future__ import annotations

from pathlib import Path
from typing import List

from unity_bridge.installation.clients.client import Client, Machine, StartsIn


def _user_files(machine: Machine) -> List[Path]:
    return [machine.home / ".mcp.json"] if machine.platform == "win32" else []


CLIENT = Client(
    name="visual-studio",
    title="Visual Studio",
    documentation="https://learn.microsoft.com/visualstudio/ide/mcp-servers",
    checked="2026-11-22 by its documentation (of August 2025)",
    table=("servers",),
    user_files=_user_files,
    # Next to the solution, at the top of the project. Claude Code reads the same file under another key.
    project_file=".mcp.json",
    transport={"type": "stdio"},
    skills=None,
    signs=lambda machine: [
        machine.folder("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Microsoft" / "VisualStudio"
    ],
    starts_in=StartsIn.UNKNOWN,
    apply="Open the tools list of Copilot's agent mode; Visual Studio reads the file when it changes.",
    success="The tools list of Copilot's agent mode shows unity-bridge.",
)
