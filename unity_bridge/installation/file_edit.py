"""A change to another program's file: shown before it is made, backed up, and made in one step or
not at all.
"""

from __future__ import annotations

import difflib
import os
import shutil
from pathlib import Path
from typing import Optional

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.safe_files import (
    MOST_BYTES_OF_THE_USER,
    is_link,
    is_read_only,
    read_text,
    refuse_links,
    why,
)
from unity_bridge.system.whole_file import write_whole

_BACKUP = ".unity-bridge-backup"


@frozen
class FileEdit:
    """The change of the file ``path`` from ``before`` (None: it does not exist yet) to ``after``.

    ``within``: a folder that the change must not leave, even through a link. Without it, a link stays and its target
    changes, because dotfiles are often links into a repository. ``is_private``: if the file is created, only its owner
    may read it.
    """

    path: Path
    before: Optional[str]
    after: str
    within: Optional[Path] = None
    is_private: bool = False

    @property
    def changes(self) -> bool:
        return (self.before or "") != self.after

    def diff(self) -> str:
        """Return the change as a unified diff; empty if there is none."""
        old = (self.before or "").splitlines(keepends=True)
        new = self.after.splitlines(keepends=True)
        source = os.devnull if self.before is None else str(self.path)
        lines = difflib.unified_diff(old, new, source, str(self.path))
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )

    def apply(self) -> Result[Optional[Path], str]:
        """Make the change. Return the path of the backup if one was made, or why nothing was done."""
        try:
            if self.within is not None:
                refuse_links(self.within, self.path)
            target = Path(os.path.realpath(str(self.path)))
            current = read_text(target, MOST_BYTES_OF_THE_USER)
            if isinstance(current, Err):
                return current
            if current.value != self.before:
                return Err("was changed by another program at the same time; try again")
            if is_read_only(target):
                return Err("is read-only: check it out, or make it writable, and try again")
            content = self.after.encode("utf-8")
            backup = None if self.before is None else _backed_up(target, self._backups(target))
            try:
                write_whole(target, content, is_private=self.is_private and self.before is None)
            except OSError:
                if backup is not None:
                    backup.unlink()  # the backup of a change that was not made
                raise
        except UnicodeEncodeError as error:
            return Err(f"cannot be written: {error}")
        except OSError as error:
            return Err(f"cannot be written: {why(error)}")
        return Ok(backup)

    def carried_out(self, verb: str) -> Result[str, str]:
        """Make the change. Return what was ``verb`` to which file, with its backup, or why nothing
        was.
        """
        applied = self.apply()
        if isinstance(applied, Err):
            return Err(f"{self.path} {applied.error}")
        return Ok(
            f"{verb} {self.path}" + ("" if applied.value is None else f" (backup: {applied.value})")
        )

    def _backups(self, target: Path) -> Path:
        """Return the folder for the old state. Next to a project's file it would be in version
        control.
        """
        if (
            self.within is None
            or not (self.within / "Library").is_dir()
            or is_link(self.within / "Library")
        ):
            return target.parent
        backups = self.within / "Library" / "UnityBridge" / "backups"
        refuse_links(self.within, backups)
        return backups


def _backed_up(path: Path, folder: Path) -> Path:
    """Write a copy under the first free name: an earlier backup may be the only good state."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        backup = folder / f"{path.name}{_BACKUP}-{number}"
        try:
            # Created first, with the narrowest rights, because the file may contain its owner's
            # secrets.
            os.close(os.open(str(backup), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            number += 1
            continue
        try:
            shutil.copy2(str(path), str(backup))
        except OSError:
            backup.unlink()  # a partial copy is not a backup
            raise
        return backup
