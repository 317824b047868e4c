"""A soak: real processes, random faults between them, and two ledgers compared at the end."""

from __future__ import annotations

import random
import threading
from typing import Dict, List

from tests.soak.ledgers import ENDED, Made, Message, Verdict, compared
from tests.soak.parties import Client, Editors, Tormentor
from unity_bridge.clock import SystemClock

CALLERS = 4
# Longer than any call may take: its timeout, the windows before it, and the line in front of it.
ANSWER_S = 120.0


class Soak:
    """``run`` for so many seconds. The seed decides which faults and calls come, not how they meet."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._client = Client()
        self._editors = Editors(self._client.port)
        self._over = threading.Event()
        self._jobs: List[str] = []  # appended to by the callers

    def run(self, seconds: float) -> Verdict:
        tormentor = Tormentor(self._client, self._editors, random.Random(self._chance.random()))
        seeds = [self._chance.random() for _ in range(CALLERS)]
        callers = [threading.Thread(target=self._call, args=(i, s), name=f"caller {i}") for i, s in enumerate(seeds)]
        try:
            tormentor.start()
            for caller in callers:
                caller.start()
            self._over.wait(seconds)
            tormentor.stop()
        finally:
            self._over.set()
            for caller in callers:
                caller.join()
            ends = self._ends()
            status = self._client.leave()
            self._editors.close()
        verdict = compared(self._client.calls, ends, self._editors.events(), tormentor.dealt)
        verdict.lies.extend(f"not MCP, on stdout: {line!r}" for line in self._client.noise)
        verdict.lies.extend(f"a bug, in the log: {line}" for line in self._client.log if "a bug" in line)
        if status != 0:
            verdict.lost.append(f"the server ended with {status}")
        return verdict

    def _call(self, number: int, seed: float) -> None:
        chance = random.Random(seed)
        count = 0
        while not self._over.is_set():
            count += 1
            made = self._one_call(chance, f"soak-{number}-{count}")
            if made.tool == "read_console" and chance.random() < 0.05:
                self._over.wait(chance.random() / 20)
                self._client.cancel(made)
            self._client.wait(made, ANSWER_S)
            if made.tool == "run_tests" and made.result is not None:
                self._jobs.append(made.result["job_id"])
            self._over.wait(chance.choice([0, 0, 0.02, 0.1]))

    def _one_call(self, chance: random.Random, mark: str) -> Made:
        kind = chance.random()
        if kind < 0.08:
            return self._client.call("run_tests", mark, {"timeout_ms": chance.choice([1500, 60000])})
        if kind < 0.22 and self._jobs:
            wait_ms = chance.choice([0, 0, 500])
            return self._client.call("get_job_status", mark, {"job_id": chance.choice(self._jobs), "wait_ms": wait_ms})
        if kind < 0.26 and self._jobs:
            return self._client.call("cancel_job", mark, {"job_id": self._jobs[-1]})
        if kind < 0.3:
            return self._client.call("get_editor_state", mark, {})
        return self._client.call("read_console", mark, {"contains": mark, "timeout_ms": chance.choice([500, 5000])})

    def _ends(self) -> Dict[str, Message]:
        """What becomes of every run, once nothing goes wrong any more."""
        ends: Dict[str, Message] = {}
        clock = SystemClock()
        deadline = clock.now() + ANSWER_S
        for job_id in list(self._jobs):
            while clock.now() < deadline:
                made = self._client.call("get_job_status", job_id, {"job_id": job_id, "wait_ms": 1000})
                self._client.wait(made, ANSWER_S)
                ends[job_id] = made.result or {"state": "unknown", "error": made.error or {"details": {}}}
                if ends[job_id]["state"] in ENDED:
                    break
        return ends
