"""The Unity package that this installation brings, and its life in a project: install, update, remove, compare.

Two forms: a copy under ``Packages/`` (embedded: the project carries it, and a team shares it), or a ``file:`` line in
``Packages/manifest.json`` that refers to this installation. Unity prefers the copy where both are there, so a project
is left with one of them only.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Dict, List, Optional, Set

from unity_bridge.installation.file_edit import FileEdit, read_text
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.result import Err, Ok, Result
from unity_bridge.version import __version__

PACKAGE_NAME = "com.unitybridge.editor"

# At the project's top: inside Packages/ Unity would take a second copy for a package of its own.
_BACKUPS = ".unity-bridge-backup"
_MANIFEST = "package.json"
_DEREFERENCED = "Took the reference out of"
_NOT_SHIPPED = "This installation lacks the Unity package; install unity-bridge again"


class PluginForm(Enum):
    """How a project has the plugin."""

    ABSENT = "absent"
    EMBEDDED = "embedded"
    REFERENCE = "reference"


@dataclass(frozen=True)
class InstalledPlugin:
    """What a project has. ``version`` is ``None`` where it cannot be told; ``place`` is the folder or the manifest's
    value. ``is_ours``: every file as this installation brings it."""

    form: PluginForm
    place: str = ""
    version: Optional[str] = None
    is_ours: bool = False

    @property
    def differs(self) -> bool:
        return self.version != __version__


@dataclass
class Report:
    """What was done, a sentence each, in order; nothing if there was nothing to do."""

    done: List[str] = field(default_factory=list)


def shipped_package() -> Path:
    """The package's folder in this installation."""
    return Path(__file__).resolve().parent.parent / "unity_package"


def installed_plugin(project: UnityProject) -> Result[InstalledPlugin, str]:
    """What the project has now; or why that cannot be told."""
    folder = project.packages / PACKAGE_NAME
    if folder.is_dir():
        is_ours = _differing(shipped_package(), folder) == set()
        return Ok(InstalledPlugin(PluginForm.EMBEDDED, str(folder), _version_in(folder), is_ours))
    dependencies = project.dependencies()
    if isinstance(dependencies, Err):
        return dependencies
    place = dependencies.value.get(PACKAGE_NAME)
    if place is None:
        return Ok(InstalledPlugin(PluginForm.ABSENT))
    referred = _referred(project, str(place))
    version = str(place) if referred is None else _version_in(referred)
    is_ours = referred is not None and referred == shipped_package()
    return Ok(InstalledPlugin(PluginForm.REFERENCE, str(place), version, is_ours))


def embed(project: UnityProject) -> Result[Report, str]:
    """Have the project carry a copy that is equal to this installation's package, and refer to none elsewhere."""
    report = Report()
    # The manifest first: if it cannot be parsed, nothing at all is done.
    reference = project.with_dependency(PACKAGE_NAME, None)
    if isinstance(reference, Err):
        return reference
    if not shipped_package().is_dir():
        return Err(_NOT_SHIPPED)
    folder = project.packages / PACKAGE_NAME
    try:
        if folder.is_symlink():
            # What it leads to is somebody's work, and not this project's to overwrite.
            report.done.append(f"Removed the link {folder} to {os.readlink(str(folder))}.")
            folder.unlink()
        if not folder.exists():
            _copy_in_one_step(project, folder)
            report.done.append(f"Copied the plugin {__version__} to {folder}.")
        elif _differing(shipped_package(), folder):
            report.done.append(f"Kept a copy of what was there in {_backed_up(project, folder)}.")
            _make_equal(shipped_package(), folder)
            report.done.append(f"Brought the plugin in {folder} to {__version__}.")
    except OSError as error:
        return Err(f"{folder} cannot be written: {error.strerror or error}")
    return _carried_out(reference.value, _DEREFERENCED, report)


def refer(project: UnityProject) -> Result[Report, str]:
    """Have the project refer to this installation's package, and carry no copy."""
    report = Report()
    if not shipped_package().is_dir():
        return Err(_NOT_SHIPPED)
    edit = project.with_dependency(PACKAGE_NAME, "file:" + shipped_package().as_posix())
    if isinstance(edit, Err):
        return edit
    edited = _carried_out(edit.value, f"Referred to {shipped_package()} in", report)
    return edited if isinstance(edited, Err) else _without_copy(project, report)


