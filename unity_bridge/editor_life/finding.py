"""Finds the Unity program of one version: by name, in Unity Hub's lists, in the usual folders (SPEC
§22.4).

Another version is never taken instead, because opening a project in it converts the project. Hub's files are written by
other programs: they are read with a bound, links to them are not followed, and what they say is checked.
"""

from __future__ import annotations

import os
import re
import stat
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.editor_life.machine_layout import MachineLayout
from unity_bridge.projects.project_version import VERSION
from unity_bridge.system.shared_file import read_json
from unity_bridge.text.json_types import JsonObject

VARIABLE = "UNITY_BRIDGE_UNITY"
BY_OPTION = "--unity"

_FILE_BYTES_MAX = 1024 * 1024
_MOST_ENTRIES = 200
# Windows takes either slash for the other, and \??\ for the beginning of any path, one of a share
# too.
_OF_A_NETWORK = re.compile(r"[\\/]{2}|[\\/]\?")
_MOST_NAMED = 8
_DOWNLOAD = "unityhub://{version}"


class FoundProgram(NamedTuple):
    """``version``: None if it is not known, as for a program of ``--unity`` alone. ``found_by``: in
    words.
    """

    path: str
    version: Optional[str]
    found_by: str


class NotOpened(NamedTuple):
    """Why no editor was started. ``reason`` as in ``details.reason``. ``details``: ``looked_in`` has a line for each
    place with what was wrong there."""

    reason: str
    message: str
    details: JsonObject = {}


# What ``PROGRAM -version`` prints, or None. ``--dry-run`` gives one that starts nothing.
AskVersion = Callable[[str], Optional[str]]


class _Candidate(NamedTuple):
    path: str
    found_by: str
    place: str  # as ``looked_in`` names it


def find_program(
    version: Optional[str],
    project: str,
    unity: Optional[str],
    layout: MachineLayout,
    ask_version: AskVersion,
) -> Result[FoundProgram, NotOpened]:
    """Return the program of exactly this version for ``project``. ``unity``: the path that ``--unity`` names, which is
    believed if the project's version is not known (None)."""
    if unity is not None or version is None:
        return _named(version, unity or "", layout, ask_version)
    search = _Search(version, layout)
    for candidate in search.candidates():
        fault = _fault(candidate.path) or _fault_of_place(candidate.path, project)
        if fault is not None:
            search.looked_in.append(f"{candidate.place}: {candidate.path} {fault}")
            continue
        found_version = version_of(candidate.path, ask_version)
        if found_version == version:
            return Ok(FoundProgram(candidate.path, found_version, candidate.found_by))
        description = (
            "is of an unknown version" if found_version is None else f"is Unity {found_version}"
        )
        search.looked_in.append(f"{candidate.place}: {candidate.path} {description}")
    link = _DOWNLOAD.format(version=version)
    versions = sorted({program.version or "" for program in installed_programs(layout)})
    installed = f" Installed: {', '.join(versions[:_MOST_NAMED])}." if versions else ""
    message = (
        f"Unity {version}, which this project needs, was not found on this machine.{installed} Install it with Unity "
        f"Hub ({link}), or name the program with --unity PATH."
    )
    return Err(NotOpened("version_not_installed", message, {"looked_in": search.looked_in}))


def installed_programs(layout: MachineLayout) -> List[FoundProgram]:
    """Every program whose path shows its version, in the order of the search, each once. Starts
    nothing.
    """
    candidates: Dict[str, Tuple[_Candidate, str]] = {}
    for candidate in _Search(None, layout).candidates():
        if _fault(candidate.path) is not None:
            continue
        version = version_of(candidate.path, lambda path: None)
        if version is not None:
            candidates.setdefault(os.path.realpath(candidate.path), (candidate, version))
    return [
        FoundProgram(program.path, version, program.found_by)
        for program, version in candidates.values()
    ]


def _named(
    version: Optional[str], unity: str, layout: MachineLayout, ask_version: AskVersion
) -> Result[FoundProgram, NotOpened]:
    """Return the program that the user names, even below the project. Its version may be unknown,
    but not another.
    """
    path = layout.program_of(os.path.abspath(os.path.expanduser(unity)))
    fault = _fault(path)
    if fault is not None:
        return Err(
            NotOpened(
                "program_not_usable",
                f"{path} {fault}. Name Unity's program with --unity.",
                {"looked_in": [path]},
            )
        )
    found_version = version_of(path, ask_version)
    if None not in (found_version, version) and found_version != version:
        message = (
            f"{path} is Unity {found_version}, and the project is of Unity {version}. "
            f"Opening it would convert the project: install Unity {version}"
            f" ({_DOWNLOAD.format(version=version)}), or convert the project in Unity yourself."
        )
        return Err(NotOpened("other_version", message, {"looked_in": [path]}))
    return Ok(FoundProgram(path, found_version, BY_OPTION))


def version_of(path: str, ask_version: AskVersion) -> Optional[str]:
    """Return the version of a program: by its path, with links resolved or not, else as it says
    itself.
    """
    return version_in_path(os.path.realpath(path)) or version_in_path(path) or ask_version(path)


