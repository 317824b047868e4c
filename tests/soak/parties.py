"""The three processes of a soak, and who torments them: a raw client, the server, and one editor after another."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

from tests.soak.ledgers import Made, Message
from unity_bridge.simulator.events import Event
from unity_bridge.simulator.process import SimulatorProcess

ROOT = Path(__file__).resolve().parents[2]
START_S = 30.0
EXIT_S = 10.0

# Shorter than the defaults, so that a short soak sees every window close.
PACE = {
    "UNITY_BRIDGE_COMPILE_GRACE_TIMEOUT_MS": "8000",
    "UNITY_BRIDGE_JOB_POLL_INTERVAL_MS": "200",
    "UNITY_BRIDGE_HEARTBEAT_INTERVAL_MS": "700",
    "UNITY_BRIDGE_HEARTBEAT_TIMEOUT_MS": "2100",
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}


class Client:
    """A raw MCP client and its server process. ``call`` may be used by many threads."""

    def __init__(self) -> None:
        self.calls: List[Made] = []
        self.noise: List[bytes] = []
        self.answered = threading.Condition()  # guards calls and what is in them
        self._state = tempfile.TemporaryDirectory()
        environ = {**os.environ, **PACE, "UNITY_BRIDGE_STATE_DIR": self._state.name, "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "unity_bridge", "--port", "0"],
            cwd=str(ROOT),
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.log: List[str] = []
        self._bound = threading.Event()
        self.port = 0
        self._readers = [threading.Thread(target=read, name="soak reader") for read in (self._read, self._read_log)]
        for reader in self._readers:
            reader.start()
        self._writing = threading.Lock()
        self._send({"id": 0, "method": "initialize", "params": HELLO})
        self._send({"method": "notifications/initialized"})
        assert self._bound.wait(START_S), self.log

    def call(self, tool: str, mark: str, arguments: Message) -> Made:
        with self.answered:
            made = Made(len(self.calls) + 1, tool, mark)
            self.calls.append(made)
        self._send({"id": made.id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        return made

    def cancel(self, made: Made) -> None:
        made.is_cancelled = True
        self._send({"method": "notifications/cancelled", "params": {"requestId": made.id}})

    def wait(self, made: Made, timeout_s: float) -> bool:
        with self.answered:
            return self.answered.wait_for(lambda: bool(made.answers) or made.is_cancelled, timeout_s)

    def leave(self) -> int:
        """Hang up; the server's exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            status = self.process.wait(EXIT_S)
        finally:
            self.process.kill()
            for reader in self._readers:
                reader.join()
            for stream in (self.process.stdout, self.process.stderr):
                assert stream is not None
                stream.close()
            self._state.cleanup()
        return status

    def _send(self, message: Message) -> None:
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                id = message["id"]
            except (ValueError, KeyError):
                self.noise.append(line)
                continue
            with self.answered:
                if id:
                    self.calls[id - 1].answers.append(message)
                self.answered.notify_all()

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            text = line.decode("utf-8", "replace").rstrip()
            self.log.append(text)
            bound = re.search(r"listening for Unity port=(\d+)", text)
            if bound is not None:
                self.port = int(bound.group(1))
                self._bound.set()


class Editors:
    """One editor process at a time; the records of all there were."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._all: List[SimulatorProcess] = []
        self.open()

    @property
    def now(self) -> SimulatorProcess:
        return self._all[-1]

    def open(self) -> None:
        editor = SimulatorProcess(self._port, tests=4, console_entries=50, test_seconds=0.05, python=sys.executable)
        editor.start()
        self._all.append(editor)
        editor.wait_for("connected", START_S)

    def close(self) -> None:
        self.now.stop()

    def events(self) -> List[Event]:
        kinds = ("execute", "submit", "refused_call", "fault", "run_started", "run_finished")
        return [event for editor in self._all for kind in kinds for event in editor.events(kind)]


class Tormentor:
    """Deals out faults, one after another, until told to stop."""

    def __init__(self, client: Client, editors: Editors, chance: random.Random) -> None:
        self._client = client
        self._editors = editors
        self._chance = chance
        self._over = threading.Event()
        self.dealt: Dict[str, int] = Counter()
        self.error: Optional[BaseException] = None
        self._thread = threading.Thread(target=self._run, name="tormentor")
        self._kinds: Dict[str, Callable[[], Any]] = {
            "line dropped": lambda: self._order("drop"),
            "reload": lambda: self._order(f"reload {self._length()}"),
            "compile": lambda: self._order(f"compile {self._length()} {chance.choice([0, 0, 2])}"),
            "reload storm": self._storm,
            "main thread stalled": lambda: self._order(f"stall {self._length()}"),
            "editor closed and opened": lambda: self._order(f"restart {self._length()}"),
            "editor crashed": self._crash,
            "deaf editor": self._deafen,
            "answer spoilt": self._spoil,
            "stranger at the port": self._stranger,
        }
        if os.name == "posix":
            self._kinds.update(
                {
                    "editor killed": self._kill,
                    "editor stopped": lambda: self._freeze(self._editors.now.pid),
                    "server stopped": lambda: self._freeze(self._client.process.pid),
                }
            )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        if self.error is not None:
            raise self.error

    def _run(self) -> None:
        try:
            while not self._over.wait(self._chance.uniform(0.05, 0.8)):
                kind = self._chance.choice(list(self._kinds))
                self._kinds[kind]()
                self.dealt[kind] += 1
        except BaseException as error:
            self.error = error

    def _length(self) -> float:
        return round(self._chance.choice([0.0, 0.1, 0.3, 1.0, 3.0]), 2)

    def _order(self, line: str) -> None:
        self._editors.now.order(line)

    def _storm(self) -> None:
        for _ in range(self._chance.randint(3, 8)):
            self._order("reload 0.05")

    def _crash(self) -> None:
        self._order("crash")
        self._over.wait(self._length())
        self._order("restart 0.1")

    def _deafen(self) -> None:
        self._order("deaf")
        self._over.wait(self._length())
        self._order("hear")

    def _spoil(self) -> None:
        how = self._chance.choice(
            ["late", "twice", "lose", "malformed", "garbage", "oversize", "drop_before", "drop_after", "fail", "refuse"]
        )
        what = self._chance.choice(["execute", "execute", "submit_job", "get_job_status", "cancel"])
        self._order(f"fault {how}:{what}")

    def _kill(self) -> None:
        self._editors.now.kill()
        self._over.wait(self._length())
        self._editors.open()

    def _freeze(self, pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        self._over.wait(self._length())
        os.kill(pid, signal.SIGCONT)

    def _stranger(self) -> None:
        with socket.create_connection(("127.0.0.1", self._client.port), 5) as line:
            line.sendall(
                self._chance.choice([b"", b"\x00" * 100, b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", _handshake()])
            )
            line.sendall(self._chance.randbytes(self._chance.randint(0, 300)))
            # A reset, not a close.
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _handshake() -> bytes:
    return (
        b"GET /unity HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
