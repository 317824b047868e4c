"""A plugin that waits for a server is called by the next one that takes the port (SPEC §11.2)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest

from tests.ports import free_port
from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE
from unity_bridge.trust.waiting_editors import call_waiting_editors

# Of pauses that only a call ends within the life of a test: a hang guard is much shorter.
LONG = {
    "reconnect_initial_ms": 60_000,
    "reconnect_max_backoff_ms": 600_000,
    "reconnect_jitter_ratio": 0,
}
GUARD_S = 30.0


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def silent(state: Path) -> Iterator[ScriptedServer]:
    with ScriptedServer(greets=False) as server:
        yield server


@pytest.fixture
def editor(silent: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(silent.port) as headless:
        yield headless
        assert headless.violations() == []


def files(state: Path) -> List[str]:
    return sorted(path.name for path in (state / "waiting").iterdir())


def call(port: int) -> Tuple[int, ...]:
    """Call the editor once it waits: it makes its file after its session has ended."""
    while not (called := call_waiting_editors(port)):
        pass
    return called


def patient_session(server: ScriptedServer, state: Path) -> None:
    """A session whose server asks for long pauses; the editor does not wait while it lasts. Then it
    ends.
    """
    session = server.session(GUARD_S)
    session.accept(**LONG)
    assert files(state) == []
    session.drop()


def test_the_next_server_calls_the_editor(
    silent: ScriptedServer, editor: HeadlessEditor, state: Path
) -> None:
    for _ in range(3):
        patient_session(silent, state)
        assert call(silent.port) == (editor.pid,)


def test_a_call_that_led_nowhere_is_followed_by_a_whole_pause(
    silent: ScriptedServer, editor: HeadlessEditor, state: Path
) -> None:
    """A program that removes the file again and again at most doubles the attempts to connect."""
    patient_session(silent, state)
    call(silent.port)
    silent.session(GUARD_S).drop()
    call(silent.port)
    assert silent.no_session()
    editor.wait_until_idle()
    assert silent.no_session()


def test_an_editor_that_reloads_still_waits_and_one_that_is_closed_does_not(state: Path) -> None:
    port = free_port()
    with ScriptedServer(port, greets=False) as server, HeadlessEditor(port) as editor:
        server.session().accept()
        assert files(state) == []
        editor.command("reload 2000")
        assert call(port) == (editor.pid,)
        server.session().accept()
        editor.command("quit")
        server.latest.wait_closed()
    # A busy machine may end the process before its thread has removed the file.
    assert call_waiting_editors(port) == () and files(state) == []


def test_the_file_of_a_killed_editor_does_not_count(state: Path) -> None:
    port = free_port()
    editor = HeadlessEditor(port)
    with editor:
        editor.wait_until_idle()
        while not files(state):
            pass
        editor.kill()
    assert call_waiting_editors(port) == ()
    assert files(state) == []


def test_a_folder_that_is_a_link_is_not_used(state: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir(mode=0o700)
    state.mkdir(mode=0o700)
    (state / "waiting").symlink_to(documents)
    with ScriptedServer() as server, HeadlessEditor(server.port):
        server.ready_session()
    assert list(documents.iterdir()) == []


def test_where_others_can_write_no_file_is_made_and_the_editor_still_comes(state: Path) -> None:
    (state / "waiting").mkdir(parents=True)
    os.chmod(state / "waiting", 0o777)
    with ScriptedServer() as server, HeadlessEditor(server.port):
        server.ready_session().drop()
        server.ready_session()
        assert files(state) == []
