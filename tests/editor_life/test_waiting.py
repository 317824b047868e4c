"""Each state of an editor that is waited for, from the lines of its log and from its connection
(SPEC §22.6).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

import pytest

from tests.fakes import ManualClock
from unity_bridge.commands.open import _Opening
from unity_bridge.commands.shared.options import ScriptSettings
from unity_bridge.config import Config
from unity_bridge.editor_life import processes
from unity_bridge.editor_life.opening import Opened, OpenRequest
from unity_bridge.editor_life.records import StartedEditor
from unity_bridge.editor_life.waiting import PORT_IN_USE, UNTRUSTED, EditorSeen, Watch
from unity_bridge.installation.command_line import ours

LOGS = Path(__file__).parent / "logs"


class Watched:
    """An editor that lives for as long as this process, and whose log the test writes."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.log = folder / "editor.log"
        self.project = folder / "game"
        pid = os.getpid()
        start = processes.start_of(pid)
        editor = StartedEditor(
            str(self.project), "/u", "", "x", str(self.log), "", pid=pid, process_start=start
        )
        self.used_s: Any = 0.0
        self.watch = Watch(
            str(self.project), Opened(editor, True), self.clock, lambda _: self.used_s
        )

    def says(self, text: str) -> None:
        with open(self.log, "a", encoding="utf-8") as stream:
            stream.write(text.replace("{project}", str(self.project)))

    def look(self, bridge: Optional[Dict[str, Any]] = None) -> EditorSeen:
        return self.watch.look(bridge)


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


def bridge(**members: Any) -> Dict[str, Any]:
    editor = {"main_thread_stalled_ms": members.pop("stalled_ms", 0)}
    state: Dict[str, Any] = {
        "connected": True,
        "trusted": True,
        "editor_state": "ready",
        "editor": editor,
        "port": 1,
    }
    return {**state, "listener": {}, **members}


ABSENT: Dict[str, Any] = {"connected": False, "editor": None, "editor_state": "unknown"}


def test_a_proven_plugin_of_a_ready_editor_ends_the_wait(watched: Watched) -> None:
    assert (watched.look(bridge()).state, watched.look(bridge()).is_final) == ("ready", True)


@pytest.mark.parametrize(
    "members, state, is_final",
    [
        ({"trusted": False}, "untrusted", True),
        ({"trusted": None}, "starting", False),
        ({"editor_state": "compiling"}, "compiling", False),
        ({"editor_state": "reloading"}, "compiling", False),
        ({"stalled_ms": 3000}, "starting", False),
        ({"stalled_ms": 600_000}, "starting", False),
    ],
)
def test_a_connected_plugin_shows_the_state(
    watched: Watched, members: Dict[str, Any], state: str, is_final: bool
) -> None:
    seen = watched.look(bridge(**members))
    assert (seen.state, seen.is_final) == (state, is_final)


def test_a_main_thread_that_stands_still_while_the_log_grows_is_no_dialog(watched: Watched) -> None:
    """A long import holds it too."""
    watched.says("Start importing Assets/A.png\n")
    assert watched.look(bridge(stalled_ms=20_000)).state == "starting"
    watched.clock.advance(10)
    seen = watched.look(bridge(stalled_ms=30_000))
    assert (seen.state, seen.members["log_silent_ms"]) == ("starting", 10_000)


def still(watched: Watched, seconds: int, used_s: float = 0.0, text: str = "") -> EditorSeen:
    """A main thread that has stood still for an hour, looked at every second. ``used_s``: of the processor, a second.
    ``text``: written to the log each second."""
    seen = watched.look(bridge(stalled_ms=3_600_000))
    for _ in range(seconds):
        watched.clock.advance(1)
        watched.used_s += used_s
        if text:
            watched.says(text)
        seen = watched.look(bridge(stalled_ms=3_600_000))
    return seen


def test_a_loaded_editor_that_does_nothing_for_a_minute_shows_a_dialog(watched: Watched) -> None:
    watched.says("[Project] Loading completed in 8.1 seconds\n")
    assert still(watched, 62).state == "starting", (
        "its log was silent for three seconds before this counts"
    )
    seen = still(watched, 2)
    assert (seen.state, seen.is_final, seen.members["main_thread_stalled_ms"]) == (
        "dialog",
        True,
        3_600_000,
    )


@pytest.mark.parametrize(
    "log, used_s, text",
    [
        ("", 0.0, ""),  # it has not loaded the project
        ("[Project] Loading completed in 8.1 seconds\n", 0.4, ""),  # one large asset is imported
        ("[Project] Loading completed in 8.1 seconds\n", 0.0, "Start importing Assets/A.png\n"),
    ],
)
def test_an_editor_at_work_stands_in_no_dialog(
    watched: Watched, log: str, used_s: float, text: str
) -> None:
    watched.says(log)
    assert still(watched, 300, used_s, text).state == "starting"


def test_an_editor_whose_processor_time_is_unknown_stands_in_no_dialog(watched: Watched) -> None:
    watched.says("[Project] Loading completed in 8.1 seconds\n")
    watched.used_s = None
    assert still(watched, 0).state == "starting"


