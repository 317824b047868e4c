"""An entry of ours with the file that has it: which one a client starts, how each is changed."""

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
        """Return the rank of a scope: of two entries with one name, a client starts the lower."""
        if self.entry.folder is not None:
            return 0
        return (Scope.PROJECT, Scope.USER).index(self.config.scope) + 1

    @property
    def place(self) -> str:
        place = f"{self.config.client.name}: {self.config.path}"
        if self.entry.folder is not None:
            place += f", for {self.entry.folder} only"
        return place

    def fix_command(
        self,
        port: Union[int, str, None] = None,
        project: Optional[Path] = None,
    ) -> str:
        """Return the command that writes the entry again."""
        if self.entry.folder is not None:
            # A scope that only the client itself writes.
            words = ["claude", "mcp", "remove", "--scope", "local", self.entry.name]
            return f"{quoted(words)} in {self.entry.folder}"
        words = self.words_after_name(port)
        if project is not None:
            words += ["--project", str(project)]
        return ours("client", "add", self.config.client.name, *words)

    def removal(self) -> str:
        """Return the command that removes the entry."""
        if self.entry.folder is not None:
            return self.fix_command()
        return ours("client", "remove", self.config.client.name, *self.words_after_name(None))

    def words_after_name(self, port: Union[int, str, None]) -> List[str]:
        words = []
        if self.entry.name != ENTRY:
            words += ["--as", self.entry.name]
        if port is not None:
            words += ["--port", str(port)]
        if self.config.scope is Scope.PROJECT:
            words += ["--scope", self.config.scope.value]
            if self.config.project is not None:
                words += ["--folder", str(self.config.project)]
        return words

    @property
    def is_started_elsewhere(self) -> bool:
        """Return whether a client starts it in a folder where it does not find the project."""
        entry, project = self.entry, self.config.project
        if (entry.project, entry.port, entry.folder) != (None, None, None):
            return False
        if self.config.scope is Scope.PROJECT:
            return project is not None and enclosing(real_path(str(project))) is None
        return self.config.starts_in is not StartsIn.PROJECT


def placed_entries(
    configs: Sequence[ClientConfig],
    machine: Machine,
    folder: Path,
) -> Iterator[PlacedEntry]:
    """Yield the entries in these files of one client, and in its others if opened in ``folder``."""
    client = configs[0].client
    files = {config.path: config for config in configs}
    for scope in Scope:
        for path in client.files(scope, machine, folder):
            files.setdefault(path, config_of(client, scope, path, folder))
    for config in files.values():
        yield from (PlacedEntry(config, entry) for entry in config.entries())


def why_idle(
    configs: Sequence[ClientConfig],
    name: str,
    machine: Machine,
    folder: Path,
) -> List[str]:
    """Return why the client does not start the entries with this name in these files."""
    entries = list(placed_entries(configs, machine, folder))
    namesakes = [placed for placed in entries if placed.entry.name == name]
    sentences = []
    for placed in namesakes:
        if placed.config in configs and placed.entry.folder is None:
            sentences += switched_off(placed.config, placed.entry, machine, folder)
            sentences += [
                f"{placed.config.client.title} starts the one in {rival.place} instead: "
                f"{rival.removal()} takes that out."
                for rival in namesakes
                if rival.rank < placed.rank
            ]
    return sentences
