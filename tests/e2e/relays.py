"""``SamePortRelay``: the attack program of ``same_port_relay.py`` as a process, and the lines that
it prints.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Callable, List

from tests.e2e.bridge_process import GUARD_S


class SamePortRelay:
    """A context manager. The port is the relay's from the beginning of the block."""

    def __init__(self, port: int, path: str, address: str = "") -> None:
        program = str(Path(__file__).with_name("same_port_relay.py"))
        self._command = [
            sys.executable,
            "-I",
            program,
            str(port),
            path,
            *([address] if address else []),
        ]
        self._changed = threading.Condition()
        self._said: List[str] = []  # guarded by _changed

    def __enter__(self) -> SamePortRelay:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, encoding="utf-8")
        self._reader = threading.Thread(target=self._read, name="relay lines")
        self._reader.start()
        self.wait_for(lambda word: word == "listening")
        return self

    def __exit__(self, *_: Any) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(GUARD_S)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def wait_for(self, is_it: Callable[[str], bool]) -> str:
        """The first line that ``is_it``."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(is_it, self._said)), GUARD_S), self._said
            return next(filter(is_it, self._said))

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self._said.append(line.rstrip("\n"))
                self._changed.notify_all()
