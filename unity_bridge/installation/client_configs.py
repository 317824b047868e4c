"""One configuration file of one client: which servers it starts that are ours, and how to add or remove one.

A file that cannot be parsed is never changed. Values read from a file may have any type.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Match, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Launch, Machine, Scope, StartsIn
from unity_bridge.installation.entries import ClientEntry, NewEntry, renewed
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.notation import Notation, at
from unity_bridge.installation.safe_files import MOST_BYTES_OF_THE_USER, read_text
from unity_bridge.installation.toml_tables import TOML
from unity_bridge.launch.file_lock import Locked
from unity_bridge.trust.state_folder import state_folder

# Keys of an entry for a remote server. Some clients prefer them to a command.
_REMOTE = ("url", "serverUrl", "httpUrl", "headers")
_LOCK = "clients.lock"


class Addition(NamedTuple):
    """The edit that adds an entry, and sentences about the changes to the entry that was there before.
    ``launch``: what the entry starts then. ``kept``: the variables that stay in it as they were there before."""

    edit: FileEdit
    sentences: List[str]
    launch: Launch
    kept: Mapping[str, str]


@contextmanager
def one_change_at_a_time(is_dry: bool) -> Iterator[None]:
    """Entered to read a client's file and write it again: of two commands at once, one would drop the other's entry.

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
    """A client's file of one scope. ``path`` need not exist. ``project``: the folder that a project's file is in."""

    client: Client
    scope: Scope
    path: Path
    project: Optional[Path] = None

    @property
    def starts_in(self) -> StartsIn:
        """Return where the client starts servers of this file."""
        return StartsIn.PROJECT if self.scope is Scope.PROJECT else self.client.starts_in

    def entries(self) -> Result[List[ClientEntry], str]:
        """Return our servers in this file, or why it cannot be read."""
        data = self._data()
        return data if isinstance(data, Err) else Ok([one for one in _servers(data.value, self.client) if one.is_ours])

    def adding(self, name: str, new: NewEntry) -> Result[Addition, str]:
        """Return the edit after which the client starts ``new`` under ``name``.

        An existing entry keeps its flags and other settings that are not given; see ``renewed``.
        """
        text = self._text()
        if isinstance(text, Err):
            return text
        data = self._data()
        if isinstance(data, Err):
            return data
        raw = at(data.value, (*self.client.table, name))
        before = self.client.launch_of(raw)
        launch, sentences, dropped = renewed(None if before is None else ClientEntry(name, before), new)
        kept = {} if before is None else {key: value for key, value in before.environ.items() if key not in dropped}
        old: Dict[str, Any] = raw if isinstance(raw, dict) else {}
        removed = [key for key in _REMOTE if key in old]
        sentences += [f"Its {key} is no longer in it: {old[key]}" for key in removed]
        members = {key: value for key, value in self.client.preferences.items() if key not in old}
        paths = [(key,) for key in removed] + self._variable_paths(old, dropped)
        edited = self._with_entry(text.value or "", name, {**self.client.entry(launch), **members}, paths)
        if isinstance(edited, Err):
            return edited
        for written in launch.environ:
            kept.pop(written, None)
        return Ok(Addition(self._edit(text.value, edited.value), sentences, launch, kept))

    def removing(self, name: str) -> Result[FileEdit, str]:
        """Return the edit after which the file has no entry with this name."""
        text = self._text()
        if isinstance(text, Err):
            return text
        if text.value is None or not text.value.strip():
            return Ok(self._edit(text.value, text.value or ""))
        edited = self.client.form.without(text.value, (*self.client.table, name))
        return edited if isinstance(edited, Err) else Ok(self._edit(text.value, edited.value))

    def _variable_paths(self, old: Mapping[str, Any], names: Sequence[str]) -> List[Tuple[str, ...]]:
        """Return the places of these variables in an entry; of their table, if nothing else is in it."""
        key = self.client.environment_key
        is_all = bool(names) and set(old.get(key, ())) == set(names)
        return [(key,)] if is_all else [(key, name) for name in names]

    def _edit(self, before: Optional[str], after: str) -> FileEdit:
        # The user's own files may hold tokens; clients create them with the same rights.
        return FileEdit(self.path, before, after, within=self.project, is_private=self.project is None)

    def _text(self) -> Result[Optional[str], str]:
        return read_text(self.path) if self.project else read_text(self.path, MOST_BYTES_OF_THE_USER)

    def _data(self) -> Result[Any, str]:
        """Return the content of the file, None if it does not exist, or why it cannot be read."""
        text = self._text()
        if isinstance(text, Err):
            return text
        if text.value is None or not text.value.strip():
            return Ok(None)
        return self.client.form.parse(text.value)

    def _with_entry(
        self, text: str, name: str, members: Mapping[str, Any], removed: Sequence[Tuple[str, ...]] = ()
    ) -> Result[str, str]:
        form, path = self.client.form, (*self.client.table, name)
        edited: Result[str, str] = Ok(text)
        for inside in removed:
            if isinstance(edited, Ok):
                edited = form.without(edited.value, (*path, *inside))
        # The variables apart: their table may contain the user's own.
        key = self.client.environment_key
        others = {name: value for name, value in members.items() if name != key}
        for table, values in ((path, others), ((*path, key), members.get(key, {}))):
            if isinstance(edited, Ok) and values:
                edited = form.with_values(edited.value, table, values)
        return edited


