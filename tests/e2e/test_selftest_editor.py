"""The editor of a self-test never outlives the run, and a missing licence ends both (SPEC §25.1)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import Any, Dict, Iterator, List, Sequence, cast

import pytest

from tests.editor_life.desk import soon
from tests.editor_life.fake_unity import USUAL, FakeUnity
from tests.fakes import ManualClock
from tests.strict_python import STRICT
from unity_bridge.editor_life.opening import OpenRequest
from unity_bridge.editor_life.processes import start_of
from unity_bridge.launch.environment import isolated
from unity_bridge.selftest.calls import Calls
from unity_bridge.selftest.editor import ScratchEditor
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the fake Unity is a script")

GUARD_S = 300
LOADED = ("log", "[Project] Loading completed")


class Bench:
    """A self-test with a fake Unity in a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.file = folder / "report.json"
        self.unity = FakeUnity(folder)

    def start(self, steps: Sequence[Sequence[Any]], *options: str) -> subprocess.Popen[str]:
        self.unity.plan(steps)
        unity = ("--unity", str(self.unity.program))
        return subprocess.Popen(
            [
                *isolated(),
                "selftest",
                *unity,
                "--report",
                str(self.file),
                "--only",
                "install",
                *options,
            ],
            env={**os.environ, **STRICT, STATE_DIR_VARIABLE: str(self.state), "DISPLAY": ":0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def has_started(self) -> bool:
        return bool(self.unity.starts())

    def rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = json.loads(self.file.read_text(encoding="utf-8"))["rows"]
        return rows

    def is_left(self) -> Dict[str, Any]:
        """What the run has left: its editor, and its scratch project."""
        pids = [start["pid"] for start in self.unity.starts()]
        return {
            "editors": [pid for pid in pids if start_of(pid) is not None],
            "projects": [path.name for path in (self.state / "selftest").glob("*/Scratch")],
        }

    def close(self) -> None:
        self.unity.end_all()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(tmp_path)) as made:
        yield made


def said_until(process: subprocess.Popen[str], words: str) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            return line
    raise AssertionError(f"it never said {words!r}")


def test_ctrl_c_while_the_editor_starts_says_so_and_ends_the_editor(bench: Bench) -> None:
    with bench.start([*USUAL[:2], ("gate", "never")]) as process:
        assert soon(bench.has_started)
        said_until(process, "Unity is starting")
        process.send_signal(signal.SIGINT)
        assert "Closing the scratch editor" in said_until(process, "Interrupted")
        process.communicate(timeout=GUARD_S)
    assert process.returncode == 130
    assert bench.is_left() == {"editors": [], "projects": []}
    assert [row["reason"] for row in bench.rows()][-1] == "interrupted"


def test_a_second_ctrl_c_ends_an_editor_that_takes_its_time_to_close(bench: Bench) -> None:
    # At this speed a row of play mode is not over when the signal comes.
    with bench.start(
        [*USUAL[:2], LOADED, ("connect_and_stay", 0.001)], "--only", "play"
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # a row is over
        process.send_signal(signal.SIGINT)
        said_until(process, "Interrupted")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=GUARD_S)
    assert process.returncode == 130
    assert bench.is_left() == {"editors": [], "projects": []}


def test_a_missing_licence_ends_a_headless_run_with_that_reason(bench: Bench) -> None:
    with bench.start([("replay", "no-licence.log"), ("exit", 1)], "--headless") as process:
        process.communicate(timeout=GUARD_S)
    assert process.returncode == 1
    assert bench.rows()[0]["reason"].startswith("licence: ")
    (start,) = bench.unity.starts()
    assert "-batchmode" in start["arguments"] and "-nographics" not in start["arguments"]


@pytest.mark.parametrize(("headless", "state"), [(True, "licence"), (False, "ready")])
def test_only_a_headless_editor_gives_up_waiting_for_a_licence(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, headless: bool, state: str
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path / "state"))
    monkeypatch.setenv("DISPLAY", ":0")
    project = tmp_path / "Scratch"
    (project / "ProjectSettings").mkdir(parents=True)
    (project / "ProjectSettings" / "ProjectVersion.txt").write_text(
        "m_EditorVersion: 2022.3.10f1\n"
    )
    bench.unity.plan(
        [("log", "IPC channel to LicensingClient doesn't exist; retrying"), ("gate", "never")]
    )
    clock, said, opened = ManualClock(), cast(List[str], []), cast(Dict[str, Any], {})

    class Licensed:
        def pause(self, seconds: float) -> None:
            # Time moves only while the editor waits for its licence.
            if not opened and "licensing client" in " ".join(said):
                clock.advance(10.0)
            Event().wait(0.01)

        def state(self) -> Any:
            is_ready = clock.now() >= 1100.0
            return (
                {"connected": True, "trusted": True, "editor_state": "ready", "editor": {}}
                if is_ready
                else None
            )

        def ask_to_close(self) -> None:
            return None

    request = OpenRequest(str(project), str(bench.unity.program), headless=headless)
    editor = ScratchEditor(request, clock, cast(Calls, Licensed()))
    try:
        opened.update(editor.open(600.0, said.append))
    finally:
        bench.unity.end_all()  # as a person would
        editor.close_or_end()
    assert opened["state"] == state
