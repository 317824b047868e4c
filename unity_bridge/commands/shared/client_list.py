"""The lines of ``client list``: a client's file, and the entries of unity-bridge in it."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple

from unity_bridge.base.result import Err
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.clients.client import Machine, Scope
from unity_bridge.installation.entries import ClientEntry


def state(config: ClientConfig) -> str:
    entries = config.entries()
    if isinstance(entries, Err):
        return f"the file {entries.error}"
    if not os.path.exists(config.path):
        return "no file"
    return "; ".join(_described(entry) for entry in entries.value if entry.folder is None) or "no unity-bridge"


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
            for entry in entries_of(config)
        ],
    }


def local_entries(config: ClientConfig) -> List[Tuple[str, str]]:
    """``(folder, what its entry says)`` for servers of single projects in a user's file."""
    return [(entry.folder, _described(entry)) for entry in entries_of(config) if entry.folder is not None]


def entries_of(config: ClientConfig) -> List[ClientEntry]:
    """Return the entries of unity-bridge in a client's file; none if it cannot be read."""
    entries = config.entries()
    return [] if isinstance(entries, Err) else entries.value


def _described(entry: ClientEntry) -> str:
    missing = entry.missing_path()
    if missing is not None:
        return f"{entry.name}, but {missing} does not exist"
    via = f" via {entry.via}" if entry.via is not None else ""
    project = f" for {entry.project}" if entry.project is not None else ""
    return entry.name + via + project + (f" on port {entry.port}" if entry.port is not None else "")
