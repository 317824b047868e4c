"""docs/examples/unity-tests.sh where the editor does not come, with programs in place of Unity and
of unity-bridge.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Sequence

import pytest

from unity_bridge.launch.environment import ROOT

EXAMPLE = Path(ROOT) / "docs" / "examples" / "unity-tests.sh"
GUARD_S = 60
HANGS = "exec sleep 300"
NOT_READY = 'echo "Unity does not run on it: open that project in Unity" >&2; exit 3'

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a shell script")


class Run:
    """The script, started. ``unity`` and ``bridge`` are lines of a shell script; each writes its
    pid first.
    """

    def __init__(
        self, folder: Path, unity: str, bridge: str, seconds: str = "900", more: Sequence[str] = ()
    ) -> None:
        self._folder = folder
        environment: Dict[str, str] = {
            **os.environ,
            "UNITY": self._program("unity", unity),
            "UNITY_BRIDGE": self._program("bridge", bridge),
            "UNITY_START_SECONDS": seconds,
        }
        os.mkfifo(str(folder / "begun"))
        self.script = subprocess.Popen(
            ["sh", str(EXAMPLE), "Game", "results.xml", *more],
            cwd=str(folder),
            env=environment,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def _program(self, name: str, line: str) -> str:
        path = self._folder / name
        # Not read before it is whole.
        path.write_text(f"#!/bin/sh\necho $$ > {name}.new; mv {name}.new {name}.pid\n{line}\n")
        path.chmod(0o755)
        return str(path)

    def wait_until_begun(self) -> None:
        """Until one of the programs has written into the pipe ``begun``."""
        (self._folder / "begun").read_text()

    def ended(self) -> int:
        self.said = self.script.communicate(timeout=GUARD_S)[1]
        return self.script.returncode

    def left(self) -> List[str]:
        """The programs that still run."""
        found = []
        for file in self._folder.glob("*.pid"):
            try:
                os.kill(int(file.read_text()), 0)
                found.append(file.name)
            except ProcessLookupError:
                pass
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    for file in tmp_path.glob("*.pid"):  # of a script that left them
        try:
            os.kill(int(file.read_text()), signal.SIGKILL)
        except ProcessLookupError:
            pass


def test_an_editor_that_hangs_before_it_is_ready_ends_the_run_with_4_and_its_log(
    folder: Path,
) -> None:
    (folder / "unity-editor.log").write_text("waiting for the licence server\n")
    run = Run(folder, HANGS, NOT_READY, seconds="1")

    assert run.ended() == 4
    assert "waiting for the licence server" in run.said and run.said.count("open that project") == 1
    assert run.left() == []


def test_an_editor_that_dies_without_a_log_is_said_to(folder: Path) -> None:
    run = Run(folder, "exit 1", NOT_READY)

    assert run.ended() == 1
    assert "The editor ended before it was ready" in run.said and "no log" in run.said


def test_an_invalid_project_ends_the_run_at_once(folder: Path) -> None:
    run = Run(folder, HANGS, 'echo "Game is not a Unity project" >&2; exit 2')

    assert run.ended() == 2
    assert "not a Unity project" in run.said and run.left() == []


@pytest.mark.parametrize(
    "sent, status", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_tests_and_the_editor(
    folder: Path, sent: signal.Signals, status: int
) -> None:
    run = Run(folder, HANGS, f'if [ "$1" = test ]; then echo > begun; {HANGS}; fi')
    run.wait_until_begun()
    run.script.send_signal(sent)

    assert run.ended() == status
    assert run.left() == []


def test_options_behind_the_results_are_those_of_the_tests(folder: Path) -> None:
    run = Run(
        folder,
        HANGS,
        'if [ "$1" = test ]; then shift; echo "$@" > asked; fi',
        more=("--shard", "2/8"),
    )

    assert run.ended() == 0
    assert (
        folder / "asked"
    ).read_text() == "--project Game --junit results.xml --timeout 1800 --shard 2/8\n"


def test_the_status_of_the_tests_is_that_of_the_script(folder: Path) -> None:
    assert Run(folder, HANGS, 'if [ "$1" = test ]; then exit 1; fi').ended() == 1
