"""The Unity package that this installation brings, and its life in a project: install, update, remove, compare.

Two forms: a copy under ``Packages/`` (embedded: the project carries it, and a team shares it), or a line in
``Packages/manifest.json`` that names a place (a folder of this installation, a git repository, a registry's version).
Unity prefers the copy where both are there, so a project is left with one of them only.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Callable, Iterator, List, Optional

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation import json_comments, package_copy, package_place
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.package_copy import MANIFEST, PACKAGE_NAME, shipped_package
from unity_bridge.installation.safe_files import Refused, is_link, read_text, refuse_links, why
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.launch.file_lock import Locked
from unity_bridge.version import __version__

_DEREFERENCED = "Took the reference out of"
_NOT_SHIPPED = "This installation lacks the Unity package; install unity-bridge again"
_NOT_OF_THIS_MACHINE = (
    "That path is of this machine: others of the project's team cannot open the project with it. "
    "Without --reference the project gets a copy that all of them share."
)


class PluginForm(Enum):
    """How a project has the plugin."""

    ABSENT = "absent"
    EMBEDDED = "embedded"
    REFERENCE = "reference"


@dataclass(frozen=True)
class InstalledPlugin:
    """What a project has. ``version`` is ``None`` if it is not known; ``place`` is the folder or the manifest's
    value. ``is_ours``: every file as this installation brings it. ``is_elsewhere``: the manifest names a place whose
    version only Unity's Package Manager knows, such as a branch of a git repository."""

    form: PluginForm
    place: str = ""
    version: Optional[str] = None
    is_ours: bool = False
    is_elsewhere: bool = False

    @property
    def differs(self) -> bool:
        return self.version != __version__ and not self.is_elsewhere


@dataclass
class Report:
    """What was done, a sentence each, in order; nothing if there was nothing to do. ``remarks``: what to know of it."""

    done: List[str] = field(default_factory=list)
    remarks: List[str] = field(default_factory=list)


Change = Callable[[UnityProject], Result[Report, str]]


def installed_plugin(project: UnityProject) -> Result[InstalledPlugin, str]:
    """What the project has now; or why that cannot be told."""
    folder = _folder(project)
    if folder.is_dir():
        try:
            is_ours = not is_link(folder) and not package_copy.differing(folder)
        except OSError as error:
            return Err(f"{error.strerror or error}")
        return Ok(InstalledPlugin(PluginForm.EMBEDDED, str(folder), _version_in(folder), is_ours))
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = dependencies.value.get(PACKAGE_NAME)
    if place is None:
        return Ok(InstalledPlugin(PluginForm.ABSENT))
    referred = _referred(project, str(place))
    version = package_place.named_version(str(place)) if referred is None else _version_in(referred)
    is_ours = referred is not None and referred == shipped_package()
    is_elsewhere = version is None and (referred is None or os.path.isfile(referred))
    return Ok(InstalledPlugin(PluginForm.REFERENCE, str(place), version, is_ours, is_elsewhere))


def embed(project: UnityProject) -> Result[Report, str]:
    """Have the project carry a copy that is equal to this installation's package, and refer to none elsewhere."""
    return _alone(project, _embed)


def refer(project: UnityProject) -> Result[Report, str]:
    """Make the project refer to this installation's package, and carry no copy. A git repository or a registry that
    the manifest names already stays its place."""
    return _alone(project, _refer)


def renew(project: UnityProject) -> Result[Report, str]:
    """Make the place that the manifest names already one of this version, and carry no copy. Err if that is not known:
    the place is the team's, and nothing of this machine replaces it."""
    return _alone(project, _renew)


def remove(project: UnityProject) -> Result[Report, str]:
    """Take the plugin out of the project, in whichever form it is there. Its settings file stays."""
    return _alone(project, _remove)


def _embed(project: UnityProject) -> Result[Report, str]:
    # The manifest first: if it cannot be parsed, nothing at all is done.
    reference = project.with_dependency(PACKAGE_NAME, None)
    if isinstance(reference, Err):
        return reference
    if not shipped_package().is_dir():
        return Err(_NOT_SHIPPED)
    report, folder = Report(), _folder(project)
    if is_link(folder):
        # What it leads to is somebody's work: neither this project's to overwrite, nor ours to cut off.
        return Err(
            f"{folder} is a link to {os.path.realpath(str(folder))}: update the package there, or remove the link"
        )
    if not folder.exists():
        package_copy.put(project, folder)
        report.done.append(f"Copied the plugin {__version__} to {folder}.")
    else:
        names = package_copy.differing(folder)
        if names:
            package_copy.refuse_read_only(folder, names)
            report.done.append(f"Kept a copy of what was there in {package_copy.keep_aside(project, folder)}.")
            package_copy.make_equal(project, folder, names)
            report.done.append(f"Brought the plugin in {folder} to {__version__}.")
    return _carried_out(reference.value, _DEREFERENCED, report)


