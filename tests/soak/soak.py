"""A soak: real processes, random faults between them, and all sides' ledgers compared at the end."""

from __future__ import annotations

import random
import threading
from contextlib import ExitStack
from typing import Callable, Dict, List, Optional

from tests.ports import free_port
from tests.soak.editors import Editors, MonoEditors, SimulatedEditors, Wait
from tests.soak.ledgers import ENDED, Judge, Made, Message, Verdict
from tests.soak.line import Line
from tests.soak.torment import Tormentor
from tests.soak.windows import Seats, Window, sizes
from unity_bridge.clock import SystemClock

CALLERS = 6  # in all, and at least two a window
# Longer than any call may take: its timeout, the windows before it, and the line in front of it.
ANSWER_S = 90.0
_ASKED_AT_THE_END = 80

EDITORS: Dict[str, Callable[[int, random.Random, Wait], Editors]] = {
    "simulated": lambda port, chance, wait: SimulatedEditors(port, "own", chance, wait),
    "minimal": lambda port, chance, wait: SimulatedEditors(port, "minimal", chance, wait),
    "mono": MonoEditors,
}


class Soak:
    """``run`` for so many seconds. The seed decides which faults and calls come, not how they meet.

    ``editor``: a key of ``EDITORS``; ``windows``: how many clients, each with a server, share the port.
    """

    def __init__(self, seed: int, editor: str = "simulated", windows: int = 1) -> None:
        self._chance = random.Random(seed)
        self._over = threading.Event()
        port = free_port()
        self._is_shared = windows > 1
        self._parties = ExitStack()
        with self._parties as opening:
            self._seats = Seats(windows, port)
            opening.callback(self._seats.close)
            self._line = Line(port)
            opening.callback(self._line.close)
            self._editors = EDITORS[editor](self._line.port, self._another_chance(), self._over.wait)
            opening.callback(self._editors.close)
            self._parties = opening.pop_all()
        self._tormentor = Tormentor(self._seats, self._line, self._editors, port, self._another_chance(), self._over)
        self._jobs: List[str] = []  # appended to by the callers
        self._hung: List[str] = []
        self._longest_s = 0.0
        self._clock = SystemClock()

    def run(self, seconds: float) -> Verdict:
        seats = [seat for seat in range(len(self._seats.now)) for _ in range(max(2, CALLERS // len(self._seats.now)))]
        callers = [
            threading.Thread(target=self._call, args=(seat, self._another_chance()), name=f"caller {number} of {seat}")
            for number, seat in enumerate(seats)
        ]
        with self._parties:
            try:
                for caller in callers:
                    caller.start()
                self._tormentor.start()
                self._over.wait(seconds)
            finally:
                self._over.set()
                for caller in callers:
                    caller.join()
                self._tormentor.join()
            self._tormentor.check()
            self._editors.mend()
            ends = self._ends()
            size = {**sizes(self._seats.now), "ms for an answer": round(self._longest_s * 1000)}
        judge = Judge(self._seats.lives, self._line.record, self._editors.deeds(self._line.record), self._is_shared)
        verdict = judge.verdict(ends, {**self._tormentor.dealt, **self._editors.accidents}, size)
        verdict.lost.extend(f"{mark} was not answered within {ANSWER_S:.0f} s" for mark in self._hung)
        return verdict

    def _another_chance(self) -> random.Random:
        return random.Random(self._chance.random())

    def _call(self, seat: int, chance: random.Random) -> None:
        while not self._over.is_set():
            window = self._seats.now[seat]
            made = self._one_call(window, chance)
            if made is None:
                self._over.wait(0.05)  # until there is another window in this seat
                continue
            if made.tool == "read_console" and chance.random() < 0.05:
                self._over.wait(chance.random() / 20)
                window.cancel(made)
            asked_at = self._clock.now()
            if not window.wait(made, ANSWER_S):
                self._hung.append(made.mark)
            self._longest_s = max(self._longest_s, self._clock.now() - asked_at)
            if made.tool == "run_tests" and made.result is not None:
                self._jobs.append(made.result["job_id"])
            self._over.wait(chance.choice([0, 0, 0.02, 0.1]))

    def _one_call(self, window: Window, chance: random.Random) -> Optional[Made]:
        kind = chance.random()
        if kind < 0.08:
            arguments: Message = {**self._editors.a_run(), "timeout_ms": chance.choice([1500, 60000]), "wait_ms": 0}
            return window.call("run_tests", arguments)
        if kind < 0.24 and self._jobs:
            job_id, wait_ms = chance.choice(self._jobs[-20:]), chance.choice([0, 0, 500])
            return window.call("get_job_status", {"job_id": job_id, "wait_ms": wait_ms})
        if kind < 0.28 and self._jobs:
            return window.call("cancel_job", {"job_id": self._jobs[-1]})
        if kind < 0.32:
            return window.call("get_editor_state", {})
        return window.call("read_console", {"max_entries": 20, "timeout_ms": chance.choice([500, 5000])})

    def _ends(self) -> Dict[str, Optional[Made]]:
        """What becomes of every run, once nothing goes wrong any more; any window can tell."""
        ends: Dict[str, Optional[Made]] = {}
        deadline = self._clock.now() + ANSWER_S
        pause = threading.Event()
        for job_id in self._jobs[-_ASKED_AT_THE_END:]:
            ends[job_id] = None
            while self._clock.now() < deadline:
                window = self._chance.choice(self._seats.now)
                made = window.call("get_job_status", {"job_id": job_id, "wait_ms": 1000})
                if made is None or not window.wait(made, ANSWER_S):
                    break
                ends[job_id] = made
                is_over = made.result is not None and made.result["state"] in ENDED
                if is_over or (made.error is not None and made.error["code"] == "ERR_JOB_NOT_FOUND"):
                    break
                pause.wait(0.05)
        return ends
