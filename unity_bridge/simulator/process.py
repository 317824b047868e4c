"""``SimulatorProcess``: a simulated editor as a child process that takes orders and reports events."""

from __future__ import annotations

import os
import subprocess
from threading import Lock, Thread
from typing import IO, Any, List, Optional

from unity_bridge.launch import environment
from unity_bridge.simulator.event_log import Event, EventLog, parse

_STOP_S = 5.0
_STDERR_LINES = 200


class SimulatorProcess:
    """A context manager: the editor lives inside the ``with``, and never longer than this process.

    Orders return when the editor has taken them. ``wait_for`` finds what happens, each event of a
    kind once, in order:

        with SimulatorProcess(port) as editor:
            editor.wait_for("connected")
            editor.order("compile 2")
            editor.wait_for("state", state="ready")
    """

    def __init__(self, port: int, speed: float = 1.0) -> None:
        self.log = EventLog()
        self.stderr: List[str] = []  # the last lines, for a failure's message
        self.command = [*environment.isolated(), "simulate", "--events", "--stdin-controls"]
        self.command += ["--port", str(port), "--speed", str(speed)]
        # It would use a project around its working directory as its own.
        self.folder: Optional[str] = os.path.abspath(os.sep)
        self._process: Optional[subprocess.Popen[str]] = None
        self._readers: List[Thread] = []
        self._ordering = Lock()  # one order and its receipt at a time

    def start(self) -> None:
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": environment.module_path(),
                "PYTHONIOENCODING": "utf-8",
            },
        )
        assert self._process.stdout is not None and self._process.stderr is not None
        for reading, stream in (
            (self._read_events, self._process.stdout),
            (self._read_stderr, self._process.stderr),
        ):
            reader = Thread(
                target=reading,
                args=(stream,),
                name=f"simulator process {reading.__name__}",
                daemon=True,
            )
            reader.start()
            self._readers.append(reader)

    def stop(self) -> int:
        """Close the editor as its user would; its exit status. Twice is fine."""
        process = self._running()
        assert process.stdin is not None
        try:
            process.stdin.close()
        except OSError:  # it ended by itself
            pass
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
        return self._over(process)

    def __enter__(self) -> SimulatorProcess:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait_for(self, kind: str, timeout: float = 60.0, **values: Any) -> Event:
        """Return the next event of this kind with these values; ``TimeoutError`` says what happened
        instead.
        """
        try:
            return self.log.wait_for(kind, timeout, **values)
        except TimeoutError as error:
            raise TimeoutError(
                f"{error}; stderr: {' | '.join(self.stderr[-20:]) or 'nothing'}"
            ) from None

    def events(self, kind: str) -> List[Event]:
        """Return every event of this kind so far, such as each ``submit`` that arrived."""
        return self.log.of(kind)

    def order(self, line: str) -> None:
        """One line for ``controls.execute``; returns when it was taken. ``ValueError`` if it is not
        understood.
        """
        process = self._running()
        assert process.stdin is not None
        with self._ordering:
            try:
                process.stdin.write(line + "\n")
                process.stdin.flush()
            except OSError:  # it ended by itself; the wait below reports its last words
                pass
            receipt = self.wait_for("order", line=line)
        if not receipt["understood"]:
            raise ValueError(str(receipt["answer"]))

    def edit(self, path: str, test: str, outcome: str) -> None:
        """Change a script so that it compiles; once it is loaded, the test ends so."""
        self.order(f"edit {path} {test}={outcome}")

    def break_script(self, path: str, message: str) -> None:
        """Change a script so that it does not compile."""
        self.order(f"break {path} 1 {message}")

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("the simulated editor was not started")
        return self._process

    def _over(self, process: subprocess.Popen[str]) -> int:
        status = process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except OSError:  # an order that was not read any more
                    pass
        return status

    def _read_events(self, stream: IO[str]) -> None:
        for line in stream:
            event = parse(line)
            if event is not None:
                self.log.append(event)
        self.log.end()

    def _read_stderr(self, stream: IO[str]) -> None:
        for line in stream:
            self.stderr.append(line.rstrip())
            del self.stderr[:-_STDERR_LINES]
