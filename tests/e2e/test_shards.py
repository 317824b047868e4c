"""2000 tests in eight shards under `make -j`, each with an editor of its own, and the sum of their
reports.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from unity_bridge.base.result import Ok
from unity_bridge.launch.environment import isolated
from unity_bridge.shards import junit_file
from unity_bridge.shards.test_list import Fixture

GUARD_S = 300
SHARDS = 8
FIXTURES = 100
# Seconds of a pretend test pass in no time; the editor that is to be killed takes them as they are.
SPEED = 100_000.0

MAKEFILE = """
shard-%.xml:
\t@echo $$$$ > pid-$*; exec $(BRIDGE) --port $(PORT_$*) test --shard $*/$(SHARDS) --junit $@ $(DURATIONS) 2> said-$*
"""

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("make") is None, reason="needs make"
)


def project(tests: int = 2000) -> Dict[str, Any]:
    """Fixtures of very different length, in two modes and three assemblies, with failures and
    skipped tests.
    """

    def test(number: int) -> Dict[str, Any]:
        fixture = number % FIXTURES
        mode = "play" if fixture % 4 == 3 else "edit"
        return {
            "name": f"Game.Area{fixture % 7}.Fixture{fixture}.Test{number}",
            "mode": mode,
            "assembly": "Game.PlayTests" if mode == "play" else f"Game.Tests{fixture % 2}",
            "duration_s": 0.01 * (1 + fixture * fixture % 97),
            "outcome": {5: "failed", 6: "skipped"}.get(number % 50, "passed"),
        }

    return {
        "name": "Game",
        "path": "/Projects/Game",
        "tests": [test(number) for number in range(tests)],
    }


class Farm:
    """Eight editors, each on a port of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.ports: Dict[int, int] = {}
        self.editors: Dict[int, SimulatorProcess] = {}
        self._write("project.json", project())
        for number in range(1, SHARDS + 1):
            self.replace(number, "project.json")
        for editor in self.editors.values():  # a shard waits for its editor for 10 s
            editor.wait_for("waiting", GUARD_S)
        (folder / "Makefile").write_text(MAKEFILE)

    def _write(self, name: str, content: Dict[str, Any]) -> None:
        (self.folder / name).write_text(json.dumps(content))

    def replace(self, number: int, name: str, speed: float = SPEED) -> SimulatorProcess:
        """Another editor for a shard, on another port."""
        if number in self.editors:
            self.editors[number].stop()
        self.ports[number] = free_port()
        editor = SimulatorProcess(
            self.ports[number], project_file=str(self.folder / name), speed=speed
        )
        self.editors[number] = self._stack.enter_context(editor)
        return editor

    def with_another_list(self, number: int) -> None:
        self._write("another.json", project(1999))
        self.replace(number, "another.json")

    def make(self, *numbers: int, durations: str = "") -> subprocess.Popen[str]:
        variables = [f"PORT_{number}={port}" for number, port in self.ports.items()]
        bridge = " ".join(isolated())
        return subprocess.Popen(
            [
                *("make", "-k", f"-j{SHARDS}", f"BRIDGE={bridge}", f"SHARDS={SHARDS}", *variables),
                f"DURATIONS={'--durations ' + durations if durations else ''}",
                *(f"shard-{number}.xml" for number in numbers),
            ],
            cwd=str(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )

    def run(self, *numbers: int, durations: str = "") -> None:
        """The shards, again. The tests fail, and so does make."""
        for number in numbers:
            self.report(number).unlink(missing_ok=True)
        said = self.make(*numbers, durations=durations).communicate(timeout=GUARD_S)[0]
        merged = {number: (self.folder / f"said-{number}").read_text() for number in numbers}
        assert all(self.report(number).exists() for number in numbers), (said, merged)

    def report(self, number: int) -> Path:
        return self.folder / f"shard-{number}.xml"

    def merge(self, *more: str) -> Tuple[int, Any]:
        reports = sorted(path.name for path in self.folder.glob("shard-*.xml"))
        command = [*isolated(), "junit", "merge", "--json", "sum.xml", *reports, *more]
        done = subprocess.run(
            command,
            cwd=str(self.folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=GUARD_S,
        )
        return done.returncode, json.loads(done.stdout)["result"]


def cases(path: Path) -> List[Tuple[str, str, str, str]]:
    read = junit_file.read(str(path))
    assert isinstance(read, Ok)
    return sorted(
        (suite.properties["mode"], suite.properties["assembly"], case.class_name, case.name)
        for suite in read.value
        for case in suite.cases
    )


def taken(path: Path) -> Dict[Fixture, int]:
    read = junit_file.read(str(path))
    assert isinstance(read, Ok)
    return junit_file.durations_of(read.value)


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[Farm]:
    with ExitStack() as stack:
        yield Farm(tmp_path, stack)


ALL = range(1, SHARDS + 1)


def test_eight_shards_are_the_whole_and_every_wrong_one_is_named(farm: Farm) -> None:
    farm.run(*ALL)
    status, merged = farm.merge()
    assert (status, merged["tests"], merged["shards"], merged["failed"]) == (0, 2000, 8, 40), merged
    whole = cases(farm.folder / "sum.xml")
    assert whole == sorted(
        (test["mode"], test["assembly"], *test["name"].rsplit(".", 1))
        for test in project()["tests"]
    )
    shutil.copy(str(farm.folder / "sum.xml"), str(farm.folder / "yesterday.xml"))
    shutil.copy(str(farm.report(2)), str(farm.folder / "first-2.xml"))

    # A shard is given twice.
    status, merged = farm.merge("first-2.xml")
    assert (status, merged["faults"]) == (
        1,
        ["Shard 2 of 8 is given twice: first-2.xml, shard-2.xml."],
    )
    assert not (farm.folder / "sum.xml").exists()

    # One has the durations of yesterday.
    farm.run(2, durations="yesterday.xml")
    status, merged = farm.merge()
    assert status == 1
    assert (
        "shard-2.xml (shard 2 of 8) was divided by other durations than shard-1.xml (shard 1 of 8)."
        in merged["faults"]
    )

    # One is of another list: there a test was deleted.
    farm.with_another_list(2)
    farm.run(2)
    status, merged = farm.merge()
    assert status == 1
    assert (
        "shard-2.xml (shard 2 of 8) was made of another list of tests than shard-1.xml (shard 1 of 8)."
        in merged["faults"]
    )

    # One is killed while its tests run. Nothing of an earlier run stays for the merge.
    slow = farm.replace(2, "project.json", speed=1.0)
    farm.report(2).unlink()
    making = farm.make(2)
    slow.wait_for("tests_started")
    os.kill(int((farm.folder / "pid-2").read_text()), signal.SIGKILL)
    making.communicate(timeout=GUARD_S)
    status, merged = farm.merge()
    assert (status, merged["faults"]) == (1, ["Shard 2 of 8 is missing."])


def test_shards_by_durations_are_the_whole_and_take_equally_long(farm: Farm) -> None:
    farm.run(*ALL)
    assert farm.merge()[0] == 0
    (farm.folder / "sum.xml").rename(farm.folder / "yesterday.xml")
    farm.run(*ALL, durations="yesterday.xml")
    status, merged = farm.merge()
    assert (status, merged["tests"]) == (0, 2000), merged
    assert cases(farm.folder / "sum.xml") == cases(farm.folder / "yesterday.xml")

    shards = [taken(farm.report(number)) for number in ALL]
    longest = max(max(fixtures.values()) for fixtures in shards)
    times = [sum(fixtures.values()) for fixtures in shards]
    assert max(times) * SHARDS <= sum(times) + SHARDS * longest
