"""Commands in a shell without access to local connections, next to an editor outside (SPEC §18.3).

``unshare`` makes the sandboxes that agents use on Linux: a network of their own, with and without ``lo``, and processes
of their own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.editor_life.desk import LIMIT_S, Desk
from unity_bridge.launch import environment

WITH_LO = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
SANDBOXES = {
    "without lo": ["unshare", "-rn"],
    "with lo": ["unshare", "-rn", *WITH_LO],
    "with processes of its own": ["unshare", "-rnpf", "--mount-proc", *WITH_LO],
}


def _is_possible() -> bool:
    if sys.platform != "linux" or not (shutil.which("unshare") and shutil.which("ip")):
        return False
    return all(
        subprocess.run([*words, "true"], capture_output=True).returncode == 0
        for words in SANDBOXES.values()
    )


pytestmark = pytest.mark.skipif(
    not _is_possible(), reason="this machine lets no user make namespaces"
)


class Sandbox:
    """A desk whose simulated editor runs outside; its commands run inside."""

    def __init__(self, desk: Desk, words: List[str]) -> None:
        self.desk = desk
        self._words = words

    def run(self, *words: str) -> Tuple[int, Dict[str, Any], str]:
        done = subprocess.run(
            [*self._words, *environment.isolated(), *words, "--json"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            cwd=str(self.desk.home),
            env=self.desk.environ,
            timeout=LIMIT_S,
        )
        return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The simulated editor of `open` holds its project's lock, as Unity does."""
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.home.mkdir(exist_ok=True)
    status, _, stderr = desk.open("--unity", "simulate")
    assert status == 0, stderr
    yield desk
    desk.close()
    desk.clean()


@pytest.fixture(params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest, opened: Desk) -> Sandbox:
    return Sandbox(opened, SANDBOXES[request.param])


def test_a_call_says_that_it_runs_in_a_sandbox(sandbox: Sandbox) -> None:
    status, answer, stderr = sandbox.run("compile", *sandbox.desk.here)
    details = answer["error"]["details"]
    assert (status, details["reason"], details["recovery"]) == (3, "sandboxed", "ask_the_user"), (
        stderr
    )
    assert details["waited_ms"] < 2000 and "outside the sandbox" in answer["error"]["message"]


def test_status_and_doctor_say_the_same(sandbox: Sandbox) -> None:
    status, answer, stderr = sandbox.run("status", *sandbox.desk.here)
    assert (status, answer["result"]["reason"]) == (3, "sandboxed") and "sandbox" in stderr
    status, answer, _ = sandbox.run("doctor", *sandbox.desk.here)
    [found] = [one for one in answer["result"]["checks"] if one["check"] == "editor"]
    assert (status, found["verdict"]) == (1, "bad") and "runs in a sandbox" in found["message"]


def test_an_editor_inside_the_same_sandbox_is_reached(tmp_path: Path) -> None:
    """A container without a network in which Unity itself runs is no sandbox."""
    desk = Desk(tmp_path)
    desk.home.mkdir(exist_ok=True)
    inside = Sandbox(desk, ["unshare", "-rnpf", "--mount-proc", *WITH_LO])
    words = " ".join([*environment.isolated(), "{}", str(desk.project), "--port", str(desk.port)])
    script = "; ".join(
        (
            words.format("open") + " --unity simulate >&2",
            " ".join([*environment.isolated(), "status", *desk.here, "--json"]),
            words.format("close") + " >&2",
        )
    )
    done = subprocess.run(
        [*inside._words, "sh", "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        cwd=str(desk.home),
        env=desk.environ,
        timeout=LIMIT_S,
    )
    assert json.loads(done.stdout)["result"]["connected"] is True, done.stderr


def test_open_in_a_sandbox_waits_for_nothing(sandbox: Sandbox) -> None:
    """An editor outside has the project."""
    status, answer, stderr = sandbox.run(
        "open", str(sandbox.desk.project), "--port", str(sandbox.desk.port)
    )
    assert (status, answer["error"]["details"]["reason"]) == (1, "environment"), stderr
    assert "sandbox" in answer["error"]["message"]


def test_open_in_a_sandbox_starts_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    status, answer, stderr = Sandbox(desk, SANDBOXES["without lo"]).run("open", str(desk.project))
    assert (status, answer["error"]["details"]["reason"]) == (1, "environment"), stderr
    assert "sandbox" in answer["error"]["message"] and desk.unity.starts() == []
