"""Starts the words of an entry once as a client does, before they are written (SPEC §23.2).

A server that only prints its version could still be cut off: a program in between may print or drop something. So the
trial is a conversation. The server answers ``initialize`` before it imports its packages, so a tool is called too. It
disturbs no editor, because the server gets port 0.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import IO, Callable, List, Mapping, Optional, Sequence

from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.installation.command_line import quoted
from unity_bridge.launch.environment_maker import PREPARES
from unity_bridge.launch.file_lock import WAITS
from unity_bridge.text import json_reader
from unity_bridge.text.foreign_text import quoted as quoted_text
from unity_bridge.text.json_types import JsonDict

# The launcher of a clone may have to prepare its environment first.
_LIMIT_S = 300.0
# For each answer, and again for the end: ssh may have to connect first.
_BORDER_S = 20.0
_MOST_BYTES = 65536
_ANSWERS = 2
# Words of a far launcher, which must first make its environment: then it may take _LIMIT_S.
_TAKES_LONGER = (PREPARES.encode(), WAITS.encode())
# The server repeats it in its answer. A shell on the way may drop what comes after its script: ``sh
# -c unity-bridge``.
PROBE = "trial-of-client-add"
# These come last, so they count over the entry's. Of the log it shows the last line, so that must
# be the error.
_OPTIONS = ("--client-project", PROBE, "--port", "0", "--log-level", "error")
_INITIALIZE = (
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"unity-bridge client add","version":"1"}}}\n'
)
_CALL = (
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_editor_state","arguments":{}}}\n'
)


def first_that_starts(
    programs: Sequence[List[str]], variables: Mapping[str, str]
) -> Result[List[str], str]:
    """Return the first of the command lines that serves with the variables that an entry sets; ``Err`` says how the
    last one failed."""
    why = "there is none"
    for program in programs:
        tried = serves(program, variables, _LIMIT_S)
        if isinstance(tried, Ok):
            return Ok(program)
        why = f"{quoted(program)}: {tried.error}"
    return Err(why)


def serves(
    words: Sequence[str],
    variables: Mapping[str, str],
    seconds: float = _BORDER_S,
    say: Callable[[str], None] = lambda text: None,
) -> Result[None, str]:
    """Start ``words`` as a client does; ``Err`` says why no server of ours speaks at their other
    end.

    ``variables``: the variables that the entry sets. ``seconds``: for each answer, and again for the server's end.
    ``say`` gets a sentence if it takes longer."""
    try:
        process = subprocess.Popen(
            [*words, *_OPTIONS],
            # Not the working directory: a client starts it in any folder.
            cwd=os.path.dirname(sys.executable),
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Away from the terminal: there ssh would ask for a password, as it cannot in a client.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:  # ValueError: a NUL in a word
        return Err(str(error))
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    answers, errors = _Reader(process.stdout), _Reader(process.stderr)

    def failed(text: str) -> Err[str]:
        # Ended first: a question without a line end is read only when its pipe ends.
        _end(process)
        return Err(text + errors.as_clause())

    try:
        _write(process.stdin, _INITIALIZE)
        line = answers.line_within(seconds)
        if line is None and errors.has_said(_TAKES_LONGER):
            say(
                f"It prepares its environment, which may take up to {_LIMIT_S / 60:.0f} minutes ..."
            )
            seconds = _LIMIT_S
            line = answers.line_within(seconds)
        answer = _answer_of_ours(line or b"")
        if answer is not None:
            _write(process.stdin, _CALL)
        second = answers.line_within(seconds) if answer is not None else b""
        with suppress(OSError):
            process.stdin.close()
        if line is None:
            return failed(f"no line came within {seconds:.0f} s")
        if second is None:
            return failed(f"it did not answer a call within {seconds:.0f} s")
        if line and answer is None:
            return Err(
                f"its first line is not the server's answer: '{quoted_text(_text(line))}'. If a shell's "
                "profile or a banner prints it, make that silent without a terminal"
            )
        if answer is not None and PROBE not in str(answer.get("instructions")):
            return Err(
                "it started without the entry's options, which come after these words. A shell passes them on so: "
                """sh -c 'exec unity-bridge "$@"' sh"""
            )
        status = process.wait(seconds)
        if not line:
            return failed(f"it ended with exit status {status} and no line")
        if status != 0 or not second:
            unanswered = "" if second else " and no answer to a call"
            return failed(f"it ended with exit status {status}{unanswered}")
        return Ok(None)
    except subprocess.TimeoutExpired:
        return failed(f"it did not end within {seconds:.0f} s after its stdin was closed")
    finally:
        with suppress(OSError):
            process.stdin.close()
        _end(process)
        for reader in (answers, errors):
            reader.wait_for_end()


class _Reader:
    """Reads a pipe until its end on a thread of its own, so that the writer never blocks; keeps
    little of it.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._last = b""
        self._first_lines: SimpleQueue[bytes] = SimpleQueue()
        self._has_end = threading.Event()
        self._pipe = pipe
        threading.Thread(target=self._read, name="trial-reader", daemon=True).start()

    def line_within(self, seconds: float) -> Optional[bytes]:
        """Return the next line, of the first two; nothing at the end of the pipe; None if none came
        in time.
        """
        try:
            return self._first_lines.get(timeout=seconds)
        except Empty:
            return None

    def has_said(self, texts: Sequence[bytes]) -> bool:
        """Whether one of the texts was in a line that was read until now."""
        return any(text in self._last for text in texts)

    def as_clause(self) -> str:
        """Return the last line, as the end of a sentence."""
        self.wait_for_end()
        if self._last:
            return f": '{quoted_text(_text(self._last))}'"
        return ""

    def wait_for_end(self) -> None:
        # Not longer: a process that outlives the near side may keep the pipe open.
        self._has_end.wait(1.0)

    def _read(self) -> None:
        with suppress(OSError), self._pipe:
            for count, line in enumerate(iter(lambda: self._pipe.readline(_MOST_BYTES), b"")):
                self._last = line.strip() or self._last
                if count < _ANSWERS:
                    self._first_lines.put(line.strip())
        for _ in range(_ANSWERS):
            self._first_lines.put(b"")
        self._has_end.set()


def _write(stdin: IO[bytes], text: bytes) -> None:
    # It may have ended already; then its stderr says more than the pipe does.
    with suppress(OSError):
        stdin.write(text)
        stdin.flush()


def _text(line: bytes) -> str:
    # wsl.exe itself writes UTF-16 (microsoft/WSL#4607). The zero of the line end before may be in
    # front.
    line = line.lstrip(b"\0")
    encoding = "utf-8"
    if b"\0" in line:
        encoding = "utf-16-le"
    return line.decode(encoding, "replace")


def _answer_of_ours(line: bytes) -> Optional[JsonDict]:
    try:
        answer = json_reader.loads(line.decode("utf-8"))
        result: JsonDict = answer["result"]
        if answer["id"] == 1 and result["serverInfo"]["name"] == "unity-bridge":
            return result
        return None
    except (ValueError, KeyError, TypeError):
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left on this side: programs that cross borders start others."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
