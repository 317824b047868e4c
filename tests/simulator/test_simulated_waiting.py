"""A simulated editor that waits for a server is called by the next one (SPEC §11.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, List

import pytest

from tests.ports import free_port
from tests.scripted_server import ScriptedServer
from unity_bridge.log.logger import Logger
from unity_bridge.simulator.connection import BackOff, ServerLink
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE
from unity_bridge.trust.waiting_editors import call_waiting_editors

Open = Callable[..., Any]

# Of a pause that only a call ends.
DAY = BackOff(initial_ms=86_400_000, max_ms=86_400_000)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


def call(port: int) -> None:
    """Call the editor once it waits; it makes its file after its session has ended."""
    while not call_waiting_editors(port):
        pass


def test_an_editor_connects_when_a_server_calls_it(open_editor: Open) -> None:
    port = free_port()
    editor = open_editor(port=port, back_off=DAY)
    editor.events.wait_for("waiting")
    server = ScriptedServer(port=port, greets=False)
    try:
        for _ in range(2):  # a second one comes as soon
            call(port)
            session = server.session()
            session.accept()
            session.drop()
    finally:
        server.stop()


def test_an_editor_with_a_session_does_not_wait(
    server: Any, open_editor: Open, state: Path
) -> None:
    open_editor()
    server.session().accept()
    assert list((state / "waiting").iterdir()) == []


def test_an_editor_that_reloads_still_waits(server: Any, open_editor: Open, state: Path) -> None:
    editor = open_editor(back_off=DAY)
    server.session().accept()
    editor.reload(86_400_000.0)
    call(server.port)


def test_an_editor_that_is_closed_leaves_no_file(open_editor: Open, state: Path) -> None:
    editor = open_editor(port=free_port(), back_off=DAY)
    editor.events.wait_for("waiting")
    editor.stop()
    assert list((state / "waiting").iterdir()) == []


class RemovedAgainAndAgain:
    """The file of an editor, which a program removes whenever it is made."""

    is_made = True

    def __init__(self) -> None:
        self.calls = 0

    def make(self) -> None: ...

    def remove(self) -> None: ...

    def take_call(self) -> bool:
        self.calls += 1
        return True


def test_a_program_that_removes_the_files_again_and_again_at_most_doubles_the_attempts() -> None:
    pauses: List[float] = []
    link = ServerLink(free_port(), None, lambda *_, **__: None, Logger("test"), BackOff())  # type: ignore[arg-type]
    link._waiting = file = RemovedAgainAndAgain()  # type: ignore[assignment]

    def waits_s() -> Any:
        while True:
            if len(pauses) == 20:
                link._set(stopping=True)
            pauses.append(0.001)
            yield pauses[-1]

    link._waits_s = waits_s()
    link.start()
    link._thread.join()
    assert len(pauses) // 2 - 1 <= file.calls <= len(pauses) // 2 + 1
