"""One server in a client's configuration: whether it is ours, what it starts, and how to write it
again.

Writing an entry again keeps the words that its user added.
"""

from __future__ import annotations

import os
import re
from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.config import CONFIG_FILE_VARIABLE
from unity_bridge.installation.clients.client import Launch
from unity_bridge.installation.command_line import file_name, program_name, quoted
from unity_bridge.installation.entry_environment import ISOLATED, MODULE_PATH, decides_here
from unity_bridge.launch import environment

_PORT_VARIABLE = "UNITY_BRIDGE_PORT"
_PORT_TEXT = re.compile(r"[0-9]{1,5}")
_OUR_SCRIPT = re.compile(r"unity-bridge(\.exe|-script\.py)?")
_OUR_PACKAGE = re.compile(r"unity-bridge([@=\[~<>!].*)?")
_OUR_MODULE = ("unity_bridge",)
# Options of uvx, uv, pipx and env whose next word is a package or a folder, and not the program to
# start.
_TAKES_A_NAME = {"--from", "--spec", "--with", "--directory", "--project", "--cwd", "-w", "-C"}
# Options of ours whose next word is a path, which may end in our name.
_TAKES_A_PATH = {"--client-project", "--config", "--log-file"}
# Options with which Python imports no modules from the working directory.
_WITHOUT_ITS_FOLDER = {"-I", "-P"}
# Among more words than these, our name may as well be a folder that another server gets.
_FIRST_WORDS = 8
# The options of ssh with a value, which is the next word if nothing follows in this one.
_SSH_TAKES = "BbcDEeFIiJLlmOoPpQRSWw"
# Our program in a script for a far shell, such as the word after ``sh -c``.
_IN_A_SCRIPT = re.compile(
    r"(^|[\s/;&|('\"])unity[-_]bridge(?=[\s;&|)'\"])|\s(\S*/)?unity[-_]bridge$"
)
# These start the server elsewhere (SPEC §23).
_BORDERS = {
    "ssh",
    "plink",
    "docker",
    "podman",
    "nerdctl",
    "kubectl",
    "incus",
    "lxc",
    "nsenter",
    "wsl",
}


@frozen
class ClientEntry:
    """A server that a client starts.

    ``folder``: the project in which it is started, if the user's file has servers for single projects.
    """

    name: str
    launch: Launch
    folder: Optional[str] = None

    @property
    def words(self) -> List[str]:
        return self.launch.words

    @property
    def is_ours(self) -> bool:
        """Return whether it starts unity-bridge, by the name of its script or module; the entry may
        have any name.
        """
        return _program_length(self.words) is not None

    @property
    def flags(self) -> Tuple[str, ...]:
        """Return the words that it passes to unity-bridge."""
        length = _program_length(self.words)
        if length is None:
            return ()
        return tuple(self.words[length:])

    @property
    def project(self) -> Optional[str]:
        """Return the Unity project that it names, if any."""
        return _named(self.flags, "--project")

    @property
    def port(self) -> Optional[int]:
        """Return the port that it names, if any."""
        port_text = _named(self.words, "--port") or self.launch.environ.get(_PORT_VARIABLE, "")
        if _PORT_TEXT.fullmatch(port_text):
            return int(port_text)
        return None

    @property
    def border(self) -> Optional[str]:
        """The program that starts the server on another machine, in a container or in another system, if there is
        one."""
        return _border(self.words[: len(self.words) - len(self.flags)])

    @property
    def via(self) -> Optional[str]:
        """The border as ``client list`` names it, with the host if that is known."""
        border = self.border
        host = _ssh_host(self.words) if border == "ssh" else None
        if host is None:
            return border
        return f"{border} {host}"

    @property
    def runs_code_of_its_folder(self) -> bool:
        """Return whether it uses ``python -m`` without isolation.

        Then Python imports modules from the folder in which the client was started (SPEC §20.8).
        """
        length = _program_length(self.words) or 0
        return "-m" in self.words[:length] and not _WITHOUT_ITS_FOLDER & set(self.words[:length])

    def missing_path(self) -> Optional[str]:
        """Return the first file that it needs and that does not exist."""
        command = self.launch.command
        if not os.path.isabs(command):
            if environment.on_path(command):
                return None
            return command
        # The other words name files of the far side.
        needed = [command] if self.border else self.words[:3]
        return next(
            (word for word in needed if os.path.isabs(word) and not os.path.exists(word)), None
        )


