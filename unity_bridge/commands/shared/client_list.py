"""The lines of ``client list``: a client's file, and the entries of unity-bridge in it."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple

from unity_bridge.base.result import Err
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.client_switches import switched_off
from unity_bridge.installation.clients.client import Machine, Scope
from unity_bridge.installation.entries import ClientEntry


def state(config: ClientConfig) -> str:
    entries = config.entries()
    if isinstance(entries, Err):
        return f"the file {entries.error}"
    if not os.path.exists(config.path):
        return "no file"
    return (
        "; ".join(_described(config, entry) for entry in entries.value if entry.folder is None)
        or "no unity-bridge"
    )


def is_found(config: ClientConfig, machine: Machine) -> bool:
    """Return whether the file exists, or the client is installed and would read it in any project."""
    if os.path.lexists(config.path):
        return True
    return config.scope is Scope.USER and config.client.is_found(machine)


def as_json(config: ClientConfig, machine: Machine) -> Dict[str, Any]:
    return {
        "client": config.client.name,
        "scope": config.scope.value,
        "path": str(config.path),
        "state": state(config),
        "found": is_found(config, machine),
        "entries": [
            {"name": entry.name, "port": entry.port, "folder": entry.folder, "via": entry.via}
            for entry in config.entries_or_none()
        ],
    }


def local_entries(config: ClientConfig) -> List[Tuple[str, str]]:
    """``(folder, what its entry says)`` for servers of single projects in a user's file."""
    return [
        (entry.folder, _described(config, entry))
        for entry in config.entries_or_none()
        if entry.folder is not None
    ]


def _described(config: ClientConfig, entry: ClientEntry) -> str:
    missing = entry.missing_path()
    if missing is not None:
        return f"{entry.name}, but {missing} does not exist"
    via = f" via {entry.via}" if entry.via is not None else ""
    project = f" for {entry.project}" if entry.project is not None else ""
    port = f" on port {entry.port}" if entry.port is not None else ""
    is_off = bool(switched_off(config, entry, Machine(), config.project))
    state = ""
    if is_off:
        state = ", switched off"
    return f"{entry.name}{via}{project}{port}{state}"
