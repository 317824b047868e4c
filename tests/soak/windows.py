"""Client windows: each a raw MCP client with a server process of its own, all on one port, that
come and go.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
from collections import deque
from pathlib import Path
from typing import Any, Deque, Dict, List, Optional

import psutil

from tests.soak.ledgers import Made, Message
from unity_bridge.launch.environment import isolated

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0
EXIT_S = 60.0

# Shorter than the defaults, so that a short soak sees every window close.
PACE = {
    "UNITY_BRIDGE_COMPILE_GRACE_TIMEOUT_MS": "8000",
    "UNITY_BRIDGE_JOB_POLL_INTERVAL_MS": "200",
    "UNITY_BRIDGE_HEARTBEAT_INTERVAL_MS": "700",
    "UNITY_BRIDGE_HEARTBEAT_TIMEOUT_MS": "2100",
}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "soak", "version": "1"},
}

_ROLE = re.compile(r"(listening for Unity|attached to the server that owns the port) port=(\d+)")
_STAMPED = re.compile(r"\d{4}-\d\d-\d\dT")  # how a line of the log begins; a stack's do not
_LOG_LINES = 400


class Window:
    """One life of a window: a client that calls, and its server until that ends or is killed.

    ``call`` is for any thread. Calls are numbered in the order in which they are written, which is the order in which
    they must be served.
    """

    def __init__(self, name: str, port: int, project: str, state_dir: str) -> None:
        self.name = name
        self.calls: List[Made] = []
        self.noise: List[bytes] = []
        self.bugs: List[str] = []
        self.log: Deque[str] = deque(maxlen=_LOG_LINES)
        self.changed = threading.Condition()  # guards calls and what is in them, and what follows
        self.role = ""
        self.was_killed = False
        self.expected_status: Optional[int] = None
        self.last_call: Optional[int] = None  # the last one before the server was asked to end
        self.has_ended = False
        self.status: Optional[int] = None
        environ = {
            **os.environ,
            **PACE,
            "UNITY_BRIDGE_STATE_DIR": state_dir,
            "PYTHONWARNINGS": "error",
        }
        self.process = subprocess.Popen(
            [
                *isolated(),
                "--port",
                str(port),
                "--project",
                project,
                "--log-file",
                os.path.join(state_dir, f"{name}.log"),
            ],
            cwd=str(ROOT),
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._readers = [
            threading.Thread(target=read, name=f"soak reader {name}")
            for read in (self._read, self._read_log)
        ]
        for reader in self._readers:
            reader.start()
        self._writing = threading.Lock()
        with self._writing:
            self._send({"id": 0, "method": "initialize", "params": HELLO})
            self._send({"method": "notifications/initialized"})

    def call(
        self, tool: str, arguments: Message, again: Optional[Made] = None, has_key: bool = True
    ) -> Optional[Made]:
        """``again``: the call whose key this one has too. ``None``: the server is gone, and was
        never asked.
        """
        with self._writing:
            number = len(self.calls) + 1
            mark = f"{self.name}:{number}" if again is None else again.mark
            made = Made(
                self, number, tool, mark, arguments, is_repeated=again is not None, has_key=has_key
            )
            key = {"client_request_id": mark} if has_key else {}
            params = {"name": tool, "arguments": {**arguments, **key}}
            with self.changed:
                self.calls.append(made)
            try:
                self._send({"id": number, "method": "tools/call", "params": params})
            except (OSError, ValueError):
                with self.changed:
                    self.calls.pop()
                return None
        return made

    def cancel(self, made: Made) -> None:
        made.is_cancelled = True
        with self._writing:
            try:
                self._send(
                    {"method": "notifications/cancelled", "params": {"requestId": made.number}}
                )
            except (OSError, ValueError):
                pass

    def wait(self, made: Made, timeout_s: float) -> bool:
        """Until it is answered, or nobody is left to answer it."""
        with self.changed:
            over = lambda: bool(made.answers) or made.is_cancelled or self.has_ended  # noqa: E731
            return self.changed.wait_for(over, timeout_s)

    def wait_for_a_role(self) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: bool(self.role), START_S), "\n".join(self.log)

    def kill(self) -> None:
        """Without a word, in the midst of whatever it does."""
        self.was_killed = True
        self.process.kill()
        self._over()
        self.expected_status = self.status

    def leave(self) -> None:
        """Hang up, as a client does."""
        assert self.process.stdin is not None
        self.expected_status = 0
        with self._writing:
            try:
                self.process.stdin.close()
            except OSError:  # it has ended by itself, and its exit status shows how
                pass
        self._over()

    def terminate(self) -> None:
        """As a service manager ends it. Not before it can have heard of that."""
        self.wait_for_a_role()
        self.expected_status = 143
        with self._writing:
            self.last_call = len(self.calls)
            self.process.terminate()
        self._over()

    def size(self) -> Dict[str, int]:
        """What the server holds: threads, descriptors, megabytes."""
        server = psutil.Process(self.process.pid)
        count = getattr(server, "num_fds", None) or getattr(server, "num_handles")  # noqa: B009 - Windows has the other
        return {
            "threads": server.num_threads(),
            "descriptors": count(),
            "MB": server.memory_info().rss >> 20,
        }

    def _over(self) -> None:
        try:
            self.status = self.process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except OSError:  # what nobody reads any more
                pass

    def _send(self, message: Message) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                id = message["id"]
            except (ValueError, KeyError):
                if not self.was_killed:  # else it is the beginning of what was to become a line
                    self.noise.append(line)
                continue
            with self.changed:
                if id:
                    self.calls[id - 1].answers.append(message)
                self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        stack_goes_on = False
        for line in self.process.stderr:
            text = line.decode("utf-8", "replace").rstrip()
            self.log.append(text)
            is_stamped = _STAMPED.match(text) is not None
            if "a bug" in text or text.startswith("Traceback"):
                self.bugs.append(text)
                stack_goes_on = True
            elif stack_goes_on and not is_stamped:
                self.bugs[-1] += "\n" + text
            else:
                stack_goes_on = False
            found = _ROLE.search(text)
            if found is not None:
                with self.changed:
                    self.role = "owner" if found.group(1).startswith("listening") else "attached"
                    self.changed.notify_all()


class WindowPool:
    """So many windows side by side. Whose server ends gets another in the same place, under a new
    name.
    """

    def __init__(self, count: int, port: int, project: str, state_dir: str) -> None:
        self._port = port
        self._project = project
        self._state_dir = state_dir
        self._count = 0
        self.lives: List[Window] = []  # all there ever were
        self.now: List[Window] = []  # by place
        for _ in range(count):
            self.now.append(self._open())
        for window in self.now:
            window.wait_for_a_role()

    def owner(self) -> Optional[int]:
        """The index of the window that has the port, if its log has shown it."""
        return next(
            (place for place, window in enumerate(self.now) if window.role == "owner"), None
        )

    def reopen(self, place: int) -> None:
        self.now[place] = self._open()

    def close(self) -> None:
        for window in self.now:
            window.leave()

    def _open(self) -> Window:
        self._count += 1
        window = Window(f"w{self._count}", self._port, self._project, self._state_dir)
        self.lives.append(window)
        return window


def sizes(windows: List[Window]) -> Dict[str, int]:
    """The most that any of them holds."""
    found: List[Dict[str, Any]] = [window.size() for window in windows]
    return {f"a server's {name} at the end": max(one[name] for one in found) for name in found[0]}