# Instead of a port: the entry names none, so that the server takes the port of the project (SPEC
# §18.1).
ANY_PORT = 0


class NewEntry(NamedTuple):
    """What an entry is to start.

    ``is_elsewhere``: the server runs across a border (SPEC §23). ``client_project``: where its client sees the project,
    if it is.
    """

    program: Sequence[str]
    port: Optional[int] = None
    project: Optional[str] = None
    environ: Mapping[str, str] = {}
    client_project: Optional[str] = None
    is_elsewhere: bool = False

    @property
    def launch(self) -> Launch:
        port = str(self.port) if self.port else None
        options = {
            "--project": self.project,
            "--client-project": self.client_project,
            "--port": port,
        }
        option_words = [
            word for option, value in options.items() if value for word in (option, value)
        ]
        return Launch.of([*self.program, *option_words], self.environ)


class Renewal(NamedTuple):
    """The words of a renewed entry, sentences about what changed, and the variables that it no
    longer sets.
    """

    launch: Launch
    sentences: List[str]
    dropped: List[str]


def renewed(old: Optional[ClientEntry], new: NewEntry) -> Renewal:
    """Return ``old`` with another program; its flags and variables stay, unless they are of another
    machine.

    ``port``, ``project``, ``client_project`` and ``environ`` replace its own if they are given. ``ANY_PORT`` removes
    the port.
    """
    environ = dict(new.environ)
    if old is None:
        return Renewal(new.launch, _variable_changes({}, environ), [])
    if _named(old.flags, "--config") is not None:
        environ.pop(CONFIG_FILE_VARIABLE, None)  # the option has priority over it
    sentences = _variable_changes(old.launch.environ, environ)
    dropped = [name for name in old.launch.environ if new.is_elsewhere and decides_here(name)]
    sentences += [
        f"It no longer sets {name}, which is for servers of this machine." for name in dropped
    ]
    if ISOLATED in new.program and MODULE_PATH in old.launch.environ and MODULE_PATH not in dropped:
        sentences.append(
            f"It no longer sets {MODULE_PATH}, which Python does not read with {ISOLATED}."
        )
        dropped.append(MODULE_PATH)
    flags = _kept_flags(old, new, sentences)
    if flags is None:
        return Renewal(new.launch, sentences, dropped)
    words = [*new.program, *_renewed_options(flags, old, new, sentences)]
    return Renewal(Launch.of(words, environ), sentences, dropped)


def _kept_flags(old: ClientEntry, new: NewEntry, sentences: List[str]) -> Optional[List[str]]:
    """Return the old flags, or None if the entry is written as a new one; add why to ``sentences``."""
    program = list(new.program)
    flags = old.words[len(program) :]
    is_same_program = old.words == [*program, *flags] and (not flags or flags[0].startswith("-"))
    if is_same_program:
        return flags
    if not old.is_ours:
        sentences.insert(0, f"It started {quoted(old.words)}, which is no longer in it.")
        return None
    flags = list(old.flags)
    before = old.words[: len(old.words) - len(flags)]
    if before != program:
        sentences.append(f"It started {quoted(before)}; now {quoted(program)}.")
        if flags and (new.is_elsewhere or old.border is not None):
            sentences.append(
                f"Left out: {quoted(flags)}, which was for a server on the side that it leaves."
            )
            return None
    return flags


