"""An entry of ours together with the file that has it: which one a client starts, and how each is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence, Union

from unity_bridge.installation.client_configs import ClientConfig, config_of
from unity_bridge.installation.client_switches import switched_off
from unity_bridge.installation.clients.client import ENTRY, Machine, Scope, StartsIn
from unity_bridge.installation.command_line import ours, quoted
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.projects.canonical_path import real_path
from unity_bridge.projects.unity_folder import enclosing


class PlacedEntry(NamedTuple):
    """One of our entries, and the file that contains it."""

    config: ClientConfig
    entry: ClientEntry

    @property
    def rank(self) -> int:
        """Return the rank of a scope: of two entries with one name, the client starts the one with the lower rank."""
        if self.entry.folder is not None:
            return 0
        return 1 if self.config.scope is Scope.PROJECT else 2

    @property
    def place(self) -> str:
        for_one = f", for {self.entry.folder} only" if self.entry.folder is not None else ""
        return f"{self.config.client.name}: {self.config.path}{for_one}"

    def fix_command(self, port: Union[int, str, None] = None, project: Optional[Path] = None) -> str:
        """Return the command that writes the entry again."""
        if self.entry.folder is not None:
            # A scope that only the client itself writes.
            return f"{quoted(['claude', 'mcp', 'remove', '--scope', 'local', self.entry.name])} in {self.entry.folder}"
        named = [] if project is None else ["--project", str(project)]
        return ours("client", "add", self.config.client.name, *self.words_after_name(port), *named)

    def words_after_name(self, port: Union[int, str, None]) -> List[str]:
        words = [] if self.entry.name == ENTRY else ["--as", self.entry.name]
        words += [] if port is None else ["--port", str(port)]
        if self.config.scope is Scope.USER:
            return words
        folder = [] if self.config.project is None else ["--folder", str(self.config.project)]
        return [*words, "--scope", self.config.scope.value, *folder]

    @property
    def is_started_elsewhere(self) -> bool:
        """Return whether the client starts this server in a folder from which it does not find the project."""
        if self.entry.project is not None or self.entry.port is not None or self.entry.folder is not None:
            return False
        if self.config.scope is Scope.PROJECT:
            return self.config.project is not None and enclosing(real_path(str(self.config.project))) is None
        return self.config.starts_in is not StartsIn.PROJECT

    def removal(self) -> str:
        """Return the command that removes the entry."""
        if self.entry.folder is not None:
            return self.fix_command()
        return ours("client", "remove", self.config.client.name, *self.words_after_name(None))


def placed_entries(configs: Sequence[ClientConfig], machine: Machine, folder: Path) -> Iterator[PlacedEntry]:
    """Yield the entries in these files of one client, and those in its other files when it is opened in ``folder``."""
    client = configs[0].client
    paths = [(scope, path) for scope in Scope for path in client.files(scope, machine, folder)]
    others = [config_of(client, scope, path, folder) for scope, path in paths]
    seen = {config.path for config in configs}
    for config in (*configs, *(config for config in others if config.path not in seen)):
        for entry in config.entries_or_none():
            yield PlacedEntry(config, entry)


def why_idle(configs: Sequence[ClientConfig], name: str, machine: Machine, folder: Path) -> List[str]:
    """Return why the client does not start the entries with this name in these files: a sentence for each reason."""
    entries = [found for found in placed_entries(configs, machine, folder) if found.entry.name == name]
    sentences = []
    for found in entries:
        if found.config not in configs or found.entry.folder is not None:
            continue
        sentences += switched_off(found.config, found.entry, machine, folder)
        sentences += [
            f"{found.config.client.title} starts the one in {other.place} instead: {other.removal()} takes that out."
            for other in entries
            if other.rank < found.rank
        ]
    return sentences
