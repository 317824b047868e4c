"""Zed."""

from __future__ import annotations

from pathlib import Path

from unity_bridge.installation.clients.client import Client, Machine


def _folder(machine: Machine) -> Path:
    return machine.config / ("Zed" if machine.platform == "win32" else "zed")


CLIENT = Client(
    name="zed",
    title="Zed",
    documentation="https://zed.dev/docs/ai/mcp",
    checked="2026-11-22 by its documentation",
    table=("context_servers",),
    user_files=lambda machine: [_folder(machine) / "settings.json"],
    project_file=".zed/settings.json",
    signs=lambda machine: [_folder(machine)],
    program="zed",
    apply="Zed reads the file when it changes.",
    success="The settings of the Agent Panel show unity-bridge with a green dot.",
)