def _renewed_options(
    flags: List[str], old: ClientEntry, new: NewEntry, sentences: List[str]
) -> List[str]:
    """Return the flags with the options that ``new`` gives; add what changes to ``sentences``."""
    place = _named(flags, "--client-project")
    if (
        new.project not in (None, old.project)
        and None not in (old.project, place)
        and new.client_project is None
    ):
        sentences.append(
            f"It no longer has --client-project {place}, which was for the other project."
        )
        flags = _without(flags, "--client-project")
    if new.port == ANY_PORT and _without(flags, "--port") != flags:
        sentences.append(f"Its port was {old.port}; now the server finds that of its project.")
        flags = _without(flags, "--port")
    added: List[str] = []
    for option, before, now, default in (
        ("--project", old.project, new.project, "the one that it is started in"),
        ("--client-project", place, new.client_project, ""),
        ("--port", old.port, new.port, "the default"),
    ):
        if now and now != before:
            if default:
                sentences.append(f"Its {option[2:]} was {before or default}; now {now}.")
            flags = _without(flags, option)
            added += [option, str(now)]
    if flags:
        sentences.append(f"Kept: {quoted(flags)}")
    return [*flags, *added]


def _variable_changes(before: Mapping[str, str], now: Mapping[str, str]) -> List[str]:
    sentences = []
    for name, value in now.items():
        if name not in before and not value:
            sentences.append(
                f"It sets {name} to nothing, so that the server runs no other folder's modules."
            )
        elif name not in before:
            sentences.append(
                f"It sets {name} to {value}, copied from this shell, because most clients do not pass it on."
            )
        elif before[name] != value:
            sentences.append(f"Its {name} was {before[name]}; now {value or 'nothing'}.")
    return sentences


def _program_length(words: Sequence[str]) -> Optional[int]:
    """Return how many of the words precede unity-bridge's own flags; None if unity-bridge is not
    started.
    """
    crosses, length = _border(words) is not None, None
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        if (
            before in _TAKES_A_NAME
            or before in _TAKES_A_PATH
            or "://" in word
            or word.startswith("-")
        ):
            continue
        is_module = word in _OUR_MODULE and (before == "-m" or before.endswith("run_module.py"))
        is_path = (crosses or not before.startswith("-") or before in _WITHOUT_ITS_FOLDER) and bool(
            _OUR_SCRIPT.fullmatch(file_name(word))
        )
        is_bare = bool(_OUR_PACKAGE.fullmatch(word)) or (
            crosses and bool(_IN_A_SCRIPT.search(word))
        )
        if is_module or is_bare or (is_path and (crosses or index < _FIRST_WORDS)):
            length = index + 1
            if not crosses:
                break
            # The host or the container may have our name too: the last one is the program.
    return length


def _border(words: Sequence[str]) -> Optional[str]:
    """Return the first of the words that is such a program: another, such as sudo, may start it."""
    for word in words:
        if program_name(word) in _BORDERS:
            return program_name(word)
        if os.name == "posix" and word.lower().endswith(".exe"):
            return "wsl"  # its interop starts a program of Windows
    return None


def _ssh_host(words: Sequence[str]) -> Optional[str]:
    words_left = iter(words[[program_name(word) for word in words].index("ssh") + 1 :])
    for word in words_left:
        if word == "--":
            return next(words_left, None)
        if not word.startswith("-"):
            return word
        takes = next((place for place, letter in enumerate(word) if letter in _SSH_TAKES), None)
        if takes == len(word) - 1:
            next(words_left, None)
    return None


def _named(words: Sequence[str], option: str) -> Optional[str]:
    """Return the value of the option's last occurrence."""
    value = None
    for index, word in enumerate(words):
        if word.startswith(f"{option}="):
            value = word[len(option) + 1 :]
        elif word == option and index + 1 < len(words):
            value = words[index + 1]
    return value


def _without(flags: Sequence[str], option: str) -> List[str]:
    remaining: List[str] = []
    words = iter(flags)
    for word in words:
        if word == option:
            next(words, None)
        elif not word.startswith(f"{option}="):
            remaining.append(word)
    return remaining
