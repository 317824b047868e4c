"""The editors of a soak: simulated ones, or the unmodified plugin on Mono. Each has faults of its own, and a ledger."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Protocol

from tests.soak.ledgers import Deeds, Message
from tests.soak.line import Record
from unity_bridge.simulator.process import SimulatorProcess

if TYPE_CHECKING:
    from tests.unity_headless.headless_editor import HeadlessEditor

START_S = 30.0

Wait = Callable[[float], Any]


class Editors(Protocol):
    """One editor at a time; ``faults`` are what can be done to it, by one thread."""

    faults: Dict[str, Callable[[], None]]
    accidents: Dict[str, int]  # what went wrong besides, and how often

    def a_run(self) -> Message:
        """Arguments for one more call of ``run_tests``."""
        ...

    def mend(self) -> None:
        """From here on nothing goes wrong."""
        ...

    def close(self) -> None: ...

    def deeds(self, record: Record) -> Deeds: ...


def freeze(pid: int, wait: Callable[[], Any]) -> None:
    os.kill(pid, signal.SIGSTOP)
    wait()
    os.kill(pid, signal.SIGCONT)


# Simulated.

_FAULTS = ["late", "twice", "lose", "malformed", "garbage", "oversize", "drop_before", "drop_after", "fail", "refuse"]
_PROJECT: Message = {
    "name": "Soak",
    "path": "/Projects/Soak",
    "compile_reload_s": 0.3,
    "play_reload_s": 0.3,
    "tests": [
        {"name": "Soak.Good.First", "duration_s": 0.05},
        {"name": "Soak.Good.Second", "duration_s": 0.05},
        {"name": "Soak.Good.Plays", "mode": "play", "duration_s": 0.05},
        {"name": "Soak.Bad.Fails", "duration_s": 0.05, "outcome": "failed", "message": "by design"},
    ],
    "console": [{"message": f"entry {number}"} for number in range(50)],
}


class SimulatedEditors:
    """``dialect``: one of the simulator's: our own plugin's, or that of one written from the founding records alone."""

    def __init__(self, port: int, dialect: str, chance: random.Random, wait: Wait) -> None:
        self._port = port
        self._dialect = dialect
        self._chance = chance
        self._wait = wait
        self._all: List[SimulatorProcess] = []
        self.accidents: Dict[str, int] = {}
        self._folder = tempfile.TemporaryDirectory()
        self._project = Path(self._folder.name) / "project.json"
        self._project.write_text(json.dumps(_PROJECT), encoding="utf-8")
        self._open()
        self.faults: Dict[str, Callable[[], None]] = {
            "line dropped by the plugin": lambda: self._order("drop"),
            "reload": lambda: self._order(f"reload {self._length()}"),
            "compile": lambda: self._order(f"compile {self._length()} {chance.choice([0, 0, 2])}"),
            "reload storm": self._storm,
            "main thread stalled": lambda: self._order(f"stall {self._length()}"),
            "editor closed and opened": lambda: self._order(f"restart {self._length()}"),
            "editor crashed": self._crash,
            "deaf editor": self._deafen,
            "answer spoilt": self._spoil,
            "editor killed": self._kill,
        }
        if os.name == "posix":
            self.faults["editor stopped"] = lambda: freeze(self._now.pid, lambda: self._wait(self._length()))

    def a_run(self) -> Message:
        return {"filter": self._chance.choice(["Soak.Good", "Soak.Good.First", "Soak.Good.Second", "Soak.Bad", ""])}

    def mend(self) -> None:
        self._order("hear")

    def close(self) -> None:
        self._now.stop()
        self._folder.cleanup()

    def deeds(self, record: Record) -> Deeds:
        return _Simulated(self._all)

    @property
    def _now(self) -> SimulatorProcess:
        return self._all[-1]

    def _open(self) -> None:
        project, dialect = str(self._project), self._dialect
        editor = SimulatorProcess(self._port, project_file=project, dialect=dialect, python=sys.executable)
        editor.start()
        self._all.append(editor)
        editor.wait_for("started", START_S)

    def _length(self) -> float:
        return round(self._chance.choice([0.0, 0.1, 0.3, 1.0, 3.0]), 2)

    def _order(self, line: str) -> None:
        self._now.order(line)

    def _storm(self) -> None:
        for _ in range(self._chance.randint(3, 8)):
            self._order("reload 0.05")

    def _crash(self) -> None:
        self._order("crash")
        self._wait(self._length())
        self._order("restart 0.1")

    def _deafen(self) -> None:
        self._order("deaf")
        self._wait(self._length())
        self._order("hear")

    def _spoil(self) -> None:
        what = self._chance.choice(["execute", "execute", "submit_job", "get_job_status", "cancel"])
        self._order(f"fault {self._chance.choice(_FAULTS)}:{what}")

    def _kill(self) -> None:
        self._now.kill()
        self._wait(self._length())
        self._open()


class _Simulated:
    """Told by the simulators' events. A run is called what its server called it."""

    def __init__(self, editors: List[SimulatorProcess]) -> None:
        self._executed: Counter[str] = Counter()
        self._taken: Dict[str, List[str]] = {}  # mark -> runs
        self._known_as: Dict[str, List[str]] = {}  # run -> what the editors called it
        self._begun: Counter[str] = Counter()
        self._finished: Dict[str, str] = {}
        self._living: List[str] = []
        for editor in editors:
            self._living.clear()
            for event in editor.log.all():
                self._take(event.kind, event.values)

    def executed(self, mark: str) -> bool:
        return self._executed[mark] > 0

    def runs_of(self, mark: str) -> List[str]:
        return self._taken.get(mark, [])

    def begun(self, job_id: str) -> int:
        return sum(self._begun[name] for name in self._known_as.get(job_id, []))

    def may_have_ended(self, job_id: str, state: str) -> bool:
        ends = {self._finished.get(name) for name in self._known_as.get(job_id, [])}
        return state in ends or (state == "cancelled" and not self.begun(job_id))

    def is_known(self, job_id: str) -> bool:
        return job_id in self._living[-200:]

    def faults(self) -> List[str]:
        return []

    def _take(self, kind: str, values: Mapping[str, Any]) -> None:
        if kind == "execute":
            self._executed[str(values["client_request_id"])] += 1
        elif kind == "taken":
            self._taken.setdefault(str(values["client_request_id"]), []).append(values["job_id"])
            self._known_as.setdefault(values["job_id"], []).append(values["known_as"])
            self._living.append(values["known_as"])
        elif kind == "tests_started":
            self._begun[values["job_id"]] += 1
        elif kind == "job_finished":
            self._finished[values["job_id"]] = values["state"]
        elif kind == "order" and str(values["line"]).startswith(("crash", "restart")):
            self._living.clear()


