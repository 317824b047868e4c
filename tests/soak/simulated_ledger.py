"""What the simulated editors of a soak did, from their events. A job has the id that its server
gave it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, Dict, List, Mapping, Optional, Set

from tests.faulty_editor.process import SimulatorProcess
from tests.soak.ledgers import Moment

# Each of them happens once to a job, if at all.
_ONCE = (
    "job_started",
    "refresh_started",
    "tests_started",
    "play_mode_requested",
    "csharp_started",
    "command_started",
    "job_finished",
)
# What a job is for, by its tool; a test run may well refresh and run no test.
_BEGINS = {
    "compile": "refresh_started",
    "play_mode": "play_mode_requested",
    "run_csharp": "csharp_started",
    "run_command": "command_started",
}
_LATELY = 200


class SimulatedLedger:
    """``EditorLedger``, read once, when the soak is over."""

    def __init__(self, editors: List[SimulatorProcess]) -> None:
        self._executed: Counter[str] = (
            Counter()
        )  # by mark; what an editor took up and then refused does not count
        self._marks: Dict[str, str] = {}  # request id -> mark
        self._taken: Dict[str, List[str]] = {}  # mark -> jobs
        self._lives: Dict[str, Set[int]] = defaultdict(
            set
        )  # mark -> numbers of the editor processes that took it
        self._tools: Dict[str, str] = {}  # job -> tool
        self._known_as: Dict[str, List[str]] = {}  # job -> what the editors called it
        self._happened: Dict[str, Counter[str]] = {kind: Counter() for kind in _ONCE}
        self._ends: Dict[str, str] = {}
        self._since_refresh: Dict[
            str, Set[str]
        ] = {}  # job -> what the disk has been since it began to refresh
        self._fresh: Dict[str, bool] = {}
        self._loaded: Dict[str, bool] = {}
        self._compiles: Dict[str, bool] = {}  # what the disk was -> whether that compiles
        self._may_be_ok: Dict[str, Set[bool]] = {}
        self._moments: Dict[str, Moment] = {}
        self._reloads = 0
        self._living: List[str] = []
        self._life = 0
        self._disk = ""
        for editor in editors:
            self._next_life()
            for event in editor.ledger.all():
                self._take(event.kind, event.values)

    def executed(self, mark: str) -> bool:
        return self._executed[mark] > 0

    def jobs(self) -> List[str]:
        return list(self._tools)

    def tool_of(self, job_id: str) -> str:
        return self._tools[job_id]

    def jobs_of(self, mark: str) -> List[str]:
        return self._taken.get(mark, [])

    def was_taken_twice(self, mark: str, may_be_forgotten: bool) -> bool:
        taken = self.jobs_of(mark)
        return len(taken) > (len(self._lives[mark]) if may_be_forgotten else 1)

    def was_handed_over(self, job_id: str) -> bool:
        return bool(self.begun(job_id))

    def begun(self, job_id: str) -> Optional[int]:
        return self._times(_BEGINS.get(self._tools.get(job_id, ""), "tests_started"), job_id)

    def repeated(self, job_id: str) -> List[str]:
        return [kind for kind in _ONCE if self._times(kind, job_id) > 1]

    def may_have_ended(self, job_id: str, state: str) -> bool:
        ends = {self._ends.get(name) for name in self._known_as.get(job_id, [])}
        return state in ends or (state == "cancelled" and not self.begun(job_id))

    def tested_todays_code(self, job_id: str) -> Optional[bool]:
        known = [
            self._fresh[name] for name in self._known_as.get(job_id, []) if name in self._fresh
        ]
        return known[-1] if known else None

    def loaded_todays_code(self, job_id: str) -> Optional[bool]:
        known = [
            self._loaded[name] for name in self._known_as.get(job_id, []) if name in self._loaded
        ]
        return known[-1] if known else None

    def may_be_ok(self, job_id: str, ok: bool) -> bool:
        known = [
            self._may_be_ok[name]
            for name in self._known_as.get(job_id, [])
            if name in self._may_be_ok
        ]
        return not known or ok in known[-1]

    def moment_of(self, job_id: str) -> Optional[Moment]:
        known = [
            self._moments[name] for name in self._known_as.get(job_id, []) if name in self._moments
        ]
        return known[-1] if known else None

    def names_of(self, job_id: str) -> List[str]:
        return self._known_as.get(job_id, [])

    def is_known(self, job_id: str) -> bool:
        return job_id in self._living[-_LATELY:]

    def faults(self) -> List[str]:
        return []

    def _times(self, kind: str, job_id: str) -> int:
        return sum(self._happened[kind][name] for name in self._known_as.get(job_id, []))

    def _next_life(self) -> None:
        self._living.clear()
        self._life += 1

    def _take(self, kind: str, values: Mapping[str, Any]) -> None:
        if kind == "execute":
            mark = str(values["client_request_id"])
            self._marks[values["request_id"]] = mark
            self._executed[mark] += 1
        elif kind == "call_refused" and values["request_id"] in self._marks:
            self._executed[self._marks[values["request_id"]]] -= 1
        elif kind == "job_accepted":
            self._take_job(values)
        elif kind in _ONCE:
            self._happened[kind][values["job_id"]] += 1
            self._take_code(kind, values)
        elif kind == "disk":
            self._disk = values["digest"]
            self._compiles[self._disk] = values["compiles"]
            for seen in self._since_refresh.values():
                seen.add(self._disk)
        elif kind == "refresh_ended":
            seen = self._since_refresh.get(values["job_id"], set())
            self._loaded[values["job_id"]] = values["loaded"] in seen
            self._may_be_ok[values["job_id"]] = {
                self._compiles[disk] for disk in seen if disk in self._compiles
            }
        elif kind == "state" and values["state"] == "reloading":
            self._reloads += 1
        elif kind == "order" and str(values["line"]).startswith(("crash", "restart")):
            self._next_life()

    def _take_job(self, values: Mapping[str, Any]) -> None:
        job_id, mark = values["job_id"], values["client_request_id"]
        if mark is not None:
            self._taken.setdefault(mark, []).append(job_id)
            self._lives[mark].add(self._life)
        self._tools[job_id] = values["tool_name"]
        self._known_as.setdefault(job_id, []).append(values["known_as"])
        self._living.append(values["known_as"])

    def _take_code(self, kind: str, values: Mapping[str, Any]) -> None:
        """Whether tests ran on what was on disk when their job began to refresh, or later."""
        name = values["job_id"]
        if kind == "refresh_started":
            self._since_refresh[name] = {self._disk}
        elif kind == "tests_started":
            self._moments[name] = Moment(self._life, self._reloads, len(self._moments))
            self._fresh[name] = values["loaded"] in self._since_refresh.get(name, ())
        elif kind == "job_finished":
            self._ends[name] = values["state"]
            self._since_refresh.pop(name, None)
