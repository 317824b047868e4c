"""Simulated editors, connected to a server that sends what the test asks for, and keeps what it
receives.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional

import pytest

from tests.faulty_editor.dialects import OWN, Dialect
from tests.faulty_editor.editor import FaultyEditor
from tests.faulty_editor.process import SimulatorProcess
from tests.scripted_server import ScriptedServer
from unity_bridge.simulator.connection import BackOff
from unity_bridge.simulator.editor import EditorSetup
from unity_bridge.simulator.event_log import EventLog


class Editor(FaultyEditor):
    """The editor under test, with what happened in it."""

    def __init__(self, setup: EditorSetup, dialect: Dialect) -> None:
        self.events = EventLog()
        super().__init__(setup, self.events, dialect=dialect)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer(greets=False)
    yield server
    server.stop()


@pytest.fixture
def open_editor(server: ScriptedServer) -> Iterator[Callable[..., Editor]]:
    """Opens editors that live as fast as the machine can and look for ``server``."""
    editors: List[Editor] = []

    def open_one(dialect: Dialect = OWN, **setup: Any) -> Editor:
        values = {
            "port": server.port,
            "speed": 1000.0,
            "back_off": BackOff(initial_ms=1, max_ms=20),
            **setup,
        }
        editor = Editor(EditorSetup(**values), dialect)
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
