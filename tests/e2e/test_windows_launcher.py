"""``open``, ``close`` and ``selftest`` on Windows, as a user starts them: by
``bin\\unity-bridge.cmd`` (SPEC §22.3).

The launcher's environment is made of this Python's packages, without pip. The editor is the simulated one: a process
that ``open`` starts as it starts Unity.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.editor_life.desk import LIMIT_S, Desk
from unity_bridge.editor_life.records import EditorRecords, StartedEditor
from unity_bridge.launch import environment

pytestmark = pytest.mark.skipif(
    sys.platform != "win32", reason="only Windows has job objects and .cmd files"
)

LAUNCHER = Path(environment.ROOT) / "bin" / "unity-bridge"
IN_A_JOB = """\
import subprocess, sys
from unity_bridge.launch.job_object import EndsWithUs
EndsWithUs().take_children()
sys.exit(subprocess.call(sys.argv[1:]))
"""


class Terminal:
    """A desk whose commands run through the launcher, with an empty Python as the only one on PATH."""

    def __init__(self, folder: Path, venvs: Path) -> None:
        self.desk = Desk(folder)
        self.desk.home.mkdir(exist_ok=True)
        system = os.path.join(os.environ["SYSTEMROOT"], "system32")
        self.environ = {
            **self.desk.environ,
            "USERPROFILE": str(venvs / "home"),
            "PATH": os.pathsep.join((str(venvs / "empty" / "Scripts"), system)),
        }
        self.here = ("--port", str(self.desk.port), "--json")

    def run(self, *words: str) -> Tuple[int, Dict[str, Any], str]:
        """Exit status, the envelope, stderr, once the launcher has ended."""
        return self._ended(["cmd", "/c", str(LAUNCHER) + ".cmd", *words])

    def run_in_a_job(self, *words: str) -> Tuple[int, Dict[str, Any], str]:
        """The same below a program whose job lets nothing leave, as a cautious agent's does."""
        return self._ended([sys.executable, "-c", IN_A_JOB, sys.executable, str(LAUNCHER), *words])

    def living(self) -> List[StartedEditor]:
        return EditorRecords(self.desk.state / "editors").all_living()

    def _ended(self, command: List[str]) -> Tuple[int, Dict[str, Any], str]:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            cwd=str(environment.ROOT),
            env=self.environ,
            timeout=LIMIT_S,
        )
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


@pytest.fixture(scope="module")
def venvs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("venvs")
    ready = folder / "home" / environment.FOLDER / environment.folder_name(environment.LAUNCHER)
    for place, options in ((folder / "empty", ()), (ready, ("--system-site-packages",))):
        made = [sys.executable, "-I", "-m", "venv", "--without-pip", *options, str(place)]
        subprocess.run(
            made, check=True, timeout=LIMIT_S, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        )
    (ready / environment.READY).touch()
    return folder


@pytest.fixture
def terminal(tmp_path: Path, venvs: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path, venvs)
    yield made
    for editor in made.living():
        os.kill(editor.pid or 0, 9)


def test_the_editor_outlives_the_launcher_that_opened_it(terminal: Terminal) -> None:
    project = str(terminal.desk.project)
    status, answer, stderr = terminal.run("open", project, "--unity", "simulate", *terminal.here)
    assert (status, answer["result"]["state"]) == (0, "ready"), stderr
    # An editor that had ended with the launcher would compile nothing, and `open` would start
    # another.
    assert terminal.run("compile", "--project", project, *terminal.here)[0] == 0
    status, again, stderr = terminal.run("open", project, "--unity", "simulate", *terminal.here)
    assert (status, again["result"]["started"], again["result"]["pid"]) == (
        0,
        False,
        answer["result"]["pid"],
    ), stderr
    status, closed, stderr = terminal.run("close", project, *terminal.here)
    assert (status, closed["result"]["was_open"], terminal.living()) == (0, True, []), stderr


def test_an_editor_that_would_end_with_us_is_not_started(terminal: Terminal) -> None:
    project = str(terminal.desk.project)
    status, answer, stderr = terminal.run_in_a_job(
        "open", project, "--unity", "simulate", *terminal.here
    )
    assert (status, answer["error"]["details"]["reason"]) == (1, "tied_to_this_process"), stderr
    assert terminal.living() == [] and not (terminal.desk.project / "Library").exists()


def test_the_self_test_runs_through_the_launcher(terminal: Terminal) -> None:
    status, answer, stderr = terminal.run(
        "selftest", "--unity", "simulate", "--only", "state", "--json"
    )
    assert (status, terminal.living()) == (0, []), (answer, stderr)
