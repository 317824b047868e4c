"""The Unity package of this installation in a project: install, update, remove and compare it.

It has two forms: a copy under ``Packages/`` (embedded: part of the project, shared by its team), or a line in
``Packages/manifest.json`` that names a source (a folder of this installation, a git repository, a registry's version).
Unity prefers the copy if both exist, so every change leaves only one of them.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import Callable, List, Optional, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result, value_or
from unity_bridge.installation import package_copy, package_place
from unity_bridge.installation.file_edit import FileEdit
from unity_bridge.installation.json_comments import JSON
from unity_bridge.installation.package_copy import MANIFEST, PACKAGE_NAME, shipped_package
from unity_bridge.installation.safe_files import Refused, is_link, read_text, refuse_links, why
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.launch.file_lock import Locked
from unity_bridge.version import __version__

_DEREFERENCED = "Took the reference out of"
_NOT_SHIPPED = "This installation lacks the Unity package; install unity-bridge again"
_NOT_OF_THIS_MACHINE = (
    "That path exists only on this machine, so other members of the team cannot open the project. "
    "Without --reference the project gets a copy that all of them share."
)


class PluginForm(Enum):
    """The form in which a project has the plugin."""

    ABSENT = "absent"
    EMBEDDED = "embedded"
    REFERENCE = "reference"


@frozen
class InstalledPlugin:
    """The plugin of a project.

    ``version`` is None if it is not known; ``place`` is the folder or the manifest's value. ``is_ours``: every file is
    as in this installation. ``missing``: the files that are not there. ``is_elsewhere``: the manifest names a source
    whose version only Unity's Package Manager knows, such as a branch of a git repository.
    """

    form: PluginForm
    place: str = ""
    version: Optional[str] = None
    is_ours: bool = False
    is_elsewhere: bool = False
    missing: Tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        return self.version != __version__ and not self.is_elsewhere


@dataclass
class Report:
    """What was done, one sentence each, in order; empty if there was nothing to do. ``remarks``:
    what else to know.
    """

    done: List[str] = field(default_factory=list)
    remarks: List[str] = field(default_factory=list)


Change = Callable[[UnityProject], Result[Report, str]]


def _alone(change: Change) -> Change:
    """Allow one change of a project at a time: a simultaneous embed and refer would each remove the
    other's form.
    """

    @wraps(change)
    def locked(project: UnityProject) -> Result[Report, str]:
        try:
            lock = project.own_folder / "plugin.lock"
            refuse_links(project.root, lock)
            lock.parent.mkdir(parents=True, exist_ok=True)
            with Locked(str(lock)):
                package_copy.refuse_unusual(_folder(project))
                return change(project)
        except Refused as error:
            return Err(f"{project.packages} cannot be changed: {error.strerror}")
        except OSError as error:
            # For a file that was to be replaced, the error's second name is the file, and the first
            # is the temporary one.
            return Err(
                f"{error.filename2 or error.filename or project.packages} cannot be changed: {why(error)}"
            )

    return locked


def installed_plugin(project: UnityProject) -> Result[InstalledPlugin, str]:
    """Return the plugin that the project has now, or why that is unknown."""
    folder = _folder(project)
    if folder.is_dir():
        try:
            names = package_copy.differing(folder)
        except OSError as error:
            return Err(f"{error.strerror or error}")
        is_ours = not is_link(folder) and not names
        # Unity makes a new .meta file itself.
        missing = tuple(
            name
            for name in sorted(names)
            if not (name.endswith(".meta") or (folder / name).exists())
        )
        return Ok(
            InstalledPlugin(
                PluginForm.EMBEDDED, str(folder), _version_in(folder), is_ours, missing=missing
            )
        )
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = dependencies.value.get(PACKAGE_NAME)
    if place is None:
        return Ok(InstalledPlugin(PluginForm.ABSENT))
    folder_named = package_place.referred_folder(project, str(place))
    referred = None if folder_named is None else Path(os.path.realpath(folder_named))
    version = package_place.named_version(str(place)) if referred is None else _version_in(referred)
    is_ours = referred is not None and referred == shipped_package()
    is_elsewhere = version is None and (referred is None or os.path.isfile(referred))
    return Ok(InstalledPlugin(PluginForm.REFERENCE, str(place), version, is_ours, is_elsewhere))


@_alone
def embed(project: UnityProject) -> Result[Report, str]:
    """Make the project contain a copy that equals this installation's package, and refer to no
    other source.
    """
    # The manifest first: if it cannot be parsed, nothing is changed.
    reference = project.with_dependency(PACKAGE_NAME, None)
    if isinstance(reference, Err):
        return reference
    if not shipped_package().is_dir():
        return Err(_NOT_SHIPPED)
    report, folder = Report(), _folder(project)
    if is_link(folder):
        # The link's target is somebody's work: do not overwrite it, and do not remove the link.
        return Err(
            f"{folder} is a link to {os.path.realpath(str(folder))}: update the package there, or remove the link"
        )
    if not folder.exists():
        project.packages.mkdir(exist_ok=True)
        package_copy.put(project, folder)
        report.done.append(f"Copied the plugin {__version__} to {folder}.")
    else:
        names = package_copy.differing(folder)
        if names:
            package_copy.refuse_read_only(folder, names)
            report.done.append(
                f"Saved the previous files in {package_copy.keep_aside(project, folder)}."
            )
            package_copy.make_equal(project, folder, names)
            report.done.append(f"Brought the plugin in {folder} to {__version__}.")
    return _carried_out(reference.value, _DEREFERENCED, report)


@_alone
def refer(project: UnityProject) -> Result[Report, str]:
    """Make the project refer to this installation's package, and contain no copy.

    A git repository or a registry that the manifest already names stays the source.
    """
    if not shipped_package().is_dir():
        return Err(_NOT_SHIPPED)
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = str(dependencies.value.get(PACKAGE_NAME, ""))
    if not place or package_place.referred_folder(project, place) is not None:
        return _with_place(project, package_place.own_place(project))
    renewed = package_place.renewed(place, project)
    if isinstance(renewed, Err):
        return renewed
    return _with_place(project, renewed.value)


@_alone
def renew(project: UnityProject) -> Result[Report, str]:
    """Change the source that the manifest already names to this version, and keep no copy.

    ``Err`` if that version is not known: the source belongs to the team, and nothing on this machine replaces it.
    """
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = package_place.renewed(str(dependencies.value.get(PACKAGE_NAME, "")), project)
    if isinstance(place, Err):
        return place
    return _with_place(project, place.value)


@_alone
def remove(project: UnityProject) -> Result[Report, str]:
    """Remove the plugin from the project, in whichever form it is there. Its settings file stays."""
    return _with_place(project, None)


def _with_place(project: UnityProject, place: Optional[str]) -> Result[Report, str]:
    """Make the manifest name this source, or none, and keep no copy."""
    edit = project.with_dependency(PACKAGE_NAME, place)
    if isinstance(edit, Err):
        return edit
    verb = _DEREFERENCED
    if place is not None:
        verb = f"Referred to {place} in"
    edited = _carried_out(edit.value, verb, Report())
    if isinstance(edited, Err):
        return edited
    if place is not None and edit.value.changes and package_place.is_path_of_this_machine(place):
        edited.value.remarks.append(_NOT_OF_THIS_MACHINE)
    return _without_copy(project, edited.value)


def _carried_out(edit: FileEdit, verb: str, report: Report) -> Result[Report, str]:
    """Apply an edit of the manifest if it changes anything; the file's name completes the sentence
    ``verb``.
    """
    if edit.changes:
        outcome = edit.carried_out(verb)
        if isinstance(outcome, Err):
            return outcome
        report.done.append(f"{outcome.value}.")
    return Ok(report)


def _without_copy(project: UnityProject, report: Report) -> Result[Report, str]:
    folder = _folder(project)
    if is_link(folder):
        refuse_links(project.root, folder.parent)
        _unlink(folder)
        report.done.append(f"Removed the link {folder}.")
    elif folder.is_dir():
        copy = package_copy.keep_aside(project, folder) if package_copy.differing(folder) else None
        try:
            package_copy.take_away(project, folder)
        except OSError:
            if copy is not None:
                shutil.rmtree(
                    str(copy), ignore_errors=True
                )  # the backup of a package that was not removed
            raise
        if copy is not None:
            report.done.append(f"Saved the previous files in {copy}.")
        report.done.append(f"Removed {folder}.")
    return Ok(report)


def _unlink(link: Path) -> None:
    if link.is_symlink():
        link.unlink()
    else:  # a junction, which Windows treats as a folder
        link.rmdir()


def _folder(project: UnityProject) -> Path:
    return project.packages / PACKAGE_NAME


def _version_in(folder: Path) -> Optional[str]:
    text = value_or(read_text(folder / MANIFEST), None)
    parsed = value_or(JSON.parse(text or ""), None)
    version = None
    if isinstance(parsed, dict):
        version = parsed.get("version")
    if isinstance(version, str):
        return version
    return None
