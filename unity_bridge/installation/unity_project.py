"""A Unity project on disk: whether it is one, its Unity version, its package manifest, the plugin's port.

Nothing here needs Unity, and Unity may run meanwhile: it looks at ``Packages/`` again when its window gets the focus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation import json_comments
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.safe_files import read_text
from unity_bridge.projects.port_files import TEAM_FILE, USER_FILE, port_of_project
from unity_bridge.projects.unity_folder import enclosing

# The oldest Unity that the plugin supports (SPEC 11).
OLDEST_UNITY = (2021, 3)
# The plugin can be taken out of any project: somebody may have gone back to an older Unity.
ANY_UNITY = (0, 0)

# As in the plugin's own Settings/BridgeSettings.cs.
DEFAULT_PLUGIN_PORT = 8091

_VERSION_LINE = re.compile(r"^m_EditorVersion:\s*((\d{1,9})\.(\d{1,9})\S*)", re.MULTILINE)


class PluginPort(NamedTuple):
    """``source``: the file that gives the port, or ``the default``; ``broken``: a sentence for each unusable file."""

    number: int
    source: str
    broken: Tuple[str, ...]


@dataclass(frozen=True)
class UnityProject:
    """A folder that Unity opens as a project. ``unity_version`` is what it was last opened with: ``2022.3.10f1``."""

    root: Path
    unity_version: str

    @property
    def packages(self) -> Path:
        return self.root / "Packages"

    @property
    def manifest(self) -> Path:
        return self.packages / "manifest.json"

    @property
    def own_folder(self) -> Path:
        """Where this program may leave something: Unity and version control ignore what is in Library."""
        return self.root / "Library" / "UnityBridge"

    @property
    def backups(self) -> Path:
        return self.own_folder / "backups"

    @property
    def settings_file(self) -> Path:
        """The settings of everybody who works on the project: version control has what is in ProjectSettings."""
        return self.root.joinpath(*TEAM_FILE)

    @property
    def own_settings_file(self) -> Path:
        """The settings of this person and machine, which count more: version control ignores UserSettings."""
        return self.root.joinpath(*USER_FILE)

    def dependencies(self) -> Result[Dict[str, Any], str]:
        """The packages that the manifest asks for, name -> version or place."""
        text = read_text(self.manifest)
        if isinstance(text, Err):
            return Err(f"{self.manifest} {text.error}")
        parsed = json_comments.parse(text.value or "")
        if isinstance(parsed, Err):
            return Err(f"{self.manifest} {parsed.error}")
        found = parsed.value.get("dependencies", {}) if isinstance(parsed.value, dict) else None
        return Ok(found) if isinstance(found, dict) else Err(f"{self.manifest} does not hold a list of dependencies")

    def with_dependency(self, name: str, place: Optional[str]) -> Result[FileEdit, str]:
        """The edit of the manifest after which it asks for the package at ``place``, or with ``None`` no longer."""
        understood = self.dependencies()
        text = read_text(self.manifest)
        if isinstance(understood, Err):
            return understood
        if isinstance(text, Err):
            return Err(f"{self.manifest} {text.error}")
        before = text.value or ""
        path = ("dependencies", name)
        edited = (
            json_comments.without_member(before, path)
            if place is None
            else json_comments.with_member(before, path, place)
        )
        if isinstance(edited, Err):
            return Err(f"{self.manifest} {edited.error}")
        return Ok(self._edit(self.manifest, text.value, edited.value))

    def plugin_port(self) -> PluginPort:
        """The port that the plugin of this project uses, unless Unity's command line or environment names another."""
        files = port_of_project(str(self.root))
        if files.given is None:
            return PluginPort(DEFAULT_PLUGIN_PORT, "the default", files.broken)
        return PluginPort(int(files.given.value or 0), files.given.source, files.broken)

    def with_plugin_port(self, port: Union[int, str], for_me: bool = False) -> Result[FileEdit, str]:
        """The edit after which the plugin uses ``port`` (or ``"auto"``) when it starts next, for all or for me."""
        path = self.own_settings_file if for_me else self.settings_file
        text = read_text(path)
        if isinstance(text, Err):
            return Err(f"{path} {text.error}")
        if text.value is None and port == (self.plugin_port().number if for_me else DEFAULT_PLUGIN_PORT):
            return Ok(self._edit(path, "", ""))
        edited = json_comments.with_member(text.value or "", ("port",), port)
        if isinstance(edited, Err):
            return Err(f"{path} {edited.error}")
        return Ok(self._edit(path, text.value, edited.value))

    def _edit(self, path: Path, before: Optional[str], after: str) -> FileEdit:
        return FileEdit(path, before, after, within=self.root, backups=self.backups)


def open_project(folder: Path, oldest: Tuple[int, int] = OLDEST_UNITY) -> Result[UnityProject, str]:
    """The project in a folder; or in a sentence why it is none that the plugin can work in. ``oldest``: of Unity."""
    try:
        root = folder.resolve()
    except OSError as error:  # on Windows, of a share that cannot be reached
        return Err(f"{folder} cannot be opened: {error.strerror or error}.")
    missing = _missing(root)
    if missing is not None:
        return Err(f"{folder} is not a Unity project: it has no {missing}.{_hint(root)}")
    text = read_text(root / "ProjectSettings" / "ProjectVersion.txt")
    # Editors on Windows put a byte-order mark first.
    version = _VERSION_LINE.search((text.value or "").lstrip("\ufeff")) if isinstance(text, Ok) else None
    if version is None:
        return Err(f"{folder} is not a Unity project: ProjectSettings/ProjectVersion.txt names no Unity version.")
    numbers: Tuple[int, int] = (int(version[2]), int(version[3]))
    if numbers < oldest:
        needed = ".".join(str(number) for number in oldest)
        return Err(f"{folder} is a project of Unity {version[1]}; the plugin needs Unity {needed} or newer.")
    return Ok(UnityProject(root, version[1]))


def enclosing_project(folder: Path) -> Optional[UnityProject]:
    """The project that a folder lies in, if it lies in one that the plugin can work in."""
    try:
        root = enclosing(str(folder.resolve()))
    except OSError:
        return None
    if root is None:
        return None
    project = open_project(Path(root))
    return project.value if isinstance(project, Ok) else None


def _missing(root: Path) -> Optional[str]:
    if not (root / "Assets").is_dir():
        return "folder Assets"
    files = ("ProjectSettings/ProjectVersion.txt", "Packages/manifest.json")
    return next((f"file {name}" for name in files if not (root / name).is_file()), None)


def _hint(root: Path) -> str:
    """Where the project probably is: people name the repository around it, or a folder inside."""
    around = next((folder for folder in root.parents if _missing(folder) is None), None)
    if around is not None:
        return f" It lies in one: {around}"
    try:
        inside = next((folder for folder in sorted(root.iterdir()) if _missing(folder) is None), None)
    except OSError:
        inside = None
    return f" There is one inside: {inside}" if inside is not None else ""
