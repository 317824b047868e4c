"""Which editor ``open`` started for a project: one file for each, in the user's state folder (SPEC
§22.2).

The starter writes the record before it starts the program, and again when it knows the pid. If it is killed between the
two, the next reader finds the process by its log file, which no other process has in its arguments.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import List, Optional

from unity_bridge.base.frozen import changed, frozen
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.editor_life import processes
from unity_bridge.launch.file_lock import Locked
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.system.whole_file import write_whole
from unity_bridge.text import json_reader
from unity_bridge.trust.secret import read_private
from unity_bridge.trust.state_folder import state_folder

LOG_OPTION = "-logFile"

_FOLDER = "editors"
_LOGS = "logs"
_MOST_BYTES = 64 * 1024
_MOST_RECORDS = 1000
_LOGS_KEPT = 10
# By the annotation of a field, what a record may have there. A person may have edited the file.
_TYPES = {
    "str": (str,),
    "bool": (bool,),
    "Optional[int]": (int, type(None)),
    "Optional[str]": (str, type(None)),
}
# What the program writes to stderr lies next to its log.
ERRORS_ENDING = ".stderr"


@frozen
class StartedEditor:
    """``project``: its canonical path. ``pid`` and ``process_start``: None until the program has started. ``at``: RFC
    3339. ``version``: empty if it is not known."""

    project: str
    program: str
    version: str
    found_by: str
    log: str
    at: str
    headless: bool = False
    port: Optional[int] = None
    pid: Optional[int] = None
    process_start: Optional[str] = None

    @property
    def is_alive(self) -> bool:
        """Whether that very process lives: another one may have its pid by now."""
        return processes.lives(self.pid, self.process_start)


class EditorRecords:
    """The records of this user. Raises ``OSError`` where the state folder cannot be written to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lock(self, project: str) -> Locked:
        """Held only while one ``open`` checks and starts. It dies with its holder."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Locked(str(self._path(project, ".lock")))

    def read(self, project: str) -> Optional[StartedEditor]:
        """Return the editor that was started last for the project at this path, whether it lives or
        not.
        """
        record = _read(self._path(project, ".json"))
        if record is None or record.project != canonical_path(project):
            return None
        return _with_pid(record)

    def living(self, project: str) -> Optional[StartedEditor]:
        """Return the editor that was started for the project, if its process lives."""
        record = self.read(project)
        if record is not None and record.is_alive:
            return record
        return None

    def all_living(self) -> List[StartedEditor]:
        return [record for record in self.all() if record.is_alive]

    def all(self) -> List[StartedEditor]:
        """Return the editor that was started last for each project, whether it lives or not."""
        try:
            names = sorted(os.listdir(self._folder))[:_MOST_RECORDS]
        except OSError:
            return []
        records = (_read(self._folder / name) for name in names if name.endswith(".json"))
        return [_with_pid(record) for record in records if record is not None]

    def write(self, project: str, editor: StartedEditor) -> None:
        text = json.dumps(asdict(editor), ensure_ascii=False) + "\n"
        write_whole(
            self._path(project, ".json"), text.encode("utf-8", "surrogatepass"), is_private=True
        )

    def new_log(self, project: str, at: str) -> str:
        """Return a path for the log of an editor that is about to start.

        Older logs than the newest are removed, except a living editor's.
        """
        folder = self._folder / _LOGS
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._remove_old(folder)
        stamp = "".join(letter for letter in at if letter.isalnum())
        return str(folder / f"{stamp}-{os.getpid()}-{_key(project)[:8]}.log")

    def _remove_old(self, folder: Path) -> None:
        living_logs = {record.log for record in self.all_living()}
        logs = sorted(path for path in folder.glob("*.log") if str(path) not in living_logs)
        # One more is about to be made.
        for path in logs[: max(0, len(logs) - (_LOGS_KEPT - 1))]:
            for file in (path, Path(f"{path}{ERRORS_ENDING}")):
                with suppress(OSError):
                    file.unlink()

    def _path(self, project: str, ending: str) -> Path:
        return self._folder / f"{_key(project)}{ending}"


def editor_records() -> Result[EditorRecords, str]:
    """Return the records in the user's state folder; ``Err`` says why there can be none."""
    folder = state_folder()
    if isinstance(folder, Err):
        return folder
    return Ok(EditorRecords(folder.value / _FOLDER))


def _key(project: str) -> str:
    return hashlib.sha256(canonical_path(project).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _with_pid(record: StartedEditor) -> StartedEditor:
    """Its starter may have been killed before it could write the pid down."""
    if record.pid is not None:
        return record
    pid = processes.pid_with_arguments([LOG_OPTION, record.log])
    if pid is None:
        return record
    return changed(record, pid=pid, process_start=processes.start_of(pid))


def _read(path: Path) -> Optional[StartedEditor]:
    """None for a file that is missing, that somebody else could write, or that is none of these
    records.
    """
    try:
        content = json_reader.loads((read_private(path, _MOST_BYTES) or b"").decode("utf-8"))
        record = StartedEditor(
            **{field.name: content[field.name] for field in fields(StartedEditor)}
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    has_types = all(
        type(getattr(record, field.name)) in _TYPES[str(field.type)]
        for field in fields(StartedEditor)
    )
    is_possible = has_types and 0 <= (record.port or 0) < 2**16 and 0 < (record.pid or 1) < 2**31
    if is_possible:
        return record
    return None
