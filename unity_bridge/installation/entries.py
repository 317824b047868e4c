"""One server in a client's configuration: whether it is ours, what it starts, and how to write it again.

Writing an entry again keeps the words that its user added.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.config import CONFIG_FILE_VARIABLE
from unity_bridge.installation.clients.client import Launch
from unity_bridge.installation.command_line import quoted
from unity_bridge.launch import environment

_PORT_VARIABLE = "UNITY_BRIDGE_PORT"
_PORT_TEXT = re.compile(r"[0-9]{1,5}")
_OUR_SCRIPT = re.compile(r"unity-bridge(\.exe|-script\.py)?")
_OUR_PACKAGE = re.compile(r"unity-bridge([@=\[~<>!].*)?")
_OUR_MODULE = ("unity_bridge",)
# Options of uvx, uv, pipx and env whose next word is a package or a folder, and not the program to start.
_TAKES_A_NAME = {"--from", "--spec", "--with", "--directory", "--project", "--cwd", "-w", "-C"}
# Options with which Python imports no modules from the working directory.
_WITHOUT_ITS_FOLDER = {"-I", "-P"}
# A command line that starts our program names it within this many words.
_FIRST_WORDS = 8
# These start the server elsewhere (SPEC §23).
_BORDERS = {"ssh", "plink", "docker", "podman", "kubectl"}


@dataclass(frozen=True)
class ClientEntry:
    """A server that a client starts.

    ``port``: the port that it names, if any. ``folder``: the project in which it is started, if the user's file has
    servers for single projects. ``environ``: the variables that the client sets for it.
    """

    name: str
    command: str
    args: Tuple[str, ...]
    port: Optional[int]
    folder: Optional[str] = None
    environ: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def words(self) -> List[str]:
        return [self.command, *self.args]

    @property
    def is_ours(self) -> bool:
        """Return whether it starts unity-bridge, by the name of its script or module; the entry may have any name."""
        return _program_length(self.words) is not None

    @property
    def flags(self) -> Tuple[str, ...]:
        """Return the words that it passes to unity-bridge."""
        length = _program_length(self.words)
        return () if length is None else tuple(self.words[length:])

    @property
    def project(self) -> Optional[str]:
        """Return the Unity project that it names, if any."""
        return _named(self.flags, "--project")

    @property
    def border(self) -> Optional[str]:
        """The program that starts the server on another machine or in a container, if there is one."""
        name = os.path.splitext(re.split(r"[\\/]", self.command)[-1])[0].lower()
        return name if name in _BORDERS else None

    @property
    def runs_code_of_its_folder(self) -> bool:
        """Return whether it uses ``python -m`` without isolation.

        Then Python imports modules from the folder in which the client was started (SPEC §20.8).
        """
        length = _program_length(self.words) or 0
        return "-m" in self.words[:length] and not _WITHOUT_ITS_FOLDER & set(self.words[:length])

    def missing_path(self) -> Optional[str]:
        """Return the first file that it needs and that does not exist."""
        if not os.path.isabs(self.command):
            return None if environment.on_path(self.command) else self.command
        for word in (self.command, *self.args[:2]):
            if os.path.isabs(word) and not os.path.exists(word):
                return word
        return None


def entry_of(name: str, launch: Launch, environ: Mapping[str, Any], folder: Optional[str] = None) -> ClientEntry:
    """Return the entry for these words.

    ``environ``: the variables that the client sets for it, with values of any type, as in its file.
    """
    texts = {key: str(value) for key, value in environ.items()}
    return ClientEntry(name, launch.command, launch.args, _port(launch.args, texts), folder, texts)


# Instead of a port: the entry names none, so that the server takes the port of the project (SPEC §18.1).
ANY_PORT = 0


class Renewal(NamedTuple):
    """The words of a renewed entry, and sentences about what changed."""

    launch: Launch
    sentences: List[str]


def renewed(
    old: Optional[ClientEntry],
    program: Sequence[str],
    port: Optional[int],
    project: Optional[str] = None,
    environ: Optional[Mapping[str, str]] = None,
) -> Renewal:
    """Return ``old`` with another ``program``; its flags and variables stay.

    ``port``, ``project`` and ``environ`` replace its own if they are given. ``ANY_PORT`` removes the port.
    """
    environ = dict(environ or {})
    if old is not None and _named(old.flags, "--config") is not None:
        environ.pop(CONFIG_FILE_VARIABLE, None)  # the option has priority over it
    sentences = _variable_changes({} if old is None else old.environ, environ)
    if old is None:
        return Renewal(Launch.of(program, port, project, environ), sentences)
    if not old.is_ours:
        sentences.insert(0, f"It started {quoted(old.words)}, which is no longer in it.")
        return Renewal(Launch.of(program, port, project, environ), sentences)
    flags = list(old.flags)
    before = old.words[: len(old.words) - len(flags)]
    if before != list(program):
        sentences.append(f"It started {quoted(before)}; now {quoted(program)}.")
    added: List[str] = []
    if project is not None and old.project != project:
        sentences.append(f"Its project was {old.project or 'the one that it is started in'}; now {project}.")
        flags, added = _without(flags, "--project"), ["--project", project]
    if port == ANY_PORT and _without(flags, "--port") != flags:
        sentences.append(f"Its port was {old.port}; now the server finds that of its project.")
        flags = _without(flags, "--port")
    elif port and old.port != port:
        sentences.append(f"Its port was {'the default' if old.port is None else old.port}; now {port}.")
        flags, added = _without(flags, "--port"), [*added, "--port", str(port)]
    if flags:
        sentences.append(f"Kept: {quoted(flags)}")
    return Renewal(Launch.of([*program, *flags, *added], environ=environ), sentences)


def _variable_changes(before: Mapping[str, str], now: Mapping[str, str]) -> List[str]:
    sentences = []
    for name, value in now.items():
        if name not in before and not value:
            sentences.append(f"It sets {name} to nothing, so that the server runs no other folder's modules.")
        elif name not in before:
            sentences.append(f"It sets {name} to {value}, as it is set here: clients hand on few variables.")
        elif before[name] != value:
            sentences.append(f"Its {name} was {before[name]}; now {value or 'nothing'}.")
    return sentences


def _program_length(words: Sequence[str]) -> Optional[int]:
    """Return how many of the words precede unity-bridge's own flags; None if unity-bridge is not started."""
    for index, word in enumerate(words[:_FIRST_WORDS]):
        before = words[index - 1] if index else ""
        if before in _TAKES_A_NAME or "://" in word:
            continue
        is_module = word in _OUR_MODULE and (before == "-m" or before.endswith("run_module.py"))
        is_path = (not before.startswith("-") or before in _WITHOUT_ITS_FOLDER) and bool(
            _OUR_SCRIPT.fullmatch(re.split(r"[\\/]", word)[-1])
        )
        if is_module or is_path or _OUR_PACKAGE.fullmatch(word):
            return index + 1
    return None


def _port(words: Sequence[str], environ: Mapping[str, str]) -> Optional[int]:
    named = _named(words, "--port") or environ.get(_PORT_VARIABLE, "")
    return int(named) if _PORT_TEXT.fullmatch(named) else None


def _named(words: Sequence[str], option: str) -> Optional[str]:
    """Return the value of the option's last occurrence."""
    named = None
    for index, word in enumerate(words):
        if word.startswith(f"{option}="):
            named = word[len(option) + 1 :]
        elif word == option and index + 1 < len(words):
            named = words[index + 1]
    return named


def _without(flags: Sequence[str], option: str) -> List[str]:
    kept: List[str] = []
    words = iter(flags)
    for word in words:
        if word == option:
            next(words, None)
        elif not word.startswith(f"{option}="):
            kept.append(word)
    return kept
