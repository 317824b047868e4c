"""No code comes from the folder that a command is started in: an agent's workspace may hold
anything (SPEC §20.8).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

from tests.e2e.foreign_code import ALWAYS, BY_VARIABLES, OF_THE_USER, Way
from tests.e2e.hostile_workspace import CONFESSION, make_hostile, surroundings
from tests.faulty_editor.process import SimulatorProcess
from unity_bridge.installation.clients.client import Machine
from unity_bridge.installation.entry_environment import entry_environment
from unity_bridge.launch import environment
from unity_bridge.launch.environment import isolated
from unity_bridge.version import __version__

LAUNCHER = [sys.executable, os.path.join(environment.ROOT, "bin", "unity-bridge")]
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
GUARD_S = 60


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return make_hostile(tmp_path / "workspace")


def run(command: List[str], folder: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        command,
        input=stdin,
        cwd=str(folder),
        env=surroundings(HOME=str(folder.parent), USERPROFILE=str(folder.parent)),
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD_S,
    )
    assert CONFESSION not in done.stdout + done.stderr
    return done


@pytest.mark.parametrize("program", [isolated(), LAUNCHER], ids=["module", "launcher"])
class TestAHostileWorkspace:
    def test_does_not_reach_the_commands(self, program: List[str], hostile: Path) -> None:
        assert run([*program, "--version"], hostile).stdout == f"unity-bridge {__version__}\n"
        assert run([*program, "client", "list"], hostile).returncode == 0

    def test_does_not_reach_the_server(self, program: List[str], hostile: Path) -> None:
        served = run([*program, "--port", "0"], hostile, stdin=json.dumps(INITIALIZE) + "\n")

        assert served.returncode == 0, served.stderr
        assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "unity-bridge"


def test_a_hostile_workspace_does_not_reach_the_simulator(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "."]))
    with SimulatorProcess(1) as editor:
        editor.wait_for("started", GUARD_S)


def test_an_entry_of_an_earlier_version_takes_no_package_from_the_workspace(tmp_path: Path) -> None:
    """It says ``-m unity_bridge``. What Python itself imports before our first line is out of our
    hands.
    """
    folder = tmp_path / "workspace"
    folder.mkdir()
    folder.joinpath("click.py").write_text(
        f"raise SystemExit('{CONFESSION}: click')\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "unity_bridge", "--version"]
    done = subprocess.run(
        command,
        cwd=str(folder),
        env=surroundings(PYTHONPATH=environment.ROOT),
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD_S,
    )

    assert (done.stdout, done.stderr) == (f"unity-bridge {__version__}\n", "")


def marks_of(way: Way, program: List[str], tmp_path: Path, **entrys: str) -> str:
    """What the planted code wrote while a server started in the workspace, served one call and
    ended.
    """
    workspace, mark = tmp_path / "workspace", tmp_path / "mark"
    environ = surroundings(
        **{
            "HOME": str(tmp_path),
            "USERPROFILE": str(tmp_path),
            **way.plant(workspace, mark),
            **entrys,
        }
    )
    served = subprocess.run(
        [*program, "--port", "0"],
        input=json.dumps(INITIALIZE) + "\n",
        cwd=str(workspace),
        env=environ,
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD_S,
    )
    if way.programs:
        subprocess.run(
            [*program, "doctor"],
            cwd=str(workspace),
            env=environ,
            capture_output=True,
            timeout=GUARD_S,
        )
    if not mark.exists():
        assert json.loads(served.stdout)["result"]["serverInfo"]["name"] == "unity-bridge", (
            served.stderr
        )
    return mark.read_text(encoding="utf-8") if mark.exists() else ""


def named(way: Way) -> str:
    return way.name


@pytest.mark.skipif(os.name == "nt", reason="programs and paths of POSIX")
@pytest.mark.parametrize("program", [isolated(), LAUNCHER], ids=["module", "launcher"])
class TestTheWaysToRunForeignCode:
    @pytest.mark.parametrize("way", [*ALWAYS, *BY_VARIABLES], ids=named)
    def test_none_reaches_a_server_that_an_entry_starts(
        self, way: Way, program: List[str], tmp_path: Path
    ) -> None:
        python, *words = program
        assert (
            marks_of(
                way, [python, "-I", *words], tmp_path, **entry_environment(Machine(environ={}))
            )
            == ""
        )

    @pytest.mark.parametrize("way", ALWAYS, ids=named)
    def test_rules_that_always_hold_need_no_entry(
        self, way: Way, program: List[str], tmp_path: Path
    ) -> None:
        assert marks_of(way, program, tmp_path) == ""

    @pytest.mark.parametrize("way", BY_VARIABLES, ids=named)
    def test_the_planted_code_can_run_without_the_entry(
        self, way: Way, program: List[str], tmp_path: Path
    ) -> None:
        """A row that can never leave a mark proves nothing; and what is not defended is said in
        SECURITY.md.
        """
        assert marks_of(way, program, tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="programs and paths of POSIX")
def test_packages_of_a_user_that_the_folder_poses_as_are_not_run_by_an_entry(
    tmp_path: Path,
) -> None:
    """Such a Python cannot run the tests' own packages, so no server is started."""
    mark = tmp_path / "mark"
    environ = surroundings(**OF_THE_USER.plant(tmp_path, mark))
    python = os.path.realpath(
        sys.executable
    )  # outside the tests' environment, which has no packages of a user
    for flag, has_run in (("-I", False), ("-q", True)):
        subprocess.run(
            [python, flag, "-c", "pass"],
            cwd=str(tmp_path),
            env=environ,
            check=True,
            timeout=GUARD_S,
        )
        assert mark.exists() is has_run
