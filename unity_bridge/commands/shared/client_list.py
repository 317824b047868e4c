"""The lines of ``client list``: a client's file, and the entries of unity-bridge in it."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple

from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.client_switches import switched_off
from unity_bridge.installation.clients.client import Machine, Scope
from unity_bridge.installation.entries import ClientEntry


def state(config: ClientConfig) -> str:
    content = config.read()
    if content.fault is not None:
        return f"the file {content.fault}"
    if not os.path.exists(config.path):
        return "no file"
    entries = [entry for entry in config.entries_in(content) if entry.folder is None]
    return "; ".join(_described(config, entry) for entry in entries) or "no unity-bridge"


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
            for entry in config.entries()
        ],
    }


def local_entries(config: ClientConfig) -> List[Tuple[str, str]]:
    """``(folder, what its entry says)`` for servers of single projects in a user's file."""
    return [
        (entry.folder, _described(config, entry))
        for entry in config.entries()
        if entry.folder is not None
    ]


def _described(config: ClientConfig, entry: ClientEntry) -> str:
    missing = entry.missing_path()
    if missing is not None:
        return f"{entry.name}, but {missing} does not exist"
    parts = (("via", entry.via), ("for", entry.project), ("on port", entry.port))
    words = [f" {word} {value}" for word, value in parts if value is not None]
    if switched_off(config, entry, Machine(), config.project):
        words.append(", switched off")
    return entry.name + "".join(words)
