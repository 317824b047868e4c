"""The editors of a soak on Mono: the unmodified plugin in a headless editor."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

from tests.soak.editors import START_S, Wait, freeze
from tests.soak.ledgers import EditorLedger, Message, Moment
from tests.soak.proxy import Record

if TYPE_CHECKING:
    from tests.unity_headless.headless_editor import HeadlessEditor

_TESTS = 3000
_COUNTED = "did count "
_PLAYS_S = 5.0
_TIMES = 6
_KEPT = 20  # of the 32 jobs that the plugin keeps
_BROKEN = "Assets/Broken.cs(7,3): error CS1002: ; expected"
# Where a compile is, by what the editor below the plugin says.
_PHASES: Mapping[str, str] = {
    "importing": "refresh$",
    "compiling": "compiling$",
    "compiled": "compiled ok$",
    "reloading": r"unloading \d+",
    "settling": r"reloaded \d+",
}


class MonoEditors:
    """Each call runs its own test or prints its own number: the record below the plugin shows how
    often it ran.
    """

    phases = tuple(_PHASES)

    def __init__(self, port: int, project: Path, chance: random.Random, wait: Wait) -> None:
        self._port = port
        self._chance = chance
        self._wait = wait
        self.accidents: Dict[str, int] = Counter()
        self._project = project
        self._all: List[HeadlessEditor] = []
        self._numbers = iter(range(_TESTS))
        self._counts = itertools.count(1)
        self._edits = 0
        self._drawing = threading.Lock()
        self._open()
        self.faults: Dict[str, Callable[[], None]] = {
            "reload": self._alive(lambda: self._do(f"reload {self._length_ms()}", r"reloaded \d+")),
            "compile": self._alive(
                lambda: self._do(f"compile ok {self._length_ms()}", r"reloaded \d+")
            ),
            "compile errors": self._alive(self._break_the_scripts),
            "reload storm": self._alive(self._storm),
            "main thread stalled": self._alive(
                lambda: self._do(f"stall {self._length_ms()}", "stalled")
            ),
            "editor closed and opened": self._alive(self._reopen),
            "editor killed": self._alive(self._kill),
            "script edited": self._alive(lambda: self._edit("")),
            "script broken": self._alive(lambda: self._edit(f"|{_BROKEN}")),
            "second pass": self._alive(lambda: self._now.command("further-passes 1")),
            "slow compile": self._alive(
                lambda: self._now.command(f"compile-ms {self._length_ms()}")
            ),
            "slow import": self._alive(lambda: self._now.command(f"import-ms {self._length_ms()}")),
            "reloads locked": self._alive(self._lock_reloads),
            "script edited under a lock": self._alive(
                lambda: self._edit_between("lock-reload on", "lock-reload off")
            ),
            "script edited during play": self._alive(
                lambda: self._edit_between("play on", "play off")
            ),
            "changes while playing": self._alive(self._choose_about_changes),
        }
        if os.name == "posix":
            self.faults["editor stopped"] = self._alive(
                lambda: freeze(self._now.pid, lambda: self._wait(self._length_ms() / 1000))
            )

    def a_run(self) -> Message:
        with self._drawing:
            return {
                "filter": _test_name(next(self._numbers)),
                "refresh": self._chance.random() < 0.5,
            }

    def a_play(self) -> Optional[Message]:
        # Left more often than entered: nothing is compiled or tested while the game plays.
        action = self._chance.choice(["enter", "exit", "exit", "exit", "pause", "resume", "step"])
        return {"action": action, "frames": self._chance.choice([1, 5])}

    def a_snippet(self) -> Message:
        # Nobody has allowed it, so every one of them is refused.
        return {"code": "1"}

    def a_command(self) -> Optional[Message]:
        with self._drawing:
            arguments = {
                "number": next(self._counts),
                "updates": self._chance.choice([0, 0, 20, 200]),
            }
        return {"name": "count", "arguments": arguments}

    @property
    def pid(self) -> int:
        return self._now.pid

    def reaches(self, phase: str, timeout_s: float) -> bool:
        self._now.pass_over()
        return self._says(_PHASES[phase], timeout_s)

    def fix_scripts(self) -> None:
        self._alive(self._make_good)()

    def close(self) -> None:
        self._now.stop()

    def ledger(self, record: Record) -> EditorLedger:
        return MonoLedger(self._all, record)

    @property
    def _now(self) -> HeadlessEditor:
        return self._all[-1]

    def _open(self) -> None:
        from tests.unity_headless.headless_editor import (
            HeadlessEditor,
        )  # not at the top: it needs pytest

        tests = [f"test {_a_test(number)}" for number in range(_TESTS)]
        self._all.append(
            HeadlessEditor(self._port, project=self._project, held=["echo off", *tests])
        )

    def _alive(self, fault: Callable[[], None]) -> Callable[[], None]:
        """Mono itself crashes now and then when it unloads a domain: then there is a new editor, as
        after any crash.
        """

        def deal() -> None:
            try:
                fault()
            except (AssertionError, OSError) as error:
                try:
                    self._now.process.wait(START_S)
                except subprocess.TimeoutExpired:
                    raise AssertionError(f"{error}\nand hangs:\n{self._now.stacks()}") from None
                self.accidents["Mono crashed by itself"] += 1
                self._now.stop()
                self._open()

        return deal

    def _length_ms(self) -> int:
        return self._chance.choice([0, 100, 300, 1000, 3000])

    def _do(self, command: str, until: str) -> None:
        self._now.command(command)
        for _ in range(_TIMES):
            # While it plays, nothing is compiled; and a client may have it play again at any
            # moment.
            self._now.command("play off")
            if self._says(until, _PLAYS_S):
                return
        self._now.wait_for(until)

    def _says(self, pattern: str, timeout_s: float) -> bool:
        try:
            self._now.wait_for(pattern, timeout_s)
            return True
        except AssertionError:
            return False

    def _storm(self) -> None:
        for _ in range(self._chance.randint(2, 4)):
            self._do("reload", r"reloaded \d+")

    def _break_the_scripts(self) -> None:
        self._do(f"compile fail 50 {_BROKEN}", "compiled failed")
        self._wait(self._length_ms() / 1000)
        self._do("compile ok 50", "compiled ok")

    def _edit(self, error: str) -> None:
        self._edits += 1
        # The editor's own "compile" makes edits too, with other names.
        self._now.command(f"edit Game|soak {self._edits}{error}")

    def _lock_reloads(self) -> None:
        self._now.command("lock-reload on")
        self._wait(self._length_ms() / 1000)
        self._now.command("lock-reload off")

    def _edit_between(self, begin: str, end: str) -> None:
        """Unity compiles the edit, and does not load it before the end."""
        self._now.command(begin)
        self._edit("")
        self._now.command("compile ok 100")
        self._wait(self._chance.choice([1.0, 3.0]))  # long enough for a client to ask
        self._now.command(end)

    def _choose_about_changes(self) -> None:
        self._now.command(
            f"changes-while-playing {self._chance.choice(['continue', 'after', 'stop'])}"
        )

    def _make_good(self) -> None:
        for command in ("play off", "lock-reload off", "import-ms 0", "compile-ms 50"):
            self._now.command(command)
        self._edit("")
        self._now.wait_until_idle()

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
    mode = "play" if _is_played(number) else "edit"
    return (
        f"{mode}|{_test_name(number)}|{'fail' if _fails(number) else 'pass'}|{20 + number % 7 * 40}"
    )


def _is_played(number: int) -> bool:
    return number % 4 == 1


def _fails(number: int) -> bool:
    return number % 5 == 2


class MonoLedger:
    """``EditorLedger``: what the test framework and the editor below the plugin said."""

    def __init__(self, editors: List[HeadlessEditor], record: Record) -> None:
        self._submitted = record.jobs
        self._accepted = record.accepted
        lines = [line for editor in editors for line in editor.history]
        # Jobs, not tests: a call that is repeated with a spent key is a second job for the same
        # test (SPEC §15.7).
        self._begun = Counter(_jobs_in("test-of ", lines))
        self._handed_over = set(_jobs_in("handed-over-of ", lines))
        self._counted = Counter(
            line[len(_COUNTED) :] for line in lines if line.startswith(_COUNTED)
        )
        self._entered = lines.count("asked to play")
        self._refreshes = lines.count("refresh")
        self._moments = dict(
            moment
            for number, editor in enumerate(editors)
            for moment in _moments(number, editor.history)
        )
        self._code: Dict[str, _Code] = {}
        for editor in editors:
            self._code.update(_code(editor.history))
        self._violations = [line for editor in editors for line in editor.violations()]

    def executed(self, mark: str) -> bool:
        return False  # what the plugin says it read is all there is to know of that

    def jobs(self) -> List[str]:
        return [
            job_id for job_id in self._submitted if self.begun(job_id) or job_id in self._accepted
        ]

    def tool_of(self, job_id: str) -> str:
        return str(self._submitted[job_id]["tool_name"])

    def jobs_of(self, mark: str) -> List[str]:
        of_mark = (
            job_id
            for job_id, message in self._submitted.items()
            if message.get("client_request_id") == mark
        )
        return [job_id for job_id in of_mark if self.begun(job_id) or job_id in self._accepted]

    def was_taken_twice(self, mark: str, may_be_forgotten: bool) -> bool:
        return len(self.jobs_of(mark)) > 1 and not may_be_forgotten

    def begun(self, job_id: str) -> Optional[int]:
        test, number = self._test_of(job_id), self._counted_by(job_id)
        if number is not None:
            return self._counted[number]
        return self._begun[job_id] if test else None

    def was_handed_over(self, job_id: str) -> bool:
        # A run whose player is stopped while it starts has entered play mode and run no test.
        return job_id in self._handed_over

    def repeated(self, job_id: str) -> List[str]:
        return ["what it is for"] if (self.begun(job_id) or 0) > 1 else []

    def may_have_ended(self, job_id: str, state: str) -> bool:
        test, number = self._test_of(job_id), self._counted_by(job_id)
        if number is not None and state == "succeeded":
            return self._counted[number] == 1
        if test and state in ("succeeded", "failed"):
            return self._begun[job_id] == 1 and (state == "failed") == _fails(_number_of(test))
        return True

    def tested_todays_code(self, job_id: str) -> Optional[bool]:
        code = self._code.get(job_id)
        return (
            None
            if code is None or job_id not in code.tested
            else code.tested[job_id] in code.on_disk
        )

    def loaded_todays_code(self, job_id: str) -> Optional[bool]:
        code = self._code.get(job_id)
        return None if code is None else not code.ran.isdisjoint(code.on_disk)

    def may_be_ok(self, job_id: str, ok: bool) -> bool:
        code = self._code.get(job_id)
        return code is None or any(is_broken is not ok for is_broken in code.on_disk.values())

    def moment_of(self, job_id: str) -> Optional[Moment]:
        return self._moments.get(job_id)

    def names_of(self, job_id: str) -> List[str]:
        return [job_id]

    def is_known(self, job_id: str) -> bool:
        return job_id in list(self._submitted)[-_KEPT:] and bool(self.begun(job_id))

    def faults(self) -> List[str]:
        found = [f"in the editor: {line}" for line in self._violations]
        # The refreshes of two jobs cannot be distinguished, but there are at most as many as jobs
        # that ask for one.
        wanted = sum(_refreshes(message) for message in self._submitted.values())
        if self._refreshes > wanted:
            found.append(
                f"{wanted} jobs refresh once, and the editor was refreshed {self._refreshes} times"
            )
        # So do those that enter play mode, for a test or for itself.
        entries = sum(map(_plays, self._submitted.values()))
        if self._entered > entries:
            found.append(
                f"{entries} jobs enter play mode once, and the editor was asked {self._entered} times"
            )
        return found

    def _counted_by(self, job_id: str) -> Optional[str]:
        """The number that only this command prints; None for a job of another tool."""
        message = self._submitted.get(job_id)
        arguments = None if message is None else message["params"].get("arguments")
        return None if arguments is None else str(arguments["number"])

    def _test_of(self, job_id: str) -> str:
        """The test that a run runs and no other; nothing for a job of another tool."""
        message = self._submitted.get(job_id, {"params": {}})
        return str(message["params"].get("filter", ""))


class _Code(NamedTuple):
    """The code between the refresh of a job and the next one, which another job makes: jobs run one
    after the other.

    ``on_disk``: each content, and whether it is broken; ``ran``: what the editor's domains were loaded from;
    ``tested``: what ran when the tests of this job began.
    """

    on_disk: Dict[str, bool]
    ran: Set[str]
    tested: Dict[str, str]


def _code(history: List[str]) -> Iterator[Tuple[str, _Code]]:
    """By job, what one editor process had on disk and ran."""
    disk, is_broken, runs = "", False, ""
    now = _Code({}, set(), {})
    for line in history:
        kind, _, rest = line.partition(" ")
        if kind == "on-disk":
            disk, is_broken = rest.partition("|")[0], rest.endswith("|broken")
            now.on_disk[disk] = is_broken
        elif kind == "runs":
            runs = rest
            now.ran.add(runs)
        elif kind == "refresh-of" and rest:
            now = _Code({disk: is_broken}, {runs}, {})
            for job_id in rest.split():
                yield job_id, now
        elif kind == "test-of":
            now.tested.update(dict.fromkeys(rest.split(), runs))


def _moments(process: int, history: List[str]) -> Iterator[Tuple[str, Moment]]:
    """When the tests of each job began."""
    reloads = 0
    for place, line in enumerate(history):
        reloads += line.startswith("unloading ")
        for job_id in _jobs_in("test-of ", [line]):
            yield job_id, Moment(process, reloads, place)


def _jobs_in(kind: str, lines: List[str]) -> Iterator[str]:
    """The job ids of the lines of this kind."""
    for line in lines:
        if line.startswith(kind):
            yield from line[len(kind) :].split()


def _number_of(test: str) -> int:
    return int(test.rpartition("N")[2])


def _plays(submission: Message) -> bool:
    test = submission["params"].get("filter")
    return submission["params"].get("action") == "enter" or (
        test is not None and _is_played(_number_of(test))
    )


def _refreshes(submission: Message) -> bool:
    return submission["tool_name"] == "compile" or bool(submission["params"].get("refresh"))
