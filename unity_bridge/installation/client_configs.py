"""One configuration file of one client, and which servers it starts that are ours. Its values may
have any type.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Match, NamedTuple, Optional, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Machine, Scope, StartsIn
from unity_bridge.installation.entries import ClientEntry
from unity_bridge.installation.file_format import FileFormat, at
from unity_bridge.installation.safe_files import MOST_BYTES_OF_THE_USER, read_text
from unity_bridge.installation.toml_tables import TOML
from unity_bridge.launch.file_lock import Locked
from unity_bridge.trust.state_folder import state_folder

_LOCK = "clients.lock"


class Content(NamedTuple):
    """What is in a client's file. ``text``: None if there is no file. ``data``: None if it has no
    value. ``fault``: why it cannot be read.
    """

    text: Optional[str] = None
    data: Any = None
    fault: Optional[str] = None


@contextmanager
def one_change_at_a_time(is_dry: bool) -> Iterator[None]:
    """Entered to read a client's file and write it again: of two commands at once, one would drop
    the other's entry.

    ``is_dry``: nothing will be written. Without a folder for the lock, the file is changed all the same."""
    folder = state_folder()
    with ExitStack() as held:
        if not is_dry and isinstance(folder, Ok):
            with suppress(OSError):
                folder.value.mkdir(mode=0o700, parents=True, exist_ok=True)
                held.enter_context(Locked(str(folder.value / _LOCK)))
        yield


@frozen
class ClientConfig:
    """A client's file of one scope. ``path`` need not exist. ``project``: the folder that a
    project's file is in.
    """

    client: Client
    scope: Scope
    path: Path
    project: Optional[Path] = None

    @property
    def starts_in(self) -> StartsIn:
        """Return where the client starts servers of this file."""
        if self.scope is Scope.PROJECT:
            return StartsIn.PROJECT
        return self.client.starts_in

    def read(self) -> Content:
        """Return the content of the file."""
        if self.project is None:
            return self.read_other(self.path)
        return self._content(read_text(self.path))

    def read_other(self, path: Path) -> Content:
        """Return the content of another file of the client, in the same form."""
        return self._content(read_text(path, MOST_BYTES_OF_THE_USER))

    def _content(self, text: Result[Optional[str], str]) -> Content:
        if isinstance(text, Err):
            return Content(fault=text.error)
        if text.value is None or self.client.form.is_empty(text.value):
            return Content(text.value)
        data = self.client.form.parse(text.value)
        if isinstance(data, Err):
            return Content(fault=data.error)
        return Content(text.value, data.value)

    def entries(self) -> List[ClientEntry]:
        """Return our servers in this file; none if it cannot be read."""
        return self.entries_in(self.read())

    def entries_in(self, content: Content) -> List[ClientEntry]:
        return [entry for entry in _servers(content.data, self.client) if entry.is_ours]


def config_of(client: Client, scope: Scope, path: Path, project: Path) -> ClientConfig:
    owner = None
    if scope is Scope.PROJECT:
        owner = project
    return ClientConfig(client, scope, path, owner)


def in_ascii(text: str, form: FileFormat) -> str:
    """Return the same snippet in ASCII.

    Only strings contain other characters, and both formats have an escape for them.
    """

    def escaped(match: Match[str]) -> str:
        code = ord(match.group())
        if code > 0xFFFF and form is TOML:
            return f"\\U{code:08X}"
        return json.dumps(match.group())[1:-1]

    return re.sub(r"[^\x00-\x7f]", escaped, text)


def all_configs(machine: Machine, project: Path) -> List[ClientConfig]:
    """Return every file in which one of the clients may find a server, existing or not."""
    configs: Dict[Tuple[str, Path], ClientConfig] = {}
    for client in CLIENTS.values():
        for scope in Scope:
            for path in client.files(scope, machine, project):
                # If the project is the user's home folder, its file may be the user's own.
                configs.setdefault((client.name, path), config_of(client, scope, path, project))
    return list(configs.values())


def configs_around(machine: Machine, project: Path) -> List[ClientConfig]:
    """Return the project files in the folders above ``project``, up to the root of its repository.

    A client may be opened in any of these folders. The list is empty if the project is in no repository.
    """
    above = [] if os.path.exists(project / ".git") else list(project.parents)
    count = next(
        (number for number, folder in enumerate(above, 1) if os.path.exists(folder / ".git")), 0
    )
    return [
        config_of(client, Scope.PROJECT, path, folder)
        # A project's file in the user's home is the user's own.
        for folder in takewhile(lambda folder: folder != machine.home, above[:count])
        for client in CLIENTS.values()
        for path in client.files(Scope.PROJECT, machine, folder)
    ]


def _servers(data: Any, client: Client) -> List[ClientEntry]:
    entries = [entry for table in client.tables for entry in _of_table(at(data, table), client)]
    if client.name == "claude-code" and isinstance(data, dict):
        # The scope "local", which `claude mcp add` uses by default: servers of one project, in the
        # user's file.
        projects = data.get("projects")
        for folder, settings in projects.items() if isinstance(projects, dict) else ():
            entries += _of_table(at(settings, client.table), client, folder)
    return entries


def _of_table(servers: Any, client: Client, folder: Optional[str] = None) -> List[ClientEntry]:
    rows = servers if isinstance(servers, dict) else {}
    launches = ((name, client.launch_of(raw)) for name, raw in rows.items())
    return [ClientEntry(name, launch, folder) for name, launch in launches if launch is not None]
