"""The settings page: the connection in words, the port and its change with roll-back."""

from __future__ import annotations

import json
import threading
from typing import Callable, Iterator, List

import pytest

from tests.ports import free_port
from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HANG_GUARD_S, HeadlessEditor


@pytest.fixture
def other() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


def drawn_once(editor: HeadlessEditor, shows: Callable[[str], bool]) -> str:
    """The page as soon as it shows what is waited for."""
    pause = threading.Event()
    for _ in range(int(HANG_GUARD_S / 0.05)):
        page = "\n".join(editor.draw_settings())
        if shows(page):
            return page
        pause.wait(0.05)
    raise AssertionError(page)


def saved_port(editor: HeadlessEditor) -> int:
    text = (editor.project / "ProjectSettings" / "UnityBridge.json").read_text(encoding="utf-8")
    return int(json.loads(text)["port"])


@pytest.mark.parametrize(
    "options, held, why",
    [
        (["--batch-mode"], [], "This editor runs in batch mode. Set UNITY_BRIDGE_BATCHMODE=1 before you start it."),
        (["--import-worker"], [], "This process helps another editor."),
        ([], ["quirk no-product-name"], "It could not start; Unity's console has the error."),
    ],
)
def test_the_page_says_why_the_bridge_does_not_run(options: List[str], held: List[str], why: str) -> None:
    with HeadlessEditor(free_port(), options=options, held=held) as editor:
        assert why in "\n".join(editor.draw_settings())


def test_the_page_shows_the_connection_and_the_last_requests(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    session.read_console()
    page = "\n".join(editor.draw_settings())
    assert f"Connected to unity-bridge 0.1.0 on port {server.port}." in page
    assert "execute read_console" in page
    assert "Tools for clients: read_console, run_tests" in page


def test_the_page_says_when_no_server_answers(server: ScriptedServer, editor: HeadlessEditor) -> None:
    server.ready_session()
    server.stop()
    page = drawn_once(editor, lambda text: "No server answers" in text)
    assert "connects by itself" in page


def test_a_port_that_answers_is_taken_and_kept(
    server: ScriptedServer, other: ScriptedServer, editor: HeadlessEditor
) -> None:
    old = server.ready_session()
    editor.draw_settings(port=other.port, click="Apply")
    new = other.ready_session()
    old.wait_closed()
    assert old.close_code == 1000
    drawn_once(editor, lambda text: f"on port {other.port}" in text and "Trying" not in text)
    assert new.read_console()["count"] == 0
    editor.reload()
    other.ready_session()
    assert saved_port(editor) == other.port


def test_a_port_without_a_server_is_rolled_back(server: ScriptedServer, editor: HeadlessEditor) -> None:
    port = free_port()
    session = server.ready_session()
    assert any("Trying the new port" in line for line in editor.draw_settings(port=port, click="Apply"))
    # During the change the old session works, and a second change has to wait.
    assert session.read_console()["count"] == 0
    page = "\n".join(editor.draw_settings(port=port + 1, click="Apply"))
    assert f"The change to port {port} is not finished" in page
    page = drawn_once(editor, lambda text: "stays on port" in text)
    assert not session.is_closed
    assert f"Connected to unity-bridge 0.1.0 on port {server.port}." in page
    assert saved_port(editor) == server.port


def test_a_server_that_refuses_the_hello_is_rolled_back(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.ready_session()
    with ScriptedServer(greets=False) as refusing:
        editor.draw_settings(port=refusing.port, click="Apply")
        refused = refusing.session()
        refused.send("error", error={"code": "ERR_INVALID_REQUEST", "message": "another editor is here"})
        refused.close()
        page = drawn_once(editor, lambda text: "stays on port" in text)
    assert "another editor is here" in page
    assert not session.is_closed and saved_port(editor) == server.port


def test_a_reload_in_the_middle_of_a_change_keeps_the_old_port(server: ScriptedServer, editor: HeadlessEditor) -> None:
    server.ready_session()
    with ScriptedServer(greets=False) as silent:
        editor.draw_settings(port=silent.port, click="Apply")
        silent.session()
        editor.reload()
        server.ready_session()
        assert saved_port(editor) == server.port


@pytest.mark.parametrize("port", [70000, -1])
def test_an_invalid_port_is_refused_at_once(server: ScriptedServer, editor: HeadlessEditor, port: int) -> None:
    session = server.ready_session()
    editor.draw_settings(port=port, click="Apply")
    page = drawn_once(editor, lambda text: "from 1 to 65535" in text)
    assert f"on port {server.port}" in page and not session.is_closed


def test_settings_that_make_no_sense_fall_back_to_the_default() -> None:
    with ScriptedServer() as server, HeadlessEditor(server.port) as editor:
        server.ready_session()
        for text in ("", "{", "[]", '{"port": "x"}', '{"port": 0}', '{"port": 65536}'):
            (editor.project / "ProjectSettings" / "UnityBridge.json").write_text(text, encoding="utf-8")
            editor.reload()
            page: List[str] = editor.draw_settings()
            assert "Port <8091>" in page, text
