"""The skills: pages that teach an agent to work with Unity from the shell (SPEC §19.2).

Their text is in the folder ``skills`` next to this file, one for all agents, and is installed in
the form that they agree on: ``SKILL.md`` in a folder of its name. Each has its version, so that
``doctor`` can detect a stale one, and stays under 4 KB, because a session of an agent reads it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.installation.clients import CLIENTS
from unity_bridge.installation.clients.client import Client, Machine, Scope
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.safe_files import is_link, read_text
from unity_bridge.projects.project_commands import KnownCommand, commands_of
from unity_bridge.system.whole_file import patiently
from unity_bridge.version import __version__

PROGRAM = "unity-bridge"
# The first is about all, and lists the project's commands.
NAMES = (PROGRAM, "unity-make", "unity-play", "unity-test", "unity-project")
MOST_BYTES = 4096

_VERSION = re.compile(r'^  version: "([^"\n]{1,40})"\r?$', re.MULTILINE)
_AUTHOR = re.compile(rf"^  author: {PROGRAM}\r?$", re.MULTILINE)
_TITLE = "\n## Commands of this project\n\nIn quotation marks: the project's words.\n\n"
_MORE = "- and more: `unity-bridge run`\n"
_NOT_SHOWN = re.compile(r"[^ -~\u00a0-\u1fff\u2c00-\ud7ff]+")


@frozen
class Skill:
    """One page. ``path`` need not exist."""

    name: str
    path: Path
    project: Optional[Path]

    def version(self) -> Optional[str]:
        """Return the version of the installed skill; None if there is none of ours."""
        text = value_or(read_text(self.path), None)
        if text is None or not self._is_ours(text):
            return None
        version = _VERSION.search(text)
        if version is None:
            return "unknown"
        return version[1]

    def writing(self, content: str) -> Result[FileEdit, str]:
        """Return the edit that installs the skill, or why it cannot be installed."""
        text = read_text(self.path)
        if isinstance(text, Err):
            return text
        if text.value is not None and not self._is_ours(text.value):
            return Err("is a skill of another author")
        if text.value is not None and "\r\n" in text.value:
            # The line ends of a version control checkout on Windows.
            content = content.replace("\n", "\r\n")
        return Ok(FileEdit(self.path, text.value, content, within=self.project))

    def remove(self) -> Result[bool, str]:
        """Remove the skill. Return whether there was one of ours."""
        if self.version() is None:
            return Ok(False)
        if self.project is not None and any(
            is_link(place) for place in (self.path, self.path.parent)
        ):
            return Err("is a link, and nothing is removed through one")
        try:
            patiently(self.path.unlink)
            self.path.parent.rmdir()
        except OSError as error:
            if self.path.exists():
                return Err(f"cannot be removed: {error.strerror or error}")
        return Ok(True)

    def _is_ours(self, text: str) -> bool:
        # The names of subjects may be another author's too; the first pages had no author.
        if re.match(rf"---\r?\nname: {self.name}\r?\n", text) is None:
            return False
        return self.name == PROGRAM or _AUTHOR.search(text) is not None


@frozen
class SkillFolder:
    """A folder where agents look for skills."""

    scope: Scope
    path: Path
    clients: Sequence[Client]
    project: Optional[Path] = None

    @property
    def skills(self) -> List[Skill]:
        return [Skill(name, self.path / name / "SKILL.md", self.project) for name in NAMES]

    def versions(self) -> Dict[str, str]:
        """Return the versions of the installed skills by name."""
        versions = {skill.name: skill.version() for skill in self.skills}
        return {name: version for name, version in versions.items() if version is not None}


def rendered(name: str, program: str, commands: Iterable[KnownCommand] = ()) -> str:
    """Return the page of a skill.

    ``program``: how to start this program; ``commands`` are listed on the first page, as far as they fit.
    """
    template = (Path(__file__).parent / "skills" / f"{name}.md").read_text(encoding="utf-8")
    where = ""
    if program.strip("`") != PROGRAM:
        where = f"It is not on PATH: write {program} where this page says `{PROGRAM}`.\n"
    page = template.replace("VERSION", __version__).replace("WHERE", where)
    if name != PROGRAM:
        return page
    return page + _listed(list(commands), MOST_BYTES - len(page.encode("utf-8", "replace")))


def skill_folders(
    machine: Machine, scope: Scope, folder: Path, clients: Sequence[Client]
) -> List[SkillFolder]:
    """Return the folders of these clients, each once: most clients read the same one."""
    readers: Dict[Path, List[Client]] = {}
    for client in clients:
        place = _place(client, machine, scope, folder)
        if place is not None:
            readers.setdefault(place, []).append(client)
    project = folder if scope is Scope.PROJECT else None
    return [SkillFolder(scope, path, group, project) for path, group in readers.items()]


def folders_with_skills(machine: Machine, folder: Path) -> List[SkillFolder]:
    """Return the folders that have a skill of ours, of the user and of one project."""
    folders: Dict[Path, SkillFolder] = {}
    for scope in Scope:
        for candidate in skill_folders(machine, scope, folder, list(CLIENTS.values())):
            if candidate.versions():
                folders.setdefault(candidate.path, candidate)
    return list(folders.values())


def project_commands(project: Path) -> List[KnownCommand]:
    """Return the project's own commands as of the last load of its scripts; none if it was never
    loaded.

    Every skill already contains the plugin's commands.
    """
    commands = value_or(commands_of(str(project)), ())
    return [command for command in commands if command.is_the_projects and command.fault is None]


def _place(client: Client, machine: Machine, scope: Scope, folder: Path) -> Optional[Path]:
    if client.skills is None:
        return None
    if scope is Scope.PROJECT:
        return folder / client.skills
    if client.user_skills is not None:
        return client.user_skills(machine)
    return machine.home / client.skills


def _listed(commands: List[KnownCommand], room: int) -> str:
    """Return a line for each command, while they fit.

    The text comes from the project, so it is quoted and contains nothing that could end a line.
    """
    lines = [
        f"- `{_plain(command.signature, 120)}` {_in_quotes(command.description)}".rstrip() + "\n"
        for command in commands
    ]
    room -= len(_TITLE) + len(_MORE)
    fitting: List[str] = []
    for line in lines:
        room -= len(line.encode())
        if room < 0:
            break
        fitting.append(line)
    if not fitting:
        return ""
    return _TITLE + "".join(fitting) + (_MORE if len(fitting) < len(lines) else "")


def _in_quotes(text: str) -> str:
    words = _plain(text, 120).replace('"', "'")
    if words:
        return f'"{words}"'
    return ""


def _plain(text: str, most: int) -> str:
    return _NOT_SHOWN.sub(" ", text).replace("`", "'").strip()[:most]
