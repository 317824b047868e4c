"""What ``status`` shows of a port that somebody else has, and of an owner that does not answer."""

from __future__ import annotations

from typing import Any, Dict, Optional

import pytest

from tests.commands.runner import runner
from tests.ports import free_port
from unity_bridge import cli
from unity_bridge.commands.shared import editor_probe
from unity_bridge.commands.status import _screen
from unity_bridge.projects.no_editor import reason_of
from unity_bridge.scripting.command_bridge import no_editor
from unity_bridge.simulator.connection import BackOff
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import EventLog

GUARD_S = 30.0


def state(**listener: Any) -> Dict[str, Any]:
    return {
        "connected": False,
        "server_version": "1.0",
        "port": 8091,
        "listener": {"state": "blocked", **listener},
        "waiting": 0,
        "queued": 0,
        "running_jobs": [],
    }


def test_the_holder_of_the_port_is_named_as_it_is_and_cannot_command_the_terminal() -> None:
    editor_state = state(reason="port_in_use", holder="pid 7 (my_server \x1b[2J)")
    assert (
        "port in use by pid 7 (my_server \\x1b[2J)"
        in dict(_screen(editor_state, "the default"))["Port"]
    )


def test_the_last_state_of_a_silent_owner_is_marked_as_stale() -> None:
    stale = {**state(remark="the server that owns the port does not answer"), "stale": True}
    assert "does not answer" in dict(_screen(stale, "the default"))["Stale"]
    assert "Stale" not in dict(_screen(state(), "the default"))


def test_a_refused_editor_is_shown_with_the_reason() -> None:
    editor_state = state(refused="this server takes only a plugin that proves it \x1b[2J")
    assert (
        "refused: this server takes only a plugin that proves it \\x1b"
        in dict(_screen(editor_state, "it"))["Unity Editor"]
    )
    closed = {**editor_state, "reason": "unity_not_running", "project": "/game"}
    assert "refused" not in dict(_screen(closed, "it"))["Unity Editor"], "it was another project's"


def test_the_reason_for_an_absent_editor_and_the_expected_project_are_shown() -> None:
    absent = {**state(), "project": "/game", "reason": "safe_mode"}
    screen = dict(_screen(absent, "the default"))
    assert "safe mode" in screen["Unity Editor"] and screen["Project"] == "/game"
    other = {
        **state(),
        "connected": True,
        "editor_state": "ready",
        "plugin_version": "1.0",
        "editor": {"project_path": "/other"},
        "project": "/game",
        "project_remark": "the editor on this port has another project open",
    }
    screen = dict(_screen(other, "the default"))
    assert (
        "/game: the editor on this port has another" in screen["Expected"]
        and "ready" in screen["Unity Editor"]
    )


def test_the_remark_on_a_folder_without_a_project_needs_no_project() -> None:
    """The server's probe of such a folder may end before the screen is made."""
    absent = {**state(), "project_remark": "this server was started in /, which is in no project"}
    assert "Expected" not in dict(_screen(absent, "the default"))


def test_where_the_client_sees_the_project_is_shown_if_that_is_known() -> None:
    far = {**state(), "client_project_path": "/mnt/c/Game \x1b[2J"}
    assert dict(_screen(far, "the default"))["Client's folder"] == "/mnt/c/Game \\x1b[2J"
    assert "Client's folder" not in dict(_screen(state(), "the default"))


def of_a_connected_editor(**more: Any) -> Dict[str, Any]:
    editor = {
        "editor": {"untrusted": "Update it. \x1b[2J"},
        "editor_state": "ready",
        "plugin_version": "1.0",
    }
    return {**state(), "connected": True, **editor, **more}


def test_the_plugins_trust_is_shown_with_what_to_do() -> None:
    screens = {
        known: dict(_screen(of_a_connected_editor(trusted=known), "the default"))
        for known in (True, False, None)
    }
    assert (
        screens[True]["Trusted"].startswith("yes")
        and "no. Update it. \\x1b[2J" in screens[False]["Trusted"]
    )
    assert "Trusted" not in screens[None]


@pytest.mark.slow
def test_an_editor_that_comes_as_the_wait_ends_is_shown_as_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    port = free_port()
    events = EventLog()
    editor = SimulatedEditor(
        EditorSetup(port=port, back_off=BackOff(initial_ms=1, max_ms=20)), events
    )

    def gives_up_as_it_comes(state: Any) -> Any:
        editor.start()
        events.wait_for("connected", GUARD_S)
        return no_editor(state, 0)

    monkeypatch.setattr(editor_probe, "in_vain", lambda _: gives_up_as_it_comes)
    try:
        done = runner().invoke(cli.cli, ["status", "--port", str(port)])
    finally:
        editor.stop()
    assert done.exit_code == 0, done.stderr
    assert (
        done.stdout.startswith("Unity Editor    connected, ready")
        and "No Unity Editor" not in done.stderr
    )


@pytest.mark.parametrize(
    "listener, reason, expected",
    [
        ({"reason": "port_in_use", "refused": "x"}, "safe_mode", "port_in_use"),
        ({"refused": "x"}, "safe_mode", "safe_mode"),
        ({"refused": "x"}, "connecting", "refused"),
        ({"refused": "x"}, None, "refused"),
        ({}, "connecting", "disconnected"),
        ({}, "editor_ended", "editor_ended"),
    ],
)
def test_one_order_decides_the_reason_for_every_command(
    listener: Dict[str, Any], reason: Optional[str], expected: str
) -> None:
    shown = {**state(**listener), "reason": reason, "project": "/game"}
    assert reason_of(shown) == expected
    assert no_editor(shown, 0).details["reason"] == expected
