"""Whether a client's user has switched an entry off: by what the table of clients names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, List, Optional, Tuple

from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.clients.client import OF_NAME, OF_PROJECT, Listed, Machine, Switch
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.text.foreign_text import quoted

_Place = Tuple[str, ...]


def switched_off(
    config: ClientConfig,
    entry: ClientEntry,
    machine: Machine,
    folder: Optional[Path],
) -> List[str]:
    """Return a sentence for each member that switches the entry off, with how to switch it on.

    ``folder``: where the client is opened; None for any. A file that cannot be read counts
    as empty.
    """
    sentences = []
    if entry.folder is not None:
        folder = Path(entry.folder)
    switches = [switch for switch in config.client.switches if switch.scope in (None, config.scope)]
    for switch in switches:
        for path, member in _members(switch, config, entry, machine, folder):
            data = config.read_other(path).data
            for place, value in _values(data, member, entry.name, folder):
                if _is_off(value, switch.off, entry.name):
                    by = f"{quoted('.'.join(place))} in {path}"
                    way_back = f"To switch it on: {switch.on}."
                    sentences.append(f"{entry.name} is switched off by {by}. {way_back}")
    return sentences


def _members(
    switch: Switch,
    config: ClientConfig,
    entry: ClientEntry,
    machine: Machine,
    folder: Optional[Path],
) -> List[Tuple[Path, _Place]]:
    """Return the files that may have the switch, and its place there."""
    if switch.files is not None:
        files = switch.files(machine, config.project or folder or Path())
        return [(path, switch.path) for path in files]
    begin: _Place = ()
    if entry.folder is not None:
        begin = ("projects", entry.folder)
    tables = config.client.tables
    return [(config.path, (*begin, *table, entry.name, *switch.path)) for table in tables]


def _values(
    data: Any,
    path: _Place,
    name: str,
    folder: Optional[Path],
) -> Iterator[Tuple[_Place, Any]]:
    if not path:
        yield (), data
    elif isinstance(data, dict):
        for key in data:
            if _is_meant(key, path[0], name, folder):
                for place, value in _values(data[key], path[1:], name, folder):
                    yield (key, *place), value


def _is_meant(key: str, part: str, name: str, folder: Optional[Path]) -> bool:
    if part == OF_NAME:
        return key.strip().lower() == name.lower()
    if part == OF_PROJECT:
        around = Path(real_path(key))
        return folder is None or around in (folder, *folder.parents)
    return key == part


def _is_off(value: Any, off: object, name: str) -> bool:
    if isinstance(off, Listed):
        return isinstance(value, list) and bool(value) and (name in value) is (off is Listed.IN)
    return isinstance(value, bool) and value is off