def config_of(client: Client, scope: Scope, path: Path, project: Path) -> ClientConfig:
    return ClientConfig(client, scope, path, project if scope is Scope.PROJECT else None)


def snippet(client: Client, name: str, launch: Launch) -> str:
    """Return the part of the client's file that starts the server, as it would be in an otherwise empty file."""
    config = ClientConfig(client, Scope.USER, Path(os.devnull))
    edited = config._with_entry("", name, {**client.entry(launch), **client.preferences})
    assert isinstance(edited, Ok), edited
    return edited.value


def in_ascii(text: str, form: Notation) -> str:
    """Return the same snippet in ASCII.

    Only strings contain other characters, and both formats have an escape for them.
    """

    def escaped(match: Match[str]) -> str:
        code = ord(match.group())
        return f"\\U{code:08X}" if code > 0xFFFF and form is TOML else json.dumps(match.group())[1:-1]

    return re.sub(r"[^\x00-\x7f]", escaped, text)


def all_configs(machine: Machine, project: Path) -> List[ClientConfig]:
    """Return every file in which one of the clients may find a server, existing or not."""
    found: Dict[Tuple[str, Path], ClientConfig] = {}
    for client in CLIENTS.values():
        for scope in Scope:
            for path in client.files(scope, machine, project):
                # If the project is the user's home folder, its file may be the user's own.
                found.setdefault((client.name, path), config_of(client, scope, path, project))
    return list(found.values())


def configs_around(machine: Machine, project: Path) -> List[ClientConfig]:
    """Return the project files in the folders above ``project``, up to the root of its repository.

    A client may be opened in any of these folders. The list is empty if the project is in no repository.
    """
    above = [] if os.path.exists(project / ".git") else list(project.parents)
    count = next((number for number, folder in enumerate(above, 1) if os.path.exists(folder / ".git")), 0)
    return [
        config_of(client, Scope.PROJECT, path, folder)
        # A project's file in the user's home is the user's own.
        for folder in takewhile(lambda folder: folder != machine.home, above[:count])
        for client in CLIENTS.values()
        for path in client.files(Scope.PROJECT, machine, folder)
    ]


def _servers(data: Any, client: Client) -> List[ClientEntry]:
    found = _of_table(at(data, client.table), client)
    if client.name == "claude-code" and isinstance(data, dict):
        # The scope "local", which `claude mcp add` uses by default: servers of one project, in the user's file.
        projects = data.get("projects")
        for folder, settings in projects.items() if isinstance(projects, dict) else ():
            found += _of_table(at(settings, client.table), client, folder)
    return found


def _of_table(servers: Any, client: Client, folder: Optional[str] = None) -> List[ClientEntry]:
    named = servers if isinstance(servers, dict) else {}
    found = ((name, client.launch_of(raw)) for name, raw in named.items())
    return [ClientEntry(name, launch, folder) for name, launch in found if launch is not None]
