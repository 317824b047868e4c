"""A change to a file of somebody else's: shown before it is made, backed up, and made in one step or not at all."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from unity_bridge.result import Err, Ok, Result

_BACKUP = ".unity-bridge-backup"


def read_text(path: Path) -> Result[Optional[str], str]:
    """The file's text with its line ends as they are, ``None`` if there is no file; or why it cannot be read."""
    try:
        return Ok(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return Ok(None)
    except UnicodeDecodeError:
        return Err("is not UTF-8 text")
    except OSError as error:
        return Err(f"cannot be read: {error.strerror or error}")


@dataclass(frozen=True)
class FileEdit:
    """``path`` is to hold ``after`` instead of ``before`` (``None``: it does not exist yet)."""

    path: Path
    before: Optional[str]
    after: str

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        """The change as a unified diff; empty if there is none."""
        old = (self.before or "").splitlines(keepends=True)
        new = self.after.splitlines(keepends=True)
        source = os.devnull if self.before is None else str(self.path)
        lines = difflib.unified_diff(old, new, source, str(self.path))
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)

    def apply(self) -> Result[Optional[Path], str]:
        """Make the change; where the backup lies, if there was anything to back up. Otherwise why nothing was done."""
        # Dotfiles are often links into a repository: the link stays, its target changes.
        target = Path(os.path.realpath(str(self.path)))
        current = read_text(target)
        if isinstance(current, Err):
            return current
        if current.value != self.before:
            return Err("was changed by another program meanwhile; try again")
        try:
            backup = None if self.before is None else _backed_up(target)
            _replace(target, self.after)
        except (OSError, UnicodeEncodeError) as error:
            return Err(f"cannot be written: {getattr(error, 'strerror', None) or error}")
        return Ok(backup)


def _backed_up(path: Path) -> Path:
    """A copy beside the file, under the first free name: an earlier backup may hold the only good state."""
    number = 1
    while True:
        backup = path.with_name(f"{path.name}{_BACKUP}-{number}")
        try:
            # Reserved first, with the narrowest rights: the file may hold its owner's secrets.
            os.close(os.open(str(backup), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            number += 1
            continue
        shutil.copy2(str(path), str(backup))
        return backup


def _replace(path: Path, text: str) -> None:
    """Readers see the old text or the new one, and never half of it."""
    content = text.encode("utf-8")
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=str(path.parent))
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if path.exists():
            shutil.copymode(str(path), temporary)
        os.replace(temporary, str(path))
    except BaseException:
        os.unlink(temporary)
        raise