def remove(project: UnityProject) -> Result[Report, str]:
    """Take the plugin out of the project, in whichever form it is there. Its settings file stays."""
    report = Report()
    edit = project.with_dependency(PACKAGE_NAME, None)
    if isinstance(edit, Err):
        return edit
    edited = _carried_out(edit.value, _DEREFERENCED, report)
    return edited if isinstance(edited, Err) else _without_copy(project, report)


def _carried_out(edit: FileEdit, what: str, report: Report) -> Result[Report, str]:
    """Make an edit of the manifest, if there is anything to it; ``what`` was done ends where the file's name begins."""
    if edit.changes:
        applied = edit.apply()
        if isinstance(applied, Err):
            return Err(f"{edit.path} {applied.error}")
        report.done.append(f"{what} {edit.path} (backup: {applied.value}).")
    return Ok(report)


def _without_copy(project: UnityProject, report: Report) -> Result[Report, str]:
    folder = project.packages / PACKAGE_NAME
    try:
        if folder.is_symlink():
            folder.unlink()
            report.done.append(f"Removed the link {folder}.")
        elif folder.is_dir():
            if _differing(shipped_package(), folder):
                report.done.append(f"Kept a copy of what was there in {_backed_up(project, folder)}.")
            shutil.rmtree(str(folder))
            report.done.append(f"Removed {folder}.")
    except OSError as error:
        return Err(f"{folder} cannot be removed: {error.strerror or error}")
    return Ok(report)


# Files


def _files(folder: Path) -> Dict[str, Path]:
    """Relative name -> file. Hidden ones are nobody's: Unity ignores them."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def _differing(source: Path, target: Path) -> Set[str]:
    """Names of the files that are not the same in both. Line ends do not count: version control changes them."""
    ours, theirs = _files(source), _files(target)
    return {
        name
        for name in ours.keys() | theirs.keys()
        if name not in ours or name not in theirs or _content(ours[name]) != _content(theirs[name])
    }


def _content(path: Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n")


def _copy_in_one_step(project: UnityProject, folder: Path) -> None:
    """Unity never sees half a package: it is made elsewhere in the project and moved to its place."""
    staging = project.root / _BACKUPS / f"new-{os.getpid()}"
    try:
        shutil.copytree(str(shipped_package()), str(staging), ignore=shutil.ignore_patterns(".*"))
        os.replace(str(staging), str(folder))
    finally:
        shutil.rmtree(str(staging), ignore_errors=True)
        _drop_if_empty(staging.parent)


def _make_equal(source: Path, folder: Path) -> None:
    """File by file, because a folder that Unity is reading cannot be moved on Windows; ``package.json`` last, so that
    a copy left half-way does not claim the new version. Doing it again finishes it."""
    ours, theirs = _files(source), _files(folder)
    for name in sorted(_differing(source, folder), key=lambda name: (name == _MANIFEST, name)):
        target = folder / name
        if name not in ours:
            theirs[name].unlink()
            _drop_if_empty(target.parent)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{target.name}.new")
        shutil.copyfile(str(ours[name]), str(temporary))
        os.replace(str(temporary), str(target))


def _backed_up(project: UnityProject, folder: Path) -> Path:
    version = _version_in(folder) or "unknown"
    number = 1
    while True:
        backup = project.root / _BACKUPS / f"{PACKAGE_NAME}-{version}-{number}"
        if not backup.exists():
            shutil.copytree(str(folder), str(backup))
            return backup
        number += 1


def _drop_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        pass


def _version_in(folder: Path) -> Optional[str]:
    text = read_text(folder / _MANIFEST)
    if isinstance(text, Err) or text.value is None:
        return None
    try:
        version = json.loads(text.value).get("version")
    except (ValueError, AttributeError):
        return None
    return version if isinstance(version, str) else None


def _referred(project: UnityProject, place: str) -> Optional[Path]:
    """The folder that a ``file:`` reference means; relative ones start at ``Packages/``."""
    if not place.startswith("file:"):
        return None
    path = project.packages / place[len("file:") :]
    return path.resolve()
