"""What ``status`` shows of a port that somebody else has, and of an owner that does not answer."""

from __future__ import annotations

from typing import Any, Dict

from unity_bridge.commands.status import _screen


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
    told = state(reason="port_in_use", holder="pid 7 (my_server \x1b[2J)")
    assert "port in use by pid 7 (my_server \\x1b[2J)" in dict(_screen(told, "the default"))["Port"]


def test_what_an_owner_said_before_it_fell_silent_is_shown_as_that() -> None:
    stale = {**state(remark="the server that owns the port does not answer"), "stale": True}
    assert "does not answer" in dict(_screen(stale, "the default"))["As of before"]
    assert "As of before" not in dict(_screen(state(), "the default"))


def test_an_editor_that_came_and_was_refused_is_told_with_the_reason() -> None:
    told = state(refused="this server takes only a plugin that proves it \x1b[2J")
    assert "refused, this server takes only a plugin that proves it \\x1b" in dict(_screen(told, "it"))["Unity Editor"]
    closed = {**told, "reason": "unity_not_running", "project": "/game"}
    assert "refused" not in dict(_screen(closed, "it"))["Unity Editor"], "it was another project's"


def test_why_nobody_is_there_and_which_project_is_expected() -> None:
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
    assert "/game: the editor on this port has another" in screen["Expected"] and "ready" in screen["Unity Editor"]


def of_a_connected_editor(**more: Any) -> Dict[str, Any]:
    editor = {"editor": {"untrusted": "Update it. \x1b[2J"}, "editor_state": "ready", "plugin_version": "1.0"}
    return {**state(), "connected": True, **editor, **more}


def test_whether_the_plugin_is_trusted_is_told_with_what_to_do() -> None:
    told = {known: dict(_screen(of_a_connected_editor(trusted=known), "the default")) for known in (True, False, None)}
    assert told[True]["Trusted"].startswith("yes") and "no. Update it. \\x1b[2J" in told[False]["Trusted"]
    assert "Trusted" not in told[None]
