"""A headless Unity editor in a process of its own, for tests: the real plugin on stubs of Unity's
API.

with HeadlessEditor(port) as editor:
    editor.command("log error it broke")
    editor.wait_for("console it broke")
"""

from __future__ import annotations

import base64
import collections
import itertools
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Deque, List, Match, Optional, Sequence, Tuple

import pytest

from tests.unity_headless import build

# Generous: a hang guard for a busy machine, never a measure.
HANG_GUARD_S = 60.0
STACKS_S = 3.0

# What a start and a reload cost is the compilation of some thousand methods that run a few times
# each. Inlining makes that compilation longer, and nothing shorter.
MONO = ("mono", "-O=-inline")


def require_mono() -> None:
    """Skips the test where Mono is missing; fails it in CI, which installs it."""
    missing = build.missing_tools()
    if missing is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI has to install Mono: {missing}")
    pytest.skip(missing)


class HeadlessEditor:
    """One editor process with a project of its own; ends with the ``with`` block, or with this
    process.

    ``port``: what the project's settings say; ``None`` leaves them as they are.
    ``profile``: the pretended test framework's version, a key of ``build.PROFILES``.
    ``project``: an existing project folder, to start an editor on it again; else a new temporary one.
    ``held``: commands that run before the scripts are loaded for the first time.
    """

    def __init__(
        self,
        port: Optional[int],
        profile: str = "1.4.6",
        project: Optional[Path] = None,
        options: Sequence[str] = (),
        held: Sequence[str] = (),
    ) -> None:
        require_mono()
        # A test of what Unity does wrong, or of a command of the project's own, says so.
        self.may_violate = False
        self._temporary = (
            tempfile.TemporaryDirectory(prefix="headless-") if project is None else None
        )
        self.project = project if project is not None else Path(self._temporary.name) / "Game"  # type: ignore[union-attr]
        if port is not None:
            self._write_settings(port)
        self._lines: Deque[str] = collections.deque()  # guarded by _arrived, as are the four below
        self._history: List[str] = []
        self._violations: List[str] = []
        self._marks = itertools.count(1)
        self._mark = 0
        self._ended = False
        self._arrived = threading.Condition()
        built = build.build()
        arguments = [*MONO, str(built / profile / "HeadlessHost.exe"), str(self.project), *options]
        configuration = built / build.CONFIGURATION
        self.process = subprocess.Popen(
            [*arguments, *(["--hold"] if held else [])],
            env={
                **os.environ,
                **({"MONO_CFG_DIR": str(configuration)} if configuration.is_dir() else {}),
            },
            cwd=str(self.project),  # where Mono leaves its report, should it crash
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            bufsize=1,
            start_new_session=True,
        )
        self._reader = threading.Thread(
            target=self._read, name="headless-editor-reader", daemon=True
        )
        self._reader.start()
        if held:
            for line in held:
                self.command(line)
            self.command("load")
        self.wait_for(r"loaded 1$")

    def __enter__(self) -> HeadlessEditor:
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        """In every test, what Unity would ask, lose or refuse fails it (docs/after-the-call.md)."""
        self.stop()
        assert failure is not None or self.may_violate or not self._violations, self._violations

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def history(self) -> List[str]:
        """All that it has written until now. What it wrote before it answered a server is there."""
        self._catch_up()
        with self._arrived:
            return list(self._history)

    def _catch_up(self) -> None:
        """Returns when every line that it has written is here. Its main thread may stand still."""
        mark = next(self._marks)
        try:
            self.command(f"mark {mark}")
        except (OSError, ValueError):
            pass  # it has ended, and so will its output
        with self._arrived:
            assert self._arrived.wait_for(
                lambda: self._ended or self._mark >= mark, HANG_GUARD_S
            ), self._history[-60:]

    def command(self, line: str) -> None:
        """One line for the host; the commands are listed in ``host/Host.cs``."""
        assert self.process.stdin is not None
        self.process.stdin.write(line.replace("\n", "\\n") + "\n")
        self.process.stdin.flush()

    def wait_for(self, pattern: str, timeout_s: float = HANG_GUARD_S) -> Match[str]:
        """The first of the lines not waited for yet that matches; it and the lines before it are
        used up.
        """
        compiled = re.compile(pattern)
        found: List[Match[str]] = []

        def look() -> bool:
            while self._lines and not found:
                match = compiled.search(self._lines.popleft())
                if match:
                    found.append(match)
            return bool(found) or self._ended

        with self._arrived:
            self._arrived.wait_for(look, timeout_s)
        if not found:
            raise AssertionError(
                "\n".join([f"no line matches {pattern!r}; the editor said:", *self._history[-60:]])
            )
        return found[0]

    def pass_over(self) -> None:
        """What was said so far will not be found any more."""
        self._catch_up()
        with self._arrived:
            self._lines.clear()

    def forget_history(self) -> None:
        """As if it had said nothing yet."""
        self._catch_up()
        with self._arrived:
            self._lines.clear()
            self._history.clear()

    def wait_until_idle(self) -> None:
        """Returns when the main thread has run every command sent so far, and an update after them.

        Lines up to there are used up: for a line that a command causes, send it with ``command`` and wait for the line.
        """
        self.command("ping idle")
        self.wait_for(r"pong idle$")

    def arrange(self, *lines: str) -> None:
        """Runs commands, and returns when the main thread has run them and is idle."""
        for line in lines:
            self.command(line)
        self.wait_until_idle()

    def release(self) -> None:
        """Ends what holds the main thread: a stall, an import, a test or command that blocks."""
        self.command("release")

    def reload(self) -> int:
        """A domain reload; the milliseconds it took."""
        self.command("reload")
        return int(self.wait_for(r"reloaded \d+ (\d+)").group(1))

    def json(self, text: str) -> str:
        """``ok`` and the text as the plugin's JSON code rewrites it, or ``no`` and why it does not
        read it.
        """
        self.command("json " + base64.b64encode(text.encode("utf-8", "surrogatepass")).decode())
        return base64.b64decode(self.wait_for(r"json (\S*)$").group(1)).decode("utf-8")

    def canonical(self, path: str, platform: str) -> Tuple[str, int]:
        """A project's path as the plugin writes it on ``platform``, and the port that follows from
        it.
        """
        self.command(f"canonical {platform} " + base64.b64encode(path.encode("utf-8")).decode())
        answer = base64.b64decode(self.wait_for(r"canonical (\S*)$").group(1)).decode("utf-8")
        port, canonical = answer.split(" ", 1)
        return canonical, int(port)

    def tests(self, *lines: str) -> None:
        """The project's tests: ``mode|full name|kind|duration ms|categories|message`` each.

        Kinds: pass, fail, skip, inconclusive, explicit, explicitfixture, block (holds the main thread), teardownfail,
        namespacefail (its namespace has a ``[SetUpFixture]``, whose tear-down fails).
        """
        self.arrange(*(f"test {line}" for line in lines))

    def draw_settings(self, port: int = 0, click: str = "") -> List[str]:
        """What the settings page shows, after typing a port and clicking a button if given."""
        start = len(self.history)
        self.command(f"draw {port or ''} {click}".rstrip() if port or click else "draw")
        self.wait_for(r"drawn-all$")
        return [line[len("drawn ") :] for line in self.history[start:] if line.startswith("drawn ")]

    def counts(self) -> Tuple[int, int, int]:
        """Milliseconds, updates of the editor and player loops that were asked for, since the last
        call.
        """
        self.command("counts")
        ms, updates, player_loops = self.wait_for(r"counts (\d+) (\d+) (\d+)").groups()
        return int(ms), int(updates), int(player_loops)

    def stats(self) -> dict[str, int]:
        """Threads, descriptors and kilobytes of managed memory of the editor process."""
        self.command("stats")
        text = self.wait_for(r"stats (.*)$").group(1)
        return {name: int(value) for name, value in (pair.split("=") for pair in text.split())}

    def violations(self) -> List[str]:
        """What Unity would have thrown at or hung on: wrong threads, dialogs, a second run; and
        failed commands.
        """
        return [
            line
            for line in self.history
            if line.startswith(("VIOLATION", "FAILED")) or "internal error" in line
        ]

    def kill(self) -> None:
        """The editor crashes."""
        self.process.kill()
        self.process.wait(HANG_GUARD_S)

    def stacks(self) -> str:
        """The stack of each thread of a frozen editor: Mono prints them when it is asked to quit."""
        start = len(self._history)
        self.process.send_signal(signal.SIGQUIT)
        with self._arrived:
            self._arrived.wait_for(lambda: self._ended, STACKS_S)
        return "\n".join(self._history[start:])

    def stop(self) -> None:
        """Ends the process; end of file on its stdin is enough, a stuck one is killed."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(HANG_GUARD_S)
        except subprocess.TimeoutExpired:
            self.kill()
        # Mono's fork for a program that the editor starts waits for the editor, and holds its
        # output. If the editor ends in that moment, the fork waits for ever (process_create in
        # w32process-unix.c).
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._reader.join(HANG_GUARD_S)
        self.process.stdout.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _write_settings(self, port: int) -> None:
        settings = self.project / "ProjectSettings" / "UnityBridge.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps({"port": port}), encoding="utf-8")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            text = line.rstrip("\n")
            text = text[len("HOST ") :] if text.startswith("HOST ") else text
            with self._arrived:
                if text.startswith("mark "):
                    self._mark = int(text[len("mark ") :])
                else:
                    if text.startswith("VIOLATION"):
                        self._violations.append(text)
                    self._history.append(text)
                    self._lines.append(text)
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()
