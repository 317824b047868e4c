"""The description of an MCP client: where its configuration is, and in which format.

A client is data: one ``Client`` in the table of this package. The functions get a ``Machine``, so that the paths of
every system can be computed on any system.
"""

from __future__ import annotations

import os
import sys
from enum import Enum
from pathlib import Path
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from unity_bridge.base.frozen import frozen, made_by
from unity_bridge.installation.file_format import FileFormat, at
from unity_bridge.installation.json_comments import JSON
from unity_bridge.installation.toml_tables import TOML
from unity_bridge.launch import environment
from unity_bridge.launch.user_folders import home_of, is_absolute, named_folder
from unity_bridge.text.json_types import JsonDict, JsonObject

ENTRY = "unity-bridge"


class Scope(str, Enum):
    """Whether a configuration applies to the user or to one project."""

    USER = "user"
    PROJECT = "project"


class StartsIn(Enum):
    """The folder in which a client starts the servers of the user's file."""

    PROJECT = "in the project that is open"
    HOME = "in the user's home"
    ROOT = "in /"
    UNKNOWN = "in a folder that is not known"


@frozen
class Machine:
    """The system (``sys.platform``), the user's home, and the environment variables that move
    folders.
    """

    platform: str = sys.platform
    home: Path = made_by(lambda: Path(home_of()))
    environ: Mapping[str, str] = made_by(lambda: dict(os.environ))

    @property
    def has_home(self) -> bool:
        """Whether the user has a home. Without one, a path of it would be below the working folder."""
        return is_absolute(self.home.as_posix(), self.platform)

    def folder(self, variable: str, default: Path) -> Path:
        """Return the folder that the environment variable names, or the default.

        A variable that is empty or relative counts as not set.
        """
        return Path(named_folder(self.environ, variable, str(default), self.platform))

    @property
    def settings(self) -> Path:
        """Return the folder where desktop programs keep their settings."""
        if self.platform == "win32":
            return self.folder("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.config

    @property
    def config(self) -> Path:
        """Return the folder where terminal programs keep their settings.

        macOS has the same one; on Windows it is the folder of the desktop programs.
        """
        if self.platform == "win32":
            return self.settings
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")


@frozen
class Launch:
    """What a client has to start.

    Paths are absolute, because desktop programs have another PATH than terminals. ``environ``: the variables that the
    client sets for the program.
    """

    command: str
    args: Tuple[str, ...]
    environ: Mapping[str, str] = made_by(dict)

    @staticmethod
    def of(words: Sequence[str], environ: Mapping[str, str] = {}) -> Launch:
        return Launch(words[0], tuple(words[1:]), dict(environ))

    @property
    def words(self) -> List[str]:
        return [self.command, *self.args]

    @property
    def assignments(self) -> List[str]:
        """Return the variables as ``NAME=value``."""
        return [f"{name}={value}" for name, value in self.environ.items()]


class Listed(Enum):
    """A list of names that switches off the servers in it, or those that are not."""

    IN = "in"
    NOT_IN = "not in"


# Parts of a switch's path that stand for any key that is the server's name, or a folder around the
# client's.
OF_NAME = "{name}"
OF_PROJECT = "{project}"


class Switch(NamedTuple):
    """A member of a client's files with which its user switches servers off (SPEC §19.4).

    ``path``: the member's place in the server's entry; with ``files``, in any of these files, which get the folder in
    which the client is opened. ``off``: the member's value if the server is off. ``on``: how to switch it on again.
    ``scope``: the only scope for whose servers it counts.
    """

    path: Tuple[str, ...]
    off: Union[bool, Listed]
    on: str
    files: Optional[Callable[[Machine, Path], List[Path]]] = None
    scope: Optional[Scope] = None


OwnCommand = Callable[[str, Launch, Scope], List[str]]


@frozen
class Client:
    """One client.

    ``table``: the path in its file of the object that has the servers by name; ``newer_table``: its path in the files
    of a newer version, without ``preferences``. ``own_command`` builds the command with which the client configures
    itself; ``own_command_sets_variables``: it can set variables for a server; ``own_command_sets_empty_ones``: it keeps
    variables without a value. ``success``: how the user sees in the client that the server works. ``apply``: what the
    user does so that the client reads a change. ``transport``: members that mark the server as a process.
    ``preferences``: members that are written if they are missing; afterwards they belong to the user. ``starts_in``:
    where servers of the user's file are started; those of a project's file start in it. ``writes_its_file_back``: while
    it runs, it may write its own copy over the user's file. ``signs``: files or folders that exist where the client is
    installed, besides its own file; the default is the folder of that file. ``program``: its command on PATH, if that
    is not its name. ``skills``: where it reads skills in a project and, unless ``user_skills`` says otherwise, in the
    user's home; the default is the folder that agents agreed on. ``switches``: what switches a server off. Cursor, VS
    Code and Visual Studio keep that apart from their files.
    """

    name: str
    title: str
    documentation: str
    user_files: Callable[[Machine], List[Path]]
    success: str
    apply: str
    table: Tuple[str, ...] = ("mcpServers",)
    newer_table: Optional[Tuple[str, ...]] = None
    form: FileFormat = JSON
    project_file: Optional[str] = None
    transport: JsonObject = made_by(dict)
    preferences: JsonObject = made_by(dict)
    command_holds_arguments: bool = False
    environment_key: str = "env"
    own_command: Optional[OwnCommand] = None
    own_command_knows_projects: bool = True
    own_command_sets_variables: bool = True
    own_command_sets_empty_ones: bool = True
    signs: Optional[Callable[[Machine], List[Path]]] = None
    program: Optional[str] = None
    starts_in: StartsIn = StartsIn.PROJECT
    writes_its_file_back: bool = False
    skills: Optional[str] = ".agents/skills"
    user_skills: Optional[Callable[[Machine], Path]] = None
    switches: Tuple[Switch, ...] = ()

    def files(self, scope: Scope, machine: Machine, project: Path) -> List[Path]:
        """Return the files of a scope, whether they exist or not; none if the client has no such
        scope here.
        """
        if scope is Scope.USER:
            return self.user_files(machine)
        if self.project_file is None:
            return []
        return [project / self.project_file]

    @property
    def tables(self) -> List[Tuple[str, ...]]:
        """Return the paths at which the file may hold servers."""
        if self.newer_table is None:
            return [self.table]
        return [self.newer_table, self.table]

    def table_in(self, data: Any) -> Tuple[str, ...]:
        """Return the path at which this file holds servers, by what it has already."""
        servers = None if self.newer_table is None else at(data, self.newer_table)
        # In a file of the older version that is a server called as the newer table is.
        is_newer = isinstance(servers, dict) and not any(
            isinstance(servers.get(key), str) for key in self.transport
        )
        if is_newer and self.newer_table is not None:
            return self.newer_table
        return self.table

    def entry(self, launch: Launch) -> JsonDict:
        """Return the members of an entry that starts ``launch``, in the format of the client's
        file.
        """
        environ = {self.environment_key: dict(launch.environ)} if launch.environ else {}
        if self.command_holds_arguments:
            return {**self.transport, "command": launch.words, **environ}
        return {**self.transport, "command": launch.command, "args": list(launch.args), **environ}

    def launch_of(self, raw: Any) -> Optional[Launch]:
        """Return the program that an entry of the client's file starts.

        None if it is not a process, or has another shape.
        """
        members = raw if isinstance(raw, dict) else {}
        command, args, environ = (
            members.get("command"),
            members.get("args"),
            members.get(self.environment_key),
        )
        if self.command_holds_arguments:
            words = command
        else:
            words = [command, *(args if isinstance(args, list) else ())]
        if not isinstance(words, list) or not words or not isinstance(words[0], str):
            return None
        variables = environ if isinstance(environ, dict) else {}
        return Launch.of(
            [str(word) for word in words], {name: str(value) for name, value in variables.items()}
        )

    def is_found(self, machine: Machine) -> bool:
        """Return whether this machine seems to have the client."""
        files = self.user_files(machine)
        if files and environment.on_path(self.program or self.name):
            return True
        signs = [file.parent for file in files] if self.signs is None else self.signs(machine)
        return bool(files) and any(os.path.exists(place) for place in (*files, *signs))


def other_client(file: Path, table: Tuple[str, ...]) -> Client:
    """Return a client without a file here, described by its configuration file and the key of its
    servers.
    """
    form = JSON
    if file.suffix.lower() == ".toml":
        form = TOML
    return Client(
        name="other",
        title="The client",
        documentation="its own documentation",
        table=table,
        user_files=lambda machine: [file],
        form=form,
        skills=None,
        apply="Restart the client.",
        success="It lists unity-bridge among its servers.",
    )
