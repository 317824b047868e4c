"""What ``status`` shows of a port that somebody else has."""

from __future__ import annotations

from unity_bridge.commands.status import _screen


def test_the_holder_of_the_port_is_named_as_it_is_and_cannot_command_the_terminal() -> None:
    listener = {"state": "blocked", "reason": "port_in_use", "holder": "pid 7 (my_server \x1b[2J)"}
    state = {
        "connected": False,
        "server_version": "1.0",
        "port": 8091,
        "listener": listener,
        "waiting": 0,
        "queued": 0,
        "running_jobs": [],
    }
    assert "port in use by pid 7 (my_server \\x1b[2J)" in dict(_screen(state))["Port"]
