"""One configuration file of one client: which servers it starts that are ours, and how to add or remove one.

A file that cannot be parsed is never touched; what is found in one is never trusted to have the right shape.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from unity_bridge.installation import json_comments
from unity_bridge.installation.clients import CLIENTS, Client, Form, Launch, Machine, Scope
from unity_bridge.installation.file_edit import FileEdit, read_text
from unity_bridge.result import Err, Ok, Result

_PORT_VARIABLE = "UNITY_BRIDGE_PORT"
_PORT_TEXT = re.compile(r"[0-9]{1,5}")
_OUR_SCRIPT = re.compile(r"unity-bridge(\.exe|-script\.py)?")


@dataclass(frozen=True)
class Entry:
    """A server that a client is told to start. ``port``: the one it names, if it names one."""

    name: str
    command: str
    args: Tuple[str, ...]
    port: Optional[int]

    @property
    def is_ours(self) -> bool:
        """Whether it starts unity-bridge: by its script's or its module's name, whatever the entry is called."""
        names = (re.split(r"[\\/]", word)[-1] for word in (self.command, *self.args[:2]))
        return any(_OUR_SCRIPT.fullmatch(name) for name in names) or self.args[:2] == ("-m", "unity_bridge")

    def missing_path(self) -> Optional[str]:
        """The first file that it needs and that is not there."""
        if not os.path.isabs(self.command):
            return None if shutil.which(self.command) else self.command
        for word in (self.command, *self.args[:1]):
            if os.path.isabs(word) and not os.path.exists(word):
                return word
        return None


@dataclass(frozen=True)
class ClientConfig:
    """A client's file of one scope. ``path`` need not exist."""

    client: Client
    scope: Scope
    path: Path

    def entries(self) -> Result[List[Entry], str]:
        """Our servers in it; or what is wrong with the file."""
        text = read_text(self.path)
        if isinstance(text, Err):
            return text
        if text.value is None or not text.value.strip():
            return Ok([])
        data = self._parsed(text.value)
        return data if isinstance(data, Err) else Ok([one for one in _servers(data.value, self.client) if one.is_ours])

    def adding(self, name: str, launch: Launch) -> Result[FileEdit, str]:
        """The edit after which the client starts ``launch`` under ``name``; other settings of that entry stay."""
        text = read_text(self.path)
        if isinstance(text, Err):
            return text
        edited = self._with_entry(text.value or "", name, self.client.entry(launch))
        return edited if isinstance(edited, Err) else Ok(FileEdit(self.path, text.value, edited.value))

    def removing(self, name: str) -> Result[FileEdit, str]:
        """The edit after which the file has no entry of that name."""
        text = read_text(self.path)
        if isinstance(text, Err):
            return text
        if text.value is None or not text.value.strip():
            return Ok(FileEdit(self.path, text.value, text.value or ""))
        path = (*self.client.table, name)
        if self.client.form is Form.TOML:
            from unity_bridge.installation import toml_tables

            edited = toml_tables.without_table(text.value, path)
        else:
            edited = json_comments.without_member(text.value, path)
        return edited if isinstance(edited, Err) else Ok(FileEdit(self.path, text.value, edited.value))

    def _parsed(self, text: str) -> Result[Any, str]:
        if self.client.form is Form.TOML:
            try:
                from unity_bridge.installation import toml_tables
            except ImportError as error:  # half an environment, which `doctor` must survive
                return Err(f"cannot be read: {error}")
            return toml_tables.parse(text)
        return json_comments.parse(text)

    def _with_entry(self, text: str, name: str, entry: Dict[str, Any]) -> Result[str, str]:
        path = (*self.client.table, name)
        if self.client.form is Form.TOML:
            from unity_bridge.installation import toml_tables

            return toml_tables.with_table(text, path, entry)
        if text.strip():
            parsed = json_comments.parse(text)
            if isinstance(parsed, Err):
                return parsed
            if isinstance(_at(parsed.value, path), dict):
                return _with_members(text, path, entry)
        return json_comments.with_member(text, path, entry)


def _with_members(text: str, path: Tuple[str, ...], entry: Dict[str, Any]) -> Result[str, str]:
    edited: Result[str, str] = Ok(text)
    for key, value in entry.items():
        if isinstance(edited, Ok):
            edited = json_comments.with_member(edited.value, (*path, key), value)
    return edited


def snippet(client: Client, name: str, launch: Launch) -> str:
    """The part of the client's file that starts the server, as it stands in an otherwise empty one."""
    edited = ClientConfig(client, Scope.USER, Path(os.devnull))._with_entry("", name, client.entry(launch))
    assert isinstance(edited, Ok), edited
    return edited.value


def all_configs(machine: Machine, project: Path) -> List[ClientConfig]:
    """Every file in which one of the clients may find a server, existing or not."""
    return [
        ClientConfig(client, scope, path)
        for client in CLIENTS.values()
        for scope in Scope
        for path in client.files(scope, machine, project)
    ]


def _servers(data: Any, client: Client) -> List[Entry]:
    servers = _at(data, client.table)
    found = [_entry(name, raw) for name, raw in servers.items()] if isinstance(servers, dict) else []
    if client.name == "claude-code" and isinstance(data, dict):
        # Its scope "local", the default of `claude mcp add`: servers of one project, in the user's file.
        projects = data.get("projects")
        for settings in projects.values() if isinstance(projects, dict) else ():
            local = _at(settings, client.table)
            found += [_entry(name, raw) for name, raw in local.items()] if isinstance(local, dict) else []
    return [entry for entry in found if entry is not None]


def _entry(name: str, raw: Any) -> Optional[Entry]:
    command = raw.get("command") if isinstance(raw, dict) else None
    if not isinstance(command, str):
        return None
    args = raw.get("args")
    words = tuple(str(word) for word in args) if isinstance(args, list) else ()
    environ = raw.get("env")
    return Entry(name, command, words, _port(words, environ if isinstance(environ, dict) else {}))


def _port(words: Tuple[str, ...], environ: Dict[str, Any]) -> Optional[int]:
    named = str(environ.get(_PORT_VARIABLE, ""))
    for index, word in enumerate(words):
        if word.startswith("--port="):
            named = word[len("--port=") :]
        elif word == "--port" and index + 1 < len(words):
            named = words[index + 1]
    return int(named) if _PORT_TEXT.fullmatch(named) else None


def _at(data: Any, path: Tuple[str, ...]) -> Any:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data
