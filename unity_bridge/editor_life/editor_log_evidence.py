"""What the log of a starting editor shows, line by line as it grows (SPEC §22.6).

The lines were seen in public logs; ``tests/editor_life/logs/README.md`` says where. A line that shows progress takes
back what earlier lines seemed to show: editors report a missing licensing client at many starts that work out.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Optional, Tuple

from unity_bridge.projects.editor_log import DOMAIN_LOADED, LOADED, OPENED, LogContent, LogReader
from unity_bridge.system.shared_file import open_ordinary
from unity_bridge.text.foreign_text import quoted

_CHUNK_BYTES = 1024 * 1024
_MOST_CHUNKS = 64
_LINE_BYTES_MAX = 64 * 1024
_MOST_QUOTED = 3


class Sign(Enum):
    """What a line of the log is evidence of. The value is the state that it leads to."""

    ANOTHER_INSTANCE = "another_instance"
    LICENCE = "licence"
    # The licensing client does not answer yet: no licence only if the editor ends with it.
    LICENCE_AWAITED = "licence_awaited"
    # A program that the editor needs does not start: the package manager's server ends the start,
    # the others may come.
    HELPER = "helper"
    HELPER_AWAITED = "helper_awaited"
    WATCH_LIMIT = "watch_limit"
    PACKAGE_ERRORS = "package_errors"
    CRASH = "crash"
    DISK_FULL = "disk_full"
    END = "end"


_SIGNS: Tuple[Tuple[str, Sign], ...] = (
    (
        "It looks like another Unity instance is running with this project open",
        Sign.ANOTHER_INSTANCE,
    ),
    ("Multiple Unity instances cannot open the same project", Sign.ANOTHER_INSTANCE),
    ("No valid Unity Editor license found", Sign.LICENCE),
    ("Unity has not been activated with a valid License", Sign.LICENCE),
    ("com.unity.editor.headless was not found", Sign.LICENCE),
    ('waiting for channel: "LicenseClient', Sign.LICENCE_AWAITED),
    ("IPC channel to LicensingClient doesn't exist", Sign.LICENCE_AWAITED),
    ("Failed to start the Unity Package Manager local server process", Sign.HELPER),
    ("Could not connect to IPC stream", Sign.HELPER_AWAITED),
    ("Connectivity with IL Post Processor runner cannot be established", Sign.HELPER_AWAITED),
    ("Can't find file /tmp/ilpp.sock-", Sign.HELPER_AWAITED),
    ("Error when executing service method 'PostProcessAssembly'", Sign.HELPER_AWAITED),
    ("Failed to get socket connection from UnityShaderCompiler", Sign.HELPER_AWAITED),
    # Before the full disk: the system reports both with the same words.
    ("on the number of inotify ", Sign.WATCH_LIMIT),
    ("inotify_add_watch", Sign.WATCH_LIMIT),
    ("An error occurred while resolving packages", Sign.PACKAGE_ERRORS),
    ("Failed to resolve packages: ", Sign.PACKAGE_ERRORS),
    ("No space left on device", Sign.DISK_FULL),
    ("There is not enough space on the disk", Sign.DISK_FULL),
    ("Caught fatal signal", Sign.CRASH),
    ("Native Crash Reporting", Sign.CRASH),
    ("while executing native code", Sign.CRASH),
    ("Crash!!!", Sign.CRASH),
    ("Application will terminate with return code", Sign.END),
    ("Exiting batchmode successfully now", Sign.END),
    ("Exiting without the bug reporter", Sign.END),
)
# After these the licence is no longer in question, or the project is open here and nowhere else.
_PROGRESS = (OPENED, "Licenses updated successfully", "Initialize engine version: ")
# After these the code of the project is loaded: packages are resolved and helpers run.
_CODE_LOADED = ("*** Tundra build success", *DOMAIN_LOADED, LOADED)
_TAKEN_BACK = dict.fromkeys((Sign.LICENCE, Sign.LICENCE_AWAITED), (*_PROGRESS, *_CODE_LOADED))
# What another line may explain better.
_EXPLAINED = (Sign.LICENCE_AWAITED, Sign.HELPER_AWAITED, Sign.END)


@dataclass
class LogEvidence:
    """``lines``: those that show ``sign``, quoted. ``last``: the log's last line. ``silent_ms``: for how long the log
    has not grown; None before its first line. ``sign_ms``: for how long ``sign`` has been there. ``has_loaded``: the
    project is loaded, and so are its packages."""

    sign: Optional[Sign] = None
    lines: Tuple[str, ...] = ()
    content: LogContent = field(default_factory=LogContent)
    last: str = ""
    silent_ms: Optional[int] = None
    ends_as_a_crash: bool = False
    has_loaded: bool = False
    sign_ms: int = 0


class LogFollower:
    """Reads a log of our own name as it grows. Never raises; a log that cannot be read shows
    nothing.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._offset = 0
        self._rest = b""
        self._reader = LogReader(None)
        self._seen = LogEvidence()
        self._grew_at: Optional[float] = None
        self._sign_at = 0.0

    def read(self, now: float) -> LogEvidence:
        """Return what the log shows now. ``now``: for how long it is silent."""
        for _ in range(_MOST_CHUNKS):
            if not self._read_chunk(now):
                break
        silent_ms = None if self._grew_at is None else round((now - self._grew_at) * 1000)
        sign_ms = 0 if self._seen.sign is None else round((now - self._sign_at) * 1000)
        return replace(
            self._seen, content=self._reader.content(), silent_ms=silent_ms, sign_ms=sign_ms
        )

    def _read_chunk(self, now: float) -> bool:
        try:
            with open_ordinary(self._path) as stream:
                if os.fstat(stream.fileno()).st_size < self._offset:
                    self._begin()  # it was begun again
                stream.seek(self._offset)
                chunk = stream.read(_CHUNK_BYTES)
        except OSError:
            return False
        if not chunk:
            return False
        self._offset += len(chunk)
        self._grew_at = now
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._rest = self._rest[:_LINE_BYTES_MAX]
        for line in lines:
            self._line(line[:_LINE_BYTES_MAX].decode("utf-8", "replace").rstrip("\r"))
        return True

    def _line(self, line: str) -> None:
        if not line.strip():
            return
        self._reader.read(line)
        evidence = self._seen
        evidence.last = quoted(line)
        evidence.has_loaded = evidence.has_loaded or line.startswith(LOADED)
        if evidence.sign is not None and line.startswith(
            _TAKEN_BACK.get(evidence.sign, _CODE_LOADED)
        ):
            evidence.sign, evidence.lines, evidence.ends_as_a_crash = None, (), False
        sign = next((sign for text, sign in _SIGNS if text in line), None)
        if sign is None:
            return
        evidence.ends_as_a_crash = sign is Sign.CRASH or (
            evidence.ends_as_a_crash and sign is not Sign.END
        )
        # What explains the end comes before it, and the end itself explains nothing.
        if evidence.sign in (None, sign, *_EXPLAINED) and (
            sign is not Sign.END or evidence.sign is None
        ):
            if sign is not evidence.sign:
                evidence.sign, evidence.lines, self._sign_at = sign, (), self._grew_at or 0.0
            evidence.lines = (*evidence.lines, evidence.last)[-_MOST_QUOTED:]
