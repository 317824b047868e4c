"""A command as the server for its short life, in one process with an editor: on every Python,
nothing left over.
"""

from __future__ import annotations

import os
import shlex
import socket
import threading
from dataclasses import replace
from pathlib import Path
from typing import Iterator, List, Optional

import pytest

from tests.installation.unity_projects import make_project
from tests.ports import free_port
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.errors import ErrorCode
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.calls import Progress
from unity_bridge.commands.shared.editor_probe import in_vain
from unity_bridge.commands.shared.job_follower import JobFollower
from unity_bridge.config import Config
from unity_bridge.scripting.command_bridge import CommandBridge, no_editor
from unity_bridge.simulator.connection import BackOff
from unity_bridge.simulator.editor import EditorSetup, SimulatedEditor
from unity_bridge.simulator.event_log import EventLog
from unity_bridge.simulator.project import default_project

GUARD_S = 30.0
# Of a wait that must end for another reason than its time.
DAY_S = 86_400.0


@pytest.fixture
def config() -> Config:
    return replace(Config(), unity_ws_port=free_port(), log_level="error", job_poll_interval_ms=10)


@pytest.fixture
def events(config: Config) -> Iterator[EventLog]:
    """What happens in an editor that lives as fast as the machine can and looks for ``config``'s
    port.
    """
    log = EventLog()
    back_off = BackOff(initial_ms=1, max_ms=20)
    editor = SimulatedEditor(
        EditorSetup(port=config.unity_ws_port, speed=1000.0, back_off=back_off), log
    )
    editor.start()
    yield log
    editor.stop()


class Quiet:
    def __init__(self) -> None:
        self.shown: List[Progress] = []

    def progress(self, progress: Progress) -> None:
        self.shown.append(progress)

    def away(self, is_away: bool) -> None: ...

    def say(self, text: str) -> None: ...

    def complete(self) -> None: ...

    def close(self) -> None: ...


def test_two_commands_in_turn_work_with_the_same_editor(config: Config, events: EventLog) -> None:
    with CommandBridge(config) as life:
        editor = life.wait_for_editor(GUARD_S)
        assert isinstance(editor, Ok) and editor.value["editor"]["project_name"] == "LanternKeep"
        answer = life.ask(life.call("read_console", {"max_entries": 1}))
        assert isinstance(answer, Ok) and answer.value["count"] == 4
    display = Quiet()
    with CommandBridge(config) as life:
        assert isinstance(life.wait_for_editor(GUARD_S), Ok)
        follower = JobFollower(life, display, GUARD_S, SystemClock(), GUARD_S)  # type: ignore[arg-type]
        end = follower.follow("run_tests", {"mode": "all"})
    assert end.result is not None
    assert (end.state, end.result["summary"]["total"], end.result["summary"]["failed"]) == (
        "failed",
        16,
        1,
    )
    assert len(events.of("submit")) == 1


def test_a_command_bridge_leaves_no_thread_and_no_port_behind(config: Config) -> None:
    before = set(threading.enumerate())
    with CommandBridge(config) as life:
        nobody = life.wait_for_editor(0.0)
        assert isinstance(nobody, Err) and nobody.error.code is ErrorCode.EDITOR_NOT_READY
        assert nobody.error.error.details["reason"] == "disconnected"
    assert set(threading.enumerate()) <= before
    with socket.socket() as successor:
        successor.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        successor.bind(("127.0.0.1", config.unity_ws_port))


class LateClock(SystemClock):
    """As on a machine that does everything more slowly."""

    def now(self) -> float:
        return 3 * super().now()