def _refer(project: UnityProject) -> Result[Report, str]:
    if not shipped_package().is_dir():
        return Err(_NOT_SHIPPED)
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = str(dependencies.value.get(PACKAGE_NAME, ""))
    if not place or package_place.referred_folder(project, place) is not None:
        return _with_place(project, package_place.own_place(project))
    renewed = package_place.renewed(place, project)
    return renewed if isinstance(renewed, Err) else _with_place(project, renewed.value)


def _renew(project: UnityProject) -> Result[Report, str]:
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = package_place.renewed(str(dependencies.value.get(PACKAGE_NAME, "")), project)
    return place if isinstance(place, Err) else _with_place(project, place.value)


def _with_place(project: UnityProject, place: str) -> Result[Report, str]:
    edit = project.with_dependency(PACKAGE_NAME, place)
    if isinstance(edit, Err):
        return edit
    edited = _carried_out(edit.value, f"Referred to {place} in", Report())
    if isinstance(edited, Err):
        return edited
    if edit.value.changes and package_place.is_path_of_this_machine(place):
        edited.value.remarks.append(_NOT_OF_THIS_MACHINE)
    return _without_copy(project, edited.value)


def _remove(project: UnityProject) -> Result[Report, str]:
    edit = project.with_dependency(PACKAGE_NAME, None)
    if isinstance(edit, Err):
        return edit
    edited = _carried_out(edit.value, _DEREFERENCED, Report())
    return edited if isinstance(edited, Err) else _without_copy(project, edited.value)


def _alone(project: UnityProject, change: Change) -> Result[Report, str]:
    """One change of a project at a time: of embedding and referring at once, each would remove the other's."""
    try:
        with _locked(project):
            return change(project)
    except Refused as error:
        return Err(f"{project.packages} cannot be changed: {error.strerror}")
    except OSError as error:
        # Of a file that was to be replaced, the second name is its own and the first the draft's.
        return Err(f"{error.filename2 or error.filename or project.packages} cannot be changed: {why(error)}")


@contextmanager
def _locked(project: UnityProject) -> Iterator[None]:
    lock = project.own_folder / "plugin.lock"
    refuse_links(project.root, lock)
    lock.parent.mkdir(parents=True, exist_ok=True)
    with Locked(str(lock)):
        yield


def _carried_out(edit: FileEdit, what: str, report: Report) -> Result[Report, str]:
    """Make an edit of the manifest, if there is anything to it; ``what`` was done ends where the file's name begins."""
    if edit.changes:
        applied = edit.apply()
        if isinstance(applied, Err):
            return Err(f"{edit.path} {applied.error}")
        report.done.append(f"{what} {edit.path} (backup: {applied.value}).")
    return Ok(report)


def _without_copy(project: UnityProject, report: Report) -> Result[Report, str]:
    folder = _folder(project)
    if is_link(folder):
        refuse_links(project.root, folder.parent)
        _unlink(folder)
        report.done.append(f"Removed the link {folder}.")
    elif folder.is_dir():
        kept = package_copy.keep_aside(project, folder) if package_copy.differing(folder) else None
        try:
            package_copy.take_away(project, folder)
        except OSError:
            if kept is not None:
                shutil.rmtree(str(kept), ignore_errors=True)  # of what was not removed
            raise
        if kept is not None:
            report.done.append(f"Kept a copy of what was there in {kept}.")
        report.done.append(f"Removed {folder}.")
    return Ok(report)


def _unlink(link: Path) -> None:
    if link.is_symlink():
        link.unlink()
    else:  # a junction, which is a folder to Windows
        link.rmdir()


def _folder(project: UnityProject) -> Path:
    return project.packages / PACKAGE_NAME


# Places


def _referred(project: UnityProject, place: str) -> Optional[Path]:
    folder = package_place.referred_folder(project, place)
    return None if folder is None else Path(folder).resolve()


def _version_in(folder: Path) -> Optional[str]:
    text = read_text(folder / MANIFEST)
    if isinstance(text, Err) or text.value is None:
        return None
    parsed = json_comments.parse(text.value)
    version = parsed.value.get("version") if isinstance(parsed, Ok) and isinstance(parsed.value, dict) else None
    return version if isinstance(version, str) else None
