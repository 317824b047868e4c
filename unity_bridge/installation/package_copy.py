"""A project's own copy of the Unity package: create, compare, update, back up and remove it.

Everything happens inside the project. Its content is not trusted: a link in it is refused, because reading and writing
would leave the project, and no file name is built from the content of a file (SPEC §20.7).
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Dict, Iterator, Set

from unity_bridge.installation.safe_files import (
    Refused,
    is_link,
    is_read_only,
    move_folder,
    refuse_links,
)
from unity_bridge.installation.unity_project import UnityProject
from unity_bridge.system.whole_file import patiently, write_whole

PACKAGE_NAME = "com.unitybridge.editor"
MANIFEST = "package.json"

# A project from elsewhere may have a package of any size, and a backup of it fills the disk.
_MOST_FILES = 10_000
_MOST_BYTES = 64 * 1024 * 1024
_MOST_LEVELS = 100


def shipped_package() -> Path:
    """Return the package's folder in this installation."""
    return Path(__file__).resolve().parent.parent / "unity_package"


def differing(folder: Path) -> Set[str]:
    """Return the names of the files that differ from this installation.

    Line ends do not count, because version control changes them. Raises ``OSError`` if the folder cannot be read, and
    ``Refused`` if it contains a link.
    """
    shipped, installed = _files(shipped_package()), _files(folder)
    return {
        name
        for name in shipped.keys() | installed.keys()
        if name not in shipped
        or name not in installed
        or not _has_same_content(shipped[name], installed[name])
    }


def put(project: UnityProject, folder: Path) -> None:
    """Create the copy.

    It is built elsewhere in the project and then moved, so that Unity never sees half a package.
    """
    refuse_links(project.root, folder)
    with _workshop(project, "new-") as staging:
        copy = staging / PACKAGE_NAME
        _copy(shipped_package(), copy)
        move_folder(copy, folder)


def make_equal(project: UnityProject, folder: Path, names: Set[str]) -> None:
    """Make the files ``names`` equal to this installation.

    File by file, because a folder that Unity is reading cannot be moved on Windows; ``package.json`` last, so that a
    partial update does not claim the new version. Running it again completes it.
    """
    refuse_links(project.root, folder)
    shipped = _files(shipped_package())
    for name in sorted(names, key=lambda name: (name == MANIFEST, name)):
        target = folder / name
        refuse_links(folder, target)
        if name in shipped:
            write_whole(target, shipped[name].read_bytes())
        else:
            patiently(target.unlink)
            _drop_if_empty(target.parent)


def refuse_read_only(folder: Path, names: Set[str]) -> None:
    """Raise ``Refused`` if one of the files may not be changed; Perforce keeps them read-only until they are checked
    out."""
    read_only = sorted(name for name in names if is_read_only(folder / name))
    if read_only:
        suffix = f" and {len(read_only) - 1} more are" if len(read_only) > 1 else " is"
        raise Refused(
            f"{read_only[0]}{suffix} read-only: check them out, or make them writable, and try again"
        )


def keep_aside(project: UnityProject, folder: Path) -> Path:
    """Copy the folder to a new name and return its path.

    An earlier copy is never replaced, because it may be the only good state.
    """
    number = 1
    while True:
        backup = project.backups / f"{PACKAGE_NAME}-{number}"
        refuse_links(project.root, backup)
        try:
            backup.mkdir(parents=True)
        except FileExistsError:
            number += 1
            continue
        _copy(folder, backup)
        return backup


def take_away(project: UnityProject, folder: Path) -> None:
    """Remove the folder completely, or leave it as it is.

    A link inside is removed; its target stays.
    """
    refuse_links(project.root, folder)
    with _workshop(project, "old-") as leaving:
        move_folder(folder, leaving / PACKAGE_NAME)


@contextmanager
def _workshop(project: UnityProject, prefix: str) -> Iterator[Path]:
    """Yield a new folder, and remove it and what is left of earlier ones, in which a file was in
    use.

    It is in Library, which version control ignores. Unity would import a second copy inside Packages as a package.
    """
    own_folder = project.own_folder
    refuse_links(project.root, own_folder)
    own_folder.mkdir(parents=True, exist_ok=True)
    try:
        yield Path(tempfile.mkdtemp(prefix=prefix, dir=str(own_folder)))
    finally:
        for old in own_folder.glob(f"{prefix}*"):
            _make_writable(old)
            shutil.rmtree(str(old), ignore_errors=True)
        _drop_if_empty(own_folder)


def _make_writable(folder: Path) -> None:
    """Make the files in the folder writable, because Windows deletes no read-only file.

    The folder is ours, but its links lead to files that are not.
    """
    for place, _, names in os.walk(str(folder)):
        for name in names:
            path = os.path.join(place, name)
            if not os.path.islink(path):
                with suppress(OSError):
                    os.chmod(path, stat.S_IREAD | stat.S_IWRITE)


def refuse_unusual(folder: Path) -> None:
    """Raise ``Refused`` if the folder is too large, too deep, or contains a link; before anything
    is changed.
    """
    if folder.is_dir() and not is_link(folder):
        _files(folder)


def _files(folder: Path) -> Dict[str, Path]:
    """Return relative name -> file, without hidden files, which Unity ignores. ``Refused``: more
    than can be kept.
    """
    files: Dict[str, Path] = {}
    size = 0
    for path in _walked(folder, _MOST_LEVELS):
        files[path.relative_to(folder).as_posix()] = path
        size += path.stat().st_size
        if len(files) > _MOST_FILES or size > _MOST_BYTES:
            most = f"{_MOST_FILES} files or {_MOST_BYTES // 1024 // 1024} MiB"
            raise Refused(
                f"{folder} has more than {most}, so no backup of it is made: move it away yourself"
            )
    return files


def _copy(source: Path, target: Path) -> None:
    """Copy into a new folder that no other program knows yet."""
    for name, path in _files(source).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(str(path), str(target / name))


def _walked(folder: Path, levels: int) -> Iterator[Path]:
    if not levels:
        raise Refused(f"{folder} is nested too deeply: more than {_MOST_LEVELS} levels")
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if is_link(path):
            raise Refused(
                f"{path} is a link: remove it first, nothing is read or written through one"
            )
        if path.is_dir():
            yield from _walked(path, levels - 1)
        elif path.is_file():
            yield path


def _has_same_content(first_path: Path, second_path: Path) -> bool:
    # Each line end may have one character more. A larger file is not read.
    return second_path.stat().st_size <= 2 * first_path.stat().st_size and _content(
        first_path
    ) == _content(second_path)


def _content(path: Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n")


def _drop_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
