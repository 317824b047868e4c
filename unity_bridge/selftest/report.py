"""The report of a self-test (SPEC §25.3): what each row found, and what the editor did.

It is made to be sent to others, so it has no user name, no path outside the scratch project, and nothing of the
environment.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from unity_bridge.base.frozen import frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.safe_files import write_named
from unity_bridge.selftest.row import Row
from unity_bridge.version import __version__

PASS, FAIL, SKIPPED = "pass", "fail", "skipped"
MOST_EVENTS = 20_000

_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")
_RELEASE = re.compile(r"\d+(\.\d+){0,2}")
# Other absolute paths, of POSIX and of Windows, UNC too.
_PATH = re.compile(
    r"(?:(?<![\w.<>-])~?/|\b[A-Za-z]:[\\/]|(?<![\w>])\\\\)[^\s'\"<>|*?]*[^\s'\"<>|*?.,;:)]"
)
_KINDS = re.compile(r"[a-z_]{1,40}")


@frozen
class RowResult:
    """``status`` is ``PASS``, ``FAIL`` or ``SKIPPED``; ``expected`` and ``seen`` belong to the step that failed.
    ``pictures``: ``data:`` URLs of those that the row took of the scratch project, for the page alone."""

    row: Row
    status: str
    ms: int = 0
    reason: Optional[str] = None
    expected: Any = None
    seen: Any = None
    pictures: Tuple[str, ...] = ()


@dataclass
class SelftestReport:
    """What a self-test has found so far. Times are in UTC."""

    started: str
    unity_version: str = "unknown"
    plugin_version: str = "unknown"
    seconds: float = 0.0
    rows: List[RowResult] = field(default_factory=list)
    events: List[List[Any]] = field(default_factory=list)

    def count(self, status: str) -> int:
        return sum(1 for row in self.rows if row.status == status)

    @property
    def exit_status(self) -> int:
        """1 if a row failed, or if none passed or failed."""
        if self.count(FAIL) or not self.count(PASS):
            return 1
        return 0

    def as_json(self, private: Private) -> Dict[str, Any]:
        return {
            "schema_version": 1,
            "unity_version": _plain(self.unity_version),
            "system": _system(),
            "plugin_version": _plain(self.plugin_version),
            "server_version": __version__,
            "started": self.started,
            "seconds": round(self.seconds, 1),
            "rows": [_row(row, private) for row in self.rows],
            "events": [
                event for event in map(_event, self.events[:MOST_EVENTS]) if event is not None
            ],
        }


class Private:
    """What the report must not have, and what stands in its place."""

    def __init__(self, places: Mapping[str, str], names: Iterable[str]) -> None:
        """``places``: folders, and what to call each. ``names``: words that name the user or the
        machine.
        """
        spelt = {
            spelling: called
            for path, called in places.items()
            if path
            for spelling in _spellings(path)
        }
        # The longest first: one folder lies in another.
        self._places = sorted(spelt.items(), key=lambda item: -len(item[0]))
        words = sorted({name for name in names if name}, key=lambda name: -len(name))
        self._names = [
            re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in words
        ]

    @staticmethod
    def of_this_user(project: str, other_places: Mapping[str, str]) -> Private:
        home = os.path.expanduser("~")
        names = [
            socket.gethostname(),
            socket.gethostname().partition(".")[0],
            os.path.basename(home.rstrip("/\\")),
        ]
        for variable in ("USER", "LOGNAME", "USERNAME", "COMPUTERNAME", "HOSTNAME"):
            names.append(os.environ.get(variable, ""))
        with suppress(KeyError, OSError, ImportError):
            names.append(getpass.getuser())
        places = {
            **other_places,
            tempfile.gettempdir(): "TEMP",
            sys.prefix: "PYTHON",
            home: "HOME",
            project: "PROJECT",
        }
        return Private({path: called for path, called in places.items() if len(path) > 1}, names)

    def without(self, value: Any) -> Any:
        """``value`` with every text in it made harmless, keys of objects too."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, Mapping):
            return {self._text(str(name)): self.without(member) for name, member in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.without(member) for member in value]
        return value

    def _text(self, text: str) -> str:
        for path, called in self._places:
            text = called.join(re.split(re.escape(path), text, flags=re.IGNORECASE))
        # Before the rest of the paths: a name may have a character that ends a path.
        for name in self._names:
            text = name.sub("USER", text)
        return _PATH.sub("<path>", text)


def write(path: Path, text: str) -> Result[Path, str]:
    """Write the file whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_named(path, text.encode("utf-8"))
    except OSError as error:
        return Err(f"{path} cannot be written: {error.strerror or error}")
    return Ok(path)


def _row(result: RowResult, private: Private) -> Dict[str, Any]:
    row = result.row
    fields: Dict[str, Any] = {
        "name": row.name,
        "group": row.group,
        "proves": row.proves,
        "status": result.status,
    }
    if result.status == FAIL:
        fields["expected"] = result.expected
        fields["seen"] = private.without(result.seen)
    if result.reason is not None:
        fields["reason"] = private.without(result.reason)
    return {**fields, "ms": result.ms}


def _event(event: Sequence[Any]) -> Optional[List[Any]]:
    """Of the editor's words only kinds are taken, and numbers."""
    if len(event) < 2 or not isinstance(event[1], str) or not _KINDS.fullmatch(event[1]):
        return None
    at, kind, *values = event
    if not _is_number(at):
        return None
    return [at, kind, *(value for value in values[:4] if _is_number(value))]


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(version: str) -> str:
    if _VERSION.fullmatch(version):
        return version
    return "unknown"


def _system() -> str:
    """Return the kind of system, its release and its processor; nothing that a user has named."""
    release = _RELEASE.match(platform.release())
    return " ".join(
        part for part in (platform.system(), release and release[0], platform.machine()) if part
    )


def _spellings(path: str) -> Tuple[str, ...]:
    """Return a path as programs write it: with links resolved, with slashes of either kind, and as
    JSON escapes it.
    """
    spellings = {path, os.path.realpath(path), os.path.abspath(path)}
    spellings |= {spelling.replace("\\", "/") for spelling in spellings} | {
        spelling.replace("/", "\\") for spelling in spellings
    }
    return tuple(spellings | {json.dumps(spelling)[1:-1] for spelling in spellings})