@pytest.mark.slow
def test_a_command_on_a_busy_machine_that_does_not_wait_names_the_program_that_has_the_port(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(port: int) -> str:
        threading.Event().wait(0.5)
        return "pid 1"

    monkeypatch.setattr("unity_bridge.unity.port_holder.port_holder", late)
    monkeypatch.setattr("unity_bridge.scripting.command_bridge.SystemClock", LateClock)
    with socket.create_server(("127.0.0.1", config.unity_ws_port)), CommandBridge(config) as life:
        found = life.wait_for_editor(0)
    assert isinstance(found, Err) and found.error.error.details["reason"] == "port_in_use"


def test_a_probe_of_a_project_without_unity_ends_before_its_time(
    config: Config, tmp_path: Path
) -> None:
    with CommandBridge(config, str(make_project(tmp_path / "Game"))) as life:
        nobody = life.wait_for_editor(DAY_S, in_vain(0, lambda: False))
    assert isinstance(nobody, Err) and nobody.error.error.details["reason"] == "unity_not_running"
    assert nobody.error.error.message.endswith("` opens it.")


def test_a_probe_without_a_project_ends_before_its_time_where_no_editor_is_open(
    config: Config,
) -> None:
    with CommandBridge(config) as life:
        nobody = life.wait_for_editor(DAY_S, in_vain(0, lambda: False))
    assert isinstance(nobody, Err) and nobody.error.error.details["reason"] == "unity_not_running"
    assert nobody.error.error.message.startswith(
        "Unity does not run on this machine. Open your project"
    )


@pytest.mark.parametrize("has_project", [False, True])
@pytest.mark.parametrize("is_open", [True, None], ids=["one is open", "it is unknown"])
def test_a_probe_waits_for_an_editor_that_may_be_there(
    config: Config, is_open: Optional[bool], has_project: bool, tmp_path: Path
) -> None:
    """A simulated editor holds no lock of Unity's on its project."""
    game = str(make_project(tmp_path / "Game"))
    with CommandBridge(config, game if has_project else None) as life:
        setup = EditorSetup(
            config.unity_ws_port, replace(default_project(), path=game), speed=1000.0
        )
        editor = SimulatedEditor(setup, EventLog())
        asked = threading.Event()

        def is_any_editor_open() -> Optional[bool]:
            editor.start()  # it has not connected when the question is asked
            asked.set()
            return is_open

        try:
            found = life.wait_for_editor(GUARD_S, in_vain(0, is_any_editor_open))
        finally:
            editor.stop()
    assert asked.is_set() and isinstance(found, Ok)


GAME = "/games/Game"
ALONE = {
    "connected": False,
    "server_state": "waiting_editor",
    "role": "owner",
    "port": 8091,
    "plugin_version": None,
}


@pytest.mark.parametrize(
    "reason, waited_ms, is_any_open, ends",
    [
        ("other_port", 0, True, True),
        ("plugin_not_installed", 2999, True, False),
        ("plugin_not_installed", 3000, True, True),
        ("unity_not_running", 2999, False, False),
        ("unity_not_running", 3000, False, True),
        # Another project's editor, or one that has started and does not hold the lock yet.
        ("unity_not_running", 9000, True, False),
        ("unity_not_running", 9000, None, False),
        ("editor_starting", 9000, False, False),
        (None, 9000, False, False),  # the project is locked
    ],
)
def test_a_command_ends_early_only_if_something_shows_that_no_editor_can_come(
    reason: Optional[str], waited_ms: int, is_any_open: Optional[bool], ends: bool
) -> None:
    listener = {"state": "listening", "waited_ms": waited_ms}
    state = {
        **ALONE,
        "listener": listener,
        "project": GAME,
        "reason": reason,
        "project_remark": "it has port 9000",
    }
    nobody = in_vain(is_any_editor_open=lambda: is_any_open)(state)
    assert (nobody is not None) is ends
    # A plugin of others was connected to this server before.
    if reason != "other_port":
        assert (
            in_vain(is_any_editor_open=lambda: is_any_open)({**state, "plugin_version": "1.0.0"})
            is None
        )


@pytest.mark.parametrize("is_any_open", [False, True])
def test_a_command_without_a_project_ends_early_where_no_editor_is_open(is_any_open: bool) -> None:
    state = {**ALONE, "listener": {"state": "listening", "waited_ms": 3000}}
    nobody = in_vain(is_any_editor_open=lambda: is_any_open)(state)
    assert (nobody is None) is is_any_open


@pytest.mark.skipif(os.name == "nt", reason="quoted for a POSIX shell")
@pytest.mark.parametrize("reason", ["plugin_not_installed", "unity_not_running"])
def test_the_command_that_installs_the_plugin_quotes_the_project(reason: str) -> None:
    """A repository names its folders, and what is printed is pasted."""
    project = "/games/$(touch made)"
    state = {"port": 8091, "listener": {"state": "listening"}, "reason": reason, "project": project}
    [command] = no_editor(state, 1.0).message.split("`")[1::2]
    assert shlex.split(command)[-1] == project