# The plugin itself.

_TESTS = 3000
_KEPT = 20  # of the 32 jobs that the plugin keeps
_BROKEN = "Assets/Broken.cs(7,3): error CS1002: ; expected"


class MonoEditors:
    """The unmodified plugin in a headless editor. Each call runs a test that no other call runs: the test framework
    below the plugin then tells what became of it."""

    def __init__(self, port: int, chance: random.Random, wait: Wait) -> None:
        self._port = port
        self._chance = chance
        self._wait = wait
        self.accidents: Dict[str, int] = Counter()
        self._folder = tempfile.TemporaryDirectory(prefix="soak-")
        self._project = Path(self._folder.name) / "Game"
        self._all: List[HeadlessEditor] = []
        self._numbers = iter(range(_TESTS))
        self._drawing = threading.Lock()
        self._open()
        self.faults: Dict[str, Callable[[], None]] = {
            "reload": self._alive(lambda: self._do(f"reload {self._length_ms()}", r"reloaded \d+")),
            "compile": self._alive(lambda: self._do(f"compile ok {self._length_ms()}", r"reloaded \d+")),
            "compile errors": self._alive(self._break_the_scripts),
            "reload storm": self._alive(self._storm),
            "main thread stalled": self._alive(lambda: self._do(f"stall {self._length_ms()}", "stalled")),
            "editor closed and opened": self._alive(self._reopen),
            "editor killed": self._alive(self._kill),
        }
        if os.name == "posix":
            self.faults["editor stopped"] = self._alive(
                lambda: freeze(self._now.pid, lambda: self._wait(self._length_ms() / 1000))
            )

    def a_run(self) -> Message:
        with self._drawing:
            return {"filter": _test_name(next(self._numbers))}

    def mend(self) -> None:
        self._alive(self._now.settle)()

    def close(self) -> None:
        self._now.stop()
        self._folder.cleanup()

    def deeds(self, record: Record) -> Deeds:
        return _OnMono(self._all, record)

    @property
    def _now(self) -> HeadlessEditor:
        return self._all[-1]

    def _open(self) -> None:
        from tests.unity_headless.headless_editor import HeadlessEditor  # not at the top: it needs pytest

        tests = [f"test {_a_test(number)}" for number in range(_TESTS)]
        self._all.append(HeadlessEditor(self._port, project=self._project, held=["echo off", *tests]))

    def _alive(self, fault: Callable[[], None]) -> Callable[[], None]:
        """Mono itself crashes now and then when it unloads a domain: then there is a new editor, as after any crash."""

        def deal() -> None:
            try:
                fault()
            except (AssertionError, OSError) as error:
                try:
                    self._now.process.wait(START_S)
                except subprocess.TimeoutExpired:
                    raise error from None
                self.accidents["Mono crashed by itself"] += 1
                self._now.stop()
                self._open()

        return deal

    def _length_ms(self) -> int:
        return self._chance.choice([0, 100, 300, 1000, 3000])

    def _do(self, command: str, until: str) -> None:
        self._now.command(command)
        self._now.wait_for(until)

    def _storm(self) -> None:
        for _ in range(self._chance.randint(2, 4)):
            self._do("reload", r"reloaded \d+")

    def _break_the_scripts(self) -> None:
        self._do(f"compile fail 50 {_BROKEN}", "compiled failed")
        self._wait(self._length_ms() / 1000)
        self._do("compile ok 50", "compiled ok")

    def _kill(self) -> None:
        self._now.kill()
        self._now.stop()
        self._wait(self._length_ms() / 1000)
        self._open()

    def _reopen(self) -> None:
        self._now.command("quit")
        self._now.process.wait(START_S)
        self._now.stop()
        self._wait(self._length_ms() / 1000)
        self._open()


