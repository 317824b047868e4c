"""Tries whether a client can start this program by the words of an entry, before they are written.

A server of this machine is asked for its version. A server across a border gets `initialize`, because a
program in between may print or drop something.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO, List, Mapping, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.command_line import quoted
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import quoted as quoted_text
from unity_bridge.text.foreign_text import visible_line

# The launcher of a clone may have to prepare its environment first.
_LIMIT_S = 300.0
# For the first line, and again for the end: ssh may have to connect first.
_BORDER_S = 20.0
_MOST_BYTES = 65536
_INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"unity-bridge client add","version":"1"}}}\n'
)


def first_that_starts(programs: Sequence[List[str]], entrys: Mapping[str, str]) -> Result[List[str], str]:
    """Return the first of the command lines that starts with the variables that an entry sets; ``Err`` says how the
    last one failed."""
    why = "there is none"
    for program in programs:
        tried = _tried(program, {**os.environ, **entrys})
        if isinstance(tried, Ok):
            return Ok(program)
        why = f"{quoted([*program, '--version'])} failed: {tried.error}"
    return Err(why)


def _tried(program: List[str], environ: Mapping[str, str]) -> Result[None, str]:
    try:
        done = subprocess.run(
            [*program, "--version"],
            # Not the working directory: a client starts it in any folder.
            cwd=os.path.dirname(sys.executable),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Err(str(error))
    if done.returncode == 0:
        return Ok(None)
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return Err(visible_line(lines[-1]) if lines else f"exit status {done.returncode}")


def answers_across(words: Sequence[str], seconds: float = _BORDER_S) -> Result[None, str]:
    """Start ``words`` as a client does; ``Err`` says why no server of ours speaks at their other end (SPEC §23).

    The server gets port 0, which disturbs no editor. ``seconds``: for its first line, and again for its end."""
    try:
        process = subprocess.Popen(
            [*words, "--port", "0"],
            cwd=os.path.dirname(sys.executable),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Away from the terminal: there ssh would ask for a password, as it cannot in a client.
            start_new_session=True,
        )
    except OSError as error:
        return Err(str(error))
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    first, errors = _Reader(process.stdout), _Reader(process.stderr)
    try:
        # It may have ended already; then its stderr says more than the pipe does.
        with suppress(OSError):
            process.stdin.write(_INITIALIZE)
            process.stdin.flush()
        came = first.line_within(seconds)
        with suppress(OSError):
            process.stdin.close()
        if not came:
            return Err(f"no line came within {seconds:.0f} s{errors.told()}")
        if not _is_ours(first.line):
            if not first.line:
                process.wait(seconds)
                return Err(f"it ended with exit status {process.returncode} and no line{errors.told()}")
            return Err(
                f"its first line is not the server's answer: '{quoted_text(_text(first.line))}'. If a shell's "
                "profile or a banner prints it, make that silent without a terminal"
            )
        status = process.wait(seconds)
        return Ok(None) if status == 0 else Err(f"it ended with exit status {status}{errors.told()}")
    except subprocess.TimeoutExpired:
        return Err(f"it did not end within {seconds:.0f} s after its stdin was closed{errors.told()}")
    finally:
        with suppress(OSError):
            process.stdin.close()
        _end(process)
        for reader in (first, errors):
            reader.wait_for_end()


class _Reader:
    """Reads a pipe until its end on a thread of its own, so that the writer never blocks; keeps little of it."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.line, self._last = b"", b""
        self._has_line, self._has_end = threading.Event(), threading.Event()
        self._pipe = pipe
        threading.Thread(target=self._read, name="trial-reader", daemon=True).start()

    def line_within(self, seconds: float) -> bool:
        return self._has_line.wait(seconds)

    def told(self) -> str:
        """The last line, as the end of a sentence."""
        self.wait_for_end()
        return f": '{quoted_text(_text(self._last))}'" if self._last else ""

    def wait_for_end(self) -> None:
        # Not longer: a process that outlives the near side may keep the pipe open.
        self._has_end.wait(1.0)

    def _read(self) -> None:
        with suppress(OSError), self._pipe:
            self.line = self._last = self._pipe.readline(_MOST_BYTES).strip()
            self._has_line.set()
            for line in iter(lambda: self._pipe.readline(_MOST_BYTES), b""):
                self._last = line.strip() or self._last
        self._has_line.set()
        self._has_end.set()


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def _is_ours(line: bytes) -> bool:
    try:
        answer = json_reader.loads(line.decode("utf-8"))
        return bool(answer["id"] == 1 and answer["result"]["serverInfo"]["name"] == "unity-bridge")
    except (ValueError, KeyError, TypeError):
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left on this side: programs that cross borders start others."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
