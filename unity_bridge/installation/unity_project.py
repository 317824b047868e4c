"""A Unity project on disk: whether it is one, its Unity version, its package manifest, the plugin's
port.

Nothing here needs Unity. Unity may be running: it reads ``Packages/`` again when its window gets the focus.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.json_comments import JSON
from unity_bridge.installation.safe_files import read_text
from unity_bridge.projects.port_files import TEAM_FILE, USER_FILE, port_of_project
from unity_bridge.projects.project_version import OLDEST_UNITY, release_of, too_old, written_version
from unity_bridge.projects.unity_folder import is_project, project_here

# The plugin can be removed from any project, for example after a return to an older Unity.
ANY_UNITY = (0, 0)

# As in the plugin's own Settings/BridgeSettings.cs.
DEFAULT_PLUGIN_PORT = 8091


class PluginPort(NamedTuple):
    """The plugin's port.

    ``source``: the file that sets it, or ``the default``; ``broken``: a sentence for each unusable file.
    """

    number: int
    source: str
    broken: Tuple[str, ...]


@frozen
class UnityProject:
    """A folder that Unity opens as a project.

    ``unity_version`` is the version that last opened it, such as ``2022.3.10f1``.
    """

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
        """Return a folder in Library where this program may write: Unity and version control ignore
        it.
        """
        return self.root / "Library" / "UnityBridge"

    @property
    def backups(self) -> Path:
        return self.own_folder / "backups"

    @property
    def settings_file(self) -> Path:
        """Return the settings file for everybody who works on the project: version control includes
        ProjectSettings.
        """
        return self.root.joinpath(*TEAM_FILE)

    @property
    def own_settings_file(self) -> Path:
        """Return the settings file for this user and machine, which wins: version control ignores
        UserSettings.
        """
        return self.root.joinpath(*USER_FILE)

    def dependencies(self) -> Result[Dict[str, Any], str]:
        """Return the packages of the manifest: name -> version or source."""
        text = _text(self.manifest)
        if isinstance(text, Err):
            return text
        if text.value is None:
            return Ok({})
        parsed = JSON.parse(text.value)
        if isinstance(parsed, Err):
            return Err(f"{self.manifest} {parsed.error}")
        table = parsed.value.get("dependencies", {}) if isinstance(parsed.value, dict) else None
        if isinstance(table, dict):
            return Ok(table)
        return Err(f"{self.manifest} does not hold a list of dependencies")

    def with_dependency(self, name: str, place: Optional[str]) -> Result[FileEdit, str]:
        """Return the edit of the manifest after which it has the package from ``place``, or not at
        all if None.
        """
        understood = self.dependencies()
        if isinstance(understood, Err):
            return understood
        text = _text(self.manifest)
        if isinstance(text, Err):
            return text
        if text.value is None and place is not None:
            return Err(
                f"{self.manifest} is not there; Unity writes it when it opens the project: do that once"
            )
        before = text.value or ""
        if place is None:
            edited = JSON.without(before, ("dependencies", name))
        else:
            edited = JSON.with_values(before, ("dependencies",), {name: place})
        return self._edit(self.manifest, before, edited)

    def _edit(
        self, path: Path, before: Optional[str], edited: Result[str, str]
    ) -> Result[FileEdit, str]:
        if isinstance(edited, Err):
            return Err(f"{path} {edited.error}")
        return Ok(FileEdit(path, before, edited.value, within=self.root))

    def plugin_port(self) -> PluginPort:
        """Return the port of this project's plugin, unless Unity's command line or environment sets
        another.
        """
        files = port_of_project(str(self.root))
        if files.given is None:
            return PluginPort(DEFAULT_PLUGIN_PORT, "the default", files.broken)
        return PluginPort(int(files.given.value or 0), files.given.source, files.broken)

    def with_plugin_port(
        self, port: Union[int, str], for_me: bool = False
    ) -> Result[FileEdit, str]:
        """Return the edit after which the plugin uses ``port`` (or ``"auto"``) at its next start, for all or for this
        user."""
        path, port_without = self.settings_file, DEFAULT_PLUGIN_PORT
        if for_me:
            path, port_without = self.own_settings_file, self.plugin_port().number
        text = _text(path)
        if isinstance(text, Err):
            return text
        if text.value is None and port == port_without:
            return self._edit(path, "", Ok(""))
        edited = JSON.with_values(text.value or "", (), {"port": port})
        return self._edit(path, text.value, edited)


def open_project(folder: Path, oldest: Tuple[int, int] = OLDEST_UNITY) -> Result[UnityProject, str]:
    """Return the project in a folder, or why the plugin cannot work in it. ``oldest``: the oldest
    accepted Unity.
    """
    try:
        root = Path(
            os.path.realpath(str(folder))
        )  # Path.resolve raises RuntimeError for links in a circle
    except OSError as error:  # on Windows, for a share that cannot be reached
        return Err(f"{folder} cannot be opened: {error.strerror or error}.")
    missing = _missing(root)
    if missing is not None:
        return Err(f"{folder} is not a Unity project: it has no {missing}.{_hint(root)}")
    version = written_version(str(root))
    if isinstance(version, Err):
        return Err(f"{folder} is not a Unity project that can be used: {version.error}.")
    if release_of(version.value) is None:
        return Err(
            f"{folder} is not a Unity project: ProjectSettings/ProjectVersion.txt names no Unity version."
        )
    fault = too_old(version.value, oldest)
    if fault is None:
        return Ok(UnityProject(root, version.value))
    return Err(f"{folder} {fault}.")


def enclosing_project() -> Optional[UnityProject]:
    """Return the project that contains the working directory, if the plugin can work in it."""
    root = project_here()
    if root is None:
        return None
    return value_or(open_project(Path(root)), None)


def _text(path: Path) -> Result[Optional[str], str]:
    text = read_text(path)
    if isinstance(text, Err):
        return Err(f"{path} {text.error}")
    return text


def _missing(root: Path) -> Optional[str]:
    if not (root / "Assets").is_dir():
        return "folder Assets"
    # Unity writes Packages/manifest.json itself.
    if is_project(str(root)):
        return None
    return "file ProjectSettings/ProjectVersion.txt"


def _hint(root: Path) -> str:
    """Return where the project probably is: users often name its repository, or a folder inside."""
    around = next((folder for folder in root.parents if _missing(folder) is None), None)
    if around is not None:
        return f" It lies in one: {around}"
    try:
        inside = next(
            (folder for folder in sorted(root.iterdir()) if _missing(folder) is None), None
        )
    except OSError:
        inside = None
    if inside is not None:
        return f" There is one inside: {inside}"
    return ""