def _test_name(number: int) -> str:
    return f"Soak.Tests.N{number}"


def _a_test(number: int) -> str:
    mode = "play" if number % 4 == 1 else "edit"
    return f"{mode}|{_test_name(number)}|{'fail' if _fails(number) else 'pass'}|{20 + number % 7 * 40}"


def _fails(number: int) -> bool:
    return number % 5 == 2


class _OnMono:
    """Told by the test framework below the plugin."""

    def __init__(self, editors: List[HeadlessEditor], record: Record) -> None:
        self._tests = {job_id: str(message["params"].get("filter")) for job_id, message in record.jobs.items()}
        self._runs: Dict[str, List[str]] = {}
        for job_id, message in record.jobs.items():
            self._runs.setdefault(message["client_request_id"], []).append(job_id)
        lines = [line for editor in editors for line in editor.history]
        self._begun = Counter(line[len("test ") :] for line in lines if line.startswith("test "))
        self._violations = [line for editor in editors for line in editor.violations()]

    def executed(self, mark: str) -> bool:
        return False  # what the plugin says it read is all there is to know of that

    def runs_of(self, mark: str) -> List[str]:
        return [job_id for job_id in self._runs.get(mark, []) if self.begun(job_id)]

    def begun(self, job_id: str) -> int:
        return self._begun[self._tests.get(job_id, "")]

    def may_have_ended(self, job_id: str, state: str) -> bool:
        test = self._tests.get(job_id, "")
        if state in ("succeeded", "failed"):
            return self._begun[test] == 1 and (state == "failed") == _fails(int(test.rpartition("N")[2]))
        return True

    def is_known(self, job_id: str) -> bool:
        return job_id in list(self._tests)[-_KEPT:] and self.begun(job_id) > 0

    def faults(self) -> List[str]:
        return [f"in the editor: {line}" for line in self._violations]