def _fault(path: str) -> Optional[str]:
    """Why this cannot be a program, or None."""
    if not os.path.isabs(path):
        return "is not an absolute path"
    try:
        is_file = stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return "is not there"
    if not is_file:
        return "is not a file"
    if os.access(path, os.X_OK):
        return None
    return "cannot be executed"


def _fault_of_place(path: str, project: str) -> Optional[str]:
    """Return the fault of a program below the project, which a repository can bring: only
    ``--unity`` starts that.
    """
    real, inside = os.path.realpath(path), os.path.realpath(project)
    try:
        is_below = os.path.commonpath(
            [os.path.normcase(real), os.path.normcase(inside)]
        ) == os.path.normcase(inside)
    except ValueError:  # on two drives
        is_below = False
    if is_below:
        return "lies below the project: only --unity starts that"
    return None


class _Search:
    """The places of SPEC §22.4 that may have a program of ``version``, or of any if it is None. ``looked_in`` gets a
    line for each place that shows nothing."""

    def __init__(self, version: Optional[str], layout: MachineLayout) -> None:
        self._version = version
        self._layout = layout
        self.looked_in: List[str] = []

    def candidates(self) -> Iterator[_Candidate]:
        """Yield them in order."""
        layout = self._layout
        variable = layout.environ.get(VARIABLE)
        if variable:
            yield _Candidate(layout.program_of(variable), VARIABLE, VARIABLE)
        for folder in layout.hub_folders():
            for name in ("editors-v2.json", "editors.json"):
                yield from self._of_hub(os.path.join(folder, name))
        for folder in layout.hub_folders():
            for base in self._second_folders(os.path.join(folder, "secondaryInstallPath.json")):
                yield from self._of_versions(base, "Unity Hub's folder for editors")
        for base in layout.editor_folders():
            yield from self._of_versions(base, "the default folder")
        for folder in layout.single_installations():
            program = layout.program_in(folder)
            if os.path.lexists(program):
                yield _Candidate(program, "the default folder", folder)

    def _of_hub(self, path: str) -> Iterator[_Candidate]:
        content = self._json(path)
        entries = list(_entries(content))[:_MOST_ENTRIES]
        locations = [location for version, location in entries if self._version in (None, version)]
        if content is not None and not locations:
            wanted = f"Unity {self._version}" if entries else "editors"
            self.looked_in.append(f"{path}: no {wanted}")
        for location in locations:
            if _OF_A_NETWORK.match(location):
                # To look at a network path is to send it the user's credentials, on Windows.
                self.looked_in.append(f"{path}: {location} is a network path")
            else:
                yield _Candidate(self._layout.program_of(location), "Unity Hub", path)

    def _second_folders(self, path: str) -> Iterator[str]:
        content = self._json(path)
        paths = content if isinstance(content, list) else [content]
        for entry in paths[:_MOST_ENTRIES]:
            if not isinstance(entry, str) or not entry:
                continue
            if os.path.isabs(entry) and not _OF_A_NETWORK.match(entry):
                yield entry
            else:
                self.looked_in.append(f"{path}: {entry} is not an absolute path of this machine")

    def _of_versions(self, base: str, found_by: str) -> Iterator[_Candidate]:
        names = [self._version] if self._version is not None else []
        try:
            names = names or sorted(os.listdir(base))[:_MOST_ENTRIES]
        except (OSError, ValueError):  # ValueError: a NUL in the folder that Hub names
            return
        for name in names:
            program = self._layout.program_in(os.path.join(base, name))
            if os.path.lexists(program):
                yield _Candidate(program, found_by, base)
            else:
                self.looked_in.append(f"{base}: no Unity {name}")

    def _json(self, path: str) -> Any:
        """Return the content of one of Hub's files; None for one that is missing, or cannot be
        used, which is noted.
        """
        if os.path.islink(path):
            self.looked_in.append(f"{path}: is a link, and was not read")
            return None
        content = read_json(path, _FILE_BYTES_MAX)
        if isinstance(content, Err):
            self.looked_in.append(f"{path}: {content.error}")
            return None
        return content.value


def _entries(content: Any) -> Iterator[Tuple[str, str]]:
    """Version and location of each entry of either file. Anything of another shape says nothing."""
    data = content.get("data", content) if isinstance(content, dict) else content
    if isinstance(data, list):
        rows = data
    elif isinstance(data, dict):
        rows = list(data.values())
    else:
        rows = []
    for row in rows:
        version = row.get("version") if isinstance(row, dict) else None
        location = row.get("location") if isinstance(row, dict) else None
        for path in location if isinstance(location, list) else [location]:
            if isinstance(version, str) and isinstance(path, str) and path:
                yield version, path


def version_in_path(program: str) -> Optional[str]:
    """Return the version that a folder of the program's path is called; of several, the one nearest
    to the program.
    """
    folders = program.replace("\\", "/").split("/")[:-1]
    return next((folder for folder in reversed(folders) if VERSION.fullmatch(folder)), None)


def version_in_output(output: str) -> Optional[str]:
    """Return the version that ``PROGRAM -version`` printed: the only word of its shape, on a line
    of its own or not.
    """
    versions = {word for word in output.split() if VERSION.fullmatch(word)}
    if len(versions) == 1:
        return versions.pop()
    return None