def test_nothing_is_guessed_from_silence(watched: Watched) -> None:
    assert watched.look().members == {}
    watched.says("Built from x\n")
    watched.look()
    watched.clock.advance(59.9)
    assert watched.look().sentence == "Unity is starting"
    watched.clock.advance(0.1)
    seen = watched.look()
    assert (seen.state, seen.is_final, seen.members["log_silent_ms"]) == ("starting", False, 60_000)
    assert "a dialog of Unity or of Hub may be waiting" in seen.sentence
    watched.says("more\n")
    assert watched.look().members == {"log_silent_ms": 0, "log_last_line": "more"}


def test_a_licence_that_is_missing_while_the_editor_stands(watched: Watched) -> None:
    watched.says((LOGS / "no-licence.log").read_text())
    seen = watched.look()
    assert (seen.state, seen.is_final) == ("licence", True)
    assert seen.members["evidence"] == [
        "No valid Unity Editor license found. Please activate your license."
    ]
    # The user activates one.
    watched.says(
        "[Licensing::Client] Licenses updated successfully\nInitialize engine version: 2022.3.10f1\n"
    )
    watched.says("Licenses updated successfully\n")
    assert watched.look().state == "starting"


def test_a_licensing_client_that_does_not_answer_yet(watched: Watched) -> None:
    """Most starts with such lines work out, so they end nothing."""
    watched.says((LOGS / "licence-server.log").read_text())
    seen = watched.look()
    assert (seen.state, seen.is_final) == ("licence", False) and len(seen.members["evidence"]) == 2
    watched.says("Successfully changed project path to: {project}\n")
    assert watched.look().state == "starting"


def test_another_instance_stands_in_a_dialog(watched: Watched) -> None:
    watched.says((LOGS / "another-instance.log").read_text())
    seen = watched.look()
    assert (seen.state, seen.is_final) == ("another_instance", True)


def test_a_compilation(watched: Watched) -> None:
    watched.says("Successfully changed project path to: {project}\n")
    watched.says(
        'Starting: /opt/unity/bee_backend --dagfile="Library/Bee/2400b0aE.dag" ScriptAssemblies\n'
    )
    assert watched.look().state == "compiling"
    watched.says("*** Tundra build success (0.68 seconds), 3 items updated, 297 evaluated\n")
    assert watched.look().state == "starting"


def test_a_port_that_another_program_keeps(watched: Watched) -> None:
    held = {**ABSENT, "port": 8091, "listener": {"reason": "port_in_use", "holder": "node (pid 3)"}}
    assert watched.look(held).state == "starting", (
        "a server that is ending or slow has its port for a while"
    )
    watched.clock.advance(10.0)
    seen = watched.look(held)
    assert (seen.state, seen.is_final) == ("port_in_use", True) and "node (pid 3)" in seen.sentence


def test_a_log_that_begins_again_is_read_from_its_beginning(watched: Watched) -> None:
    watched.says("No valid Unity Editor license found. Please activate your license.\n")
    assert watched.look().state == "licence"
    watched.log.write_text("new\n")
    assert watched.look().members["log_last_line"] == "new"


def test_hostile_logs(watched: Watched) -> None:
    watched.says("x" * 1_000_000 + "\n" + "\x1b[2J\u202e" + "\n" + "half a line")
    seen = watched.look()
    assert len(seen.members["log_last_line"]) <= 200 and "\x1b" not in seen.members["log_last_line"]
    watched.log.unlink()
    watched.log.mkdir()
    assert watched.look().state == "starting"


@pytest.mark.parametrize("name", ["crash-linux.log", "crash-windows.log"])
def test_an_editor_whose_log_ends_as_a_crash_does(tmp_path: Path, name: str) -> None:
    log, clock = tmp_path / "editor.log", ManualClock()
    log.write_text((LOGS / name).read_text())
    editor = StartedEditor("/game", "/u", "", "x", str(log), "", pid=2**30, process_start="0")
    watch = Watch(str(tmp_path), Opened(editor, False), clock)
    assert watch.look(None).state == "starting", "it may be starting itself again"
    clock.advance(2)
    seen = watch.look(None)
    assert (seen.state, seen.members["crashed"], "exit_status" in seen.members) == (
        "ended",
        True,
        False,
    )
    assert "ends as a crash does" in seen.sentence


def test_the_state_of_another_users_editor(tmp_path: Path) -> None:
    """No process and no log of ours: the connection alone, and the lock."""
    clock = ManualClock()
    watch = Watch(str(tmp_path), Opened(None, False), clock)
    assert watch.look(bridge()).state == "ready"
    assert watch.look({**ABSENT, "listener": {}, "port": 1}).state == "starting"
    clock.advance(14)
    assert watch.look({**ABSENT, "listener": {}, "port": 1}).state == "starting", (
        "editors restart themselves"
    )
    clock.advance(1)
    assert watch.look({**ABSENT, "listener": {}, "port": 1}).state == "ended"


@pytest.mark.parametrize(
    "state, words",
    [
        (PORT_IN_USE, ("plugin", "install", "{}", "--port", "auto")),
        (UNTRUSTED, ("plugin", "update", "{}")),
    ],
)
def test_open_prints_the_command_for_the_project_that_it_knows(
    state: str, words: Tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = str(tmp_path / "My Game")
    opening = _Opening(ScriptSettings(Config(), 1.0, project), OpenRequest(project))
    assert opening._end(EditorSeen(state, "It is so", True), {}) == 1
    assert f"`{ours(*(word.format(project) for word in words))}`." in capsys.readouterr().err
