"""The other side of the simulated editor: a server that says what the test tells it to, and keeps what it hears."""

from __future__ import annotations

import json
import os
import queue
from threading import Event, Thread
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests.goldens import every_field
from unity_bridge.result import Ok
from unity_bridge.simulator.connection import BackOffPolicy
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.events import EventLog
from unity_bridge.simulator.process import SimulatorProcess
from unity_bridge.unity import messages

GUARD_S = 10.0
_ENVELOPE = {"type", "protocol_version"}


class ServerSession:
    """One editor's connection, seen from the server. ``hear`` finds the next message of a type."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        assert socket.request is not None
        self.headers = dict(socket.request.headers.raw_items())
        self.path = socket.request.path
        self.heard: List[Dict[str, Any]] = []
        self._unheard: List[Dict[str, Any]] = []

    def say(self, kind: str, **fields: Any) -> None:
        self.say_text(json.dumps({"type": kind, "protocol_version": 1, **fields}))

    def say_text(self, text: str) -> None:
        self._socket.send(text)

    def accept(self) -> Dict[str, Any]:
        """The greeting, from the editor's hello to our capability; returns the editor's."""
        hello = self.hear("hello")
        self.say("hello", server_version="9.9.9")
        self.say("capability", tools=[{"name": "run_tests"}])
        return hello

    def hear_text(self) -> str:
        text = self._socket.recv(timeout=GUARD_S)
        assert isinstance(text, str)
        return text

    def hear(self, kind: str, **values: Any) -> Dict[str, Any]:
        """The next message of this type with these values; others are kept for later."""
        for kept in self._unheard:
            if self._fits(kept, kind, values):
                self._unheard.remove(kept)
                return kept
        while True:
            text = self.hear_text()
            message: Dict[str, Any] = json.loads(text)
            self.heard.append(message)
            assert isinstance(messages.decode(text), Ok), f"{messages.decode(text)} {text[:300]}"
            assert set(message) - _ENVELOPE <= set(every_field()[message["type"]][0]), "fields that no golden has"
            if self._fits(message, kind, values):
                return message
            self._unheard.append(message)

    def ask(self, kind: str, request_id: str, answer: str, **fields: Any) -> Dict[str, Any]:
        self.say(kind, request_id=request_id, **fields)
        return self.hear(answer, request_id=request_id)

    def hang_up(self) -> None:
        self._socket.close()

    def is_over(self) -> int:
        """Wait for the editor to leave; its close code."""
        try:
            while True:
                self.heard.append(json.loads(self.hear_text()))
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 1006

    @staticmethod
    def _fits(message: Dict[str, Any], kind: str, values: Dict[str, Any]) -> bool:
        return message["type"] == kind and all(message.get(name) == value for name, value in values.items())


class ScriptedServer:
    """Listens on a free port; each connection becomes a ``ServerSession`` for the test to lead."""

    def __init__(self) -> None:
        self._sessions: queue.Queue[ServerSession] = queue.Queue()
        self._stopping = Event()
        self._server = serve(self._lead, "127.0.0.1", 0, compression=None, max_size=None, close_timeout=1)
        self.port: int = self._server.socket.getsockname()[1]
        self._thread = Thread(target=self._server.serve_forever, name="scripted server")
        self._thread.start()

    def next_session(self) -> ServerSession:
        return self._sessions.get(timeout=GUARD_S)

    def no_session(self) -> bool:
        """Whether no editor waits to be accepted."""
        return self._sessions.empty()

    def stop(self) -> None:
        """Close every session and the port. Twice is fine."""
        if not self._stopping.is_set():
            self._stopping.set()
            self._server.shutdown()
            self._thread.join()
            for name in ("shutdown_watcher", "shutdown_notifier"):
                end: Any = getattr(self._server, name, None)
                if isinstance(end, int):  # the library's releases for older Pythons forget their pipe
                    os.close(end)

    def _lead(self, socket: ServerConnection) -> None:
        self._sessions.put(ServerSession(socket))
        self._stopping.wait()


class Editor(SimulatedEditor):
    """The editor under test, with what happened in it."""

    def __init__(self, setup: EditorSetup) -> None:
        self.events = EventLog()
        super().__init__(setup, self.events)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer()
    yield server
    server.stop()


@pytest.fixture
def open_editor(server: ScriptedServer) -> Iterator[Callable[..., Editor]]:
    """Opens editors that live as fast as the machine can and look for ``server``."""
    editors: List[Editor] = []

    def open_one(**setup: Any) -> Editor:
        values = {"port": server.port, "speed": 1000.0, "back_off": BackOffPolicy(initial_ms=1, max_ms=20), **setup}
        editor = Editor(EditorSetup(**values))
        editor.start()
        editors.append(editor)
        return editor

    yield open_one
    for editor in editors:
        editor.stop()


@pytest.fixture
def open_process(server: ScriptedServer) -> Iterator[Callable[..., SimulatorProcess]]:
    """Opens editors as processes of their own."""
    processes: List[SimulatorProcess] = []

    def open_one(port: Optional[int] = None, **values: Any) -> SimulatorProcess:
        process = SimulatorProcess(port or server.port, **values)
        process.start()
        processes.append(process)
        return process

    yield open_one
    for process in processes:
        process.stop()
