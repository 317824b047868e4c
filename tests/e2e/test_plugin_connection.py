"""The plugin's connection: hello, states, pings, reloads, back-off, two editors."""

from __future__ import annotations

import pytest

from tests.ports import free_port
from tests.scripted_server import Message, ScriptedServer, Session
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.version import __version__


def test_the_plugin_introduces_itself(server: ScriptedServer, editor: HeadlessEditor) -> None:
    hello = server.session().hello
    assert hello["plugin_version"] == __version__
    assert hello["state"] in ("ready", "reloading")
    assert hello["unity_version"].startswith("2021.3")
    assert hello["project_name"] == "Game"
    assert hello["project_path"] == str(editor.project)
    assert hello["jobs"] == []
    assert len(hello["editor_instance_id"]) == 32


def test_a_reload_says_goodbye_and_comes_back_as_the_same_editor(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    before = server.session()
    before.expect("editor_status", state="ready")
    editor.reload()
    before.expect("editor_status", state="reloading")
    before.wait_closed()
    assert before.close_code == 1001
    after = server.session()
    assert after.hello["editor_instance_id"] == before.hello["editor_instance_id"]
    after.expect("editor_status", state="ready")


def test_every_session_numbers_its_states_from_one(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    for _ in range(2):
        session = server.session()
        session.expect("editor_status", state="ready")
        editor.reload()
        session.wait_closed()
        numbers = [status["seq"] for status in session.heard("editor_status")]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_compilation_is_reported_from_its_start_to_the_reload(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.session()
    session.expect("editor_status", state="ready")
    editor.command("compile ok 200")
    session.wait_closed()
    states = [status["state"] for status in session.heard("editor_status")]
    # Never "ready" between the end of the compilation and the reload it causes.
    assert states[-3:] == ["ready", "compiling", "reloading"]
    server.session().expect("editor_status", state="ready")


def test_scripts_that_do_not_compile_leave_the_editor_ready_and_counted(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.session()
    session.expect("editor_status", state="ready")
    editor.command("compile fail 50 Assets/Broken.cs(7,3): error CS1002: ; expected")
    session.expect("editor_status", state="compiling")
    assert session.expect("editor_status", state="ready", compile_errors=1)
    editor.command("compile ok 50")
    assert server.session().expect("editor_status", state="ready")["compile_errors"] == 0


def test_pings_are_answered_while_the_main_thread_is_stuck(
    server: ScriptedServer, editor: HeadlessEditor
) -> None:
    session = server.session()
    session.expect("editor_status", state="ready")
    editor.command("stall 60000")
    editor.wait_for("stalling")
    while (pong := pong_of(session)).get("main_thread_stalled_ms", 0) <= 3000:
        pass
    assert pong["editor_state"] == "ready"
    editor.release()
    # The plugin knows it at the main thread's next tick, and the pongs until then are still right
    # to say so.
    while "main_thread_stalled_ms" in pong_of(session):
        pass


def pong_of(session: Session) -> Message:
    session.send("ping")
    return session.hear("pong")


def test_a_server_that_comes_later_or_again_is_found(port: int) -> None:
    with HeadlessEditor(port) as editor:
        editor.wait_until_idle()
        for _ in range(2):
            with ScriptedServer(port) as server:
                server.session().expect("editor_status", state="ready")
        assert editor.violations() == []


def test_a_refused_editor_says_so_once_and_keeps_trying() -> None:
    with ScriptedServer(greets=False) as server, HeadlessEditor(server.port) as editor:
        for _ in range(4):
            session = server.session()
            session.send(
                "error",
                error={
                    "code": "ERR_INVALID_REQUEST",
                    "message": "another Unity editor session is already active",
                },
            )
            session.close()
        editor.wait_until_idle()
        refusals = [line for line in editor.history if "another Unity editor session" in line]
        assert len(refusals) == 1 and "Project Settings" in refusals[0]
        server.session().accept()
        server.latest.expect("editor_status")
        assert editor.violations() == []


@pytest.mark.parametrize(
    "option", ["--batch-mode", "--import-worker", "--secondary", "--virtual-project-clone"]
)
def test_the_bridge_stays_out_of_editors_without_a_user(
    server: ScriptedServer, option: str
) -> None:
    with HeadlessEditor(server.port, options=[option]) as editor:
        assert "bridge does not run here" in " ".join(editor.draw_settings())


def test_the_bridge_runs_in_batch_mode_if_asked(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNITY_BRIDGE_BATCHMODE", "1")
    with HeadlessEditor(server.port, options=["--batch-mode"]):
        server.session().expect("editor_status", state="ready")


def test_closing_the_editor_says_goodbye(server: ScriptedServer, editor: HeadlessEditor) -> None:
    session = server.session()
    session.expect("editor_status", state="ready")
    editor.command("quit")
    session.wait_closed()
    assert session.close_code == 1001
    # "reloading" would keep every call waiting for an editor that does not come back.
    assert [status["state"] for status in session.heard("editor_status")][-1] == "ready"


def test_an_editor_without_a_server_throws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A debugger that breaks on exceptions would stop Unity once a second."""
    monkeypatch.setenv("MONO_ENV_OPTIONS", "--trace=E:System.Net.Sockets.SocketException")
    port = free_port()
    with HeadlessEditor(port) as editor:
        while f"No server answers on port {port}" not in "\n".join(editor.draw_settings()):
            pass
        with ScriptedServer(port) as server:
            # It connects as soon as there is one, after more attempts.
            server.ready_session()
        assert not any("EXCEPTION handling: System.Net.Sockets" in line for line in editor.history)


def test_a_reload_of_a_connected_editor_throws_nothing(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The goodbye waits for the server's answer. A socket that is closed under a pending read costs
    exceptions.
    """
    monkeypatch.setenv(
        "MONO_ENV_OPTIONS",
        "--trace=E:System.Net.Sockets.SocketException,E:System.ObjectDisposedException",
    )
    with HeadlessEditor(server.port) as editor:
        for _ in range(3):
            server.ready_session()
            editor.reload()
        server.ready_session()
        assert [line for line in editor.history if "EXCEPTION handling" in line] == []
