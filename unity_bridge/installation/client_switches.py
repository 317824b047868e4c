"""Whether a client's user has switched an entry off, by the members of its files that the table of clients names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, List, Optional, Tuple

from unity_bridge.base.result import Err
from unity_bridge.installation.client_configs import ClientConfig
from unity_bridge.installation.clients.client import OF_NAME, OF_PROJECT, Listed, Machine, Switch
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.installation.notation import at
from unity_bridge.installation.safe_files import MOST_BYTES_OF_THE_USER, read_text
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.text.foreign_text import quoted


def switched_off(config: ClientConfig, entry: ClientEntry, machine: Machine, folder: Optional[Path]) -> List[str]:
    """Return a sentence for each member that switches the entry off, with how to switch it on.

    ``folder``: where the client is opened; None for any. A file that cannot be read switches nothing off.
    """
    sentences = []
    for switch in config.client.switches:
        if switch.scope is not None and switch.scope is not config.scope:
            continue
        for path, place, value in _members(switch, config, entry, machine, folder):
            if _is_off(value, switch.off, entry.name):
                member = quoted(".".join(place))
                sentences.append(f"{entry.name} is switched off by {member} in {path}. To switch it on: {switch.on}.")
    return sentences


def _members(
    switch: Switch, config: ClientConfig, entry: ClientEntry, machine: Machine, folder: Optional[Path]
) -> Iterator[Tuple[Path, Tuple[str, ...], Any]]:
    """Yield ``(file, place, value)`` of what the switch may be."""
    folders = folder if entry.folder is None else Path(entry.folder)
    if switch.files is None:
        data = _data(config, config.path)
        begin = () if entry.folder is None else ("projects", entry.folder)
        for table in config.client.tables:
            place = (*begin, *table, entry.name, *switch.path)
            yield config.path, place, at(data, place)
        return
    for path in switch.files(machine, config.project or folder or Path()):
        for place, value in _values(_data(config, path), switch.path, entry.name, folders):
            yield path, place, value


def _values(
    data: Any, path: Tuple[str, ...], name: str, folder: Optional[Path]
) -> Iterator[Tuple[Tuple[str, ...], Any]]:
    if not path:
        yield (), data
        return
    for key, value in data.items() if isinstance(data, dict) else ():
        if _is_meant(key, path[0], name, folder):
            yield from (((key, *rest), inner) for rest, inner in _values(value, path[1:], name, folder))


def _is_meant(key: str, part: str, name: str, folder: Optional[Path]) -> bool:
    if part == OF_NAME:
        return key.strip().lower() == name.lower()
    if part == OF_PROJECT:
        real = Path(real_path(key))
        return folder is None or real == folder or real in folder.parents
    return key == part


def _is_off(value: Any, off: Any, name: str) -> bool:
    if isinstance(off, Listed):
        return isinstance(value, list) and bool(value) and (name in value) is (off is Listed.IN)
    return isinstance(value, bool) and value is off


def _data(config: ClientConfig, path: Path) -> Any:
    text = read_text(path, MOST_BYTES_OF_THE_USER)
    if isinstance(text, Err) or text.value is None or config.client.form.is_empty(text.value):
        return None
    data = config.client.form.parse(text.value)
    return None if isinstance(data, Err) else data.value
