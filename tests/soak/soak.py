"""A soak: real processes, random faults between them, and all sides' ledgers compared at the end."""

from __future__ import annotations

import os
import random
import tempfile
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Callable, Dict, List, Optional
from unittest import mock

from tests.ports import free_port
from tests.soak.another_project import AnotherProject
from tests.soak.editors import Editors, Wait
from tests.soak.fault_injector import FaultInjector
from tests.soak.intruders import Intruders
from tests.soak.ledgers import ENDED, JOB_TOOLS, READ_TOOLS, Made, Referee, Verdict
from tests.soak.mono_editors import MonoEditors
from tests.soak.proxy import Proxy
from tests.soak.simulated_editors import SimulatedEditors
from tests.soak.windows import Window, WindowPool, sizes
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Ok
from unity_bridge.trust.secret import shared_secret
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

CALLERS = 6  # in all, and at least two a window
# Longer than any call may take: its timeout, the windows before it, and the queue in front of it.
ANSWER_S = 90.0
_ASKED_AT_THE_END = 80

# The simulated ones by their dialects.
_DIALECTS = {"simulated": "own", "minimal": "minimal", "versionless": "versionless"}
EDITORS: Dict[str, Callable[[int, Path, random.Random, Wait], Editors]] = {
    **{name: partial(SimulatedEditors, dialect=dialect) for name, dialect in _DIALECTS.items()},
    "mono": MonoEditors,
}


def _unity_project(folder: Path) -> Path:
    settings = folder / "ProjectSettings"
    settings.mkdir(parents=True)
    (settings / "ProjectVersion.txt").write_text("m_EditorVersion: 6000.0.1f1\n", encoding="utf-8")
    return folder


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
            state_dir = opening.enter_context(tempfile.TemporaryDirectory())
            # The editors' too: they are the same user's.
            opening.enter_context(mock.patch.dict(os.environ, {STATE_DIR_VARIABLE: state_dir}))
            folder = Path(
                opening.enter_context(tempfile.TemporaryDirectory(prefix="soak-"))
            ).resolve()
            self._windows = WindowPool(
                windows, port, str(_unity_project(folder / "Game")), state_dir
            )
            opening.callback(self._windows.close)
            secret = shared_secret()
            assert isinstance(secret, Ok), secret
            self._proxy = Proxy(port, secret.value)
            opening.callback(self._proxy.close)
            self._editors = EDITORS[editor](
                self._proxy.port, folder / "Game", self._another_chance(), self._over.wait
            )
            opening.callback(self._editors.close)
            self._another_project = AnotherProject(port, folder)
            self._parties = opening.pop_all()
        self._injector = FaultInjector(
            self._windows,
            self._proxy,
            self._editors,
            self._another_project,
            Intruders(port, self._another_chance()),
            self._another_chance(),
            self._over,
        )
        self._jobs: List[str] = []  # appended to by the callers
        self._hung: List[str] = []
        self._longest_s = 0.0
        self._clock = SystemClock()

    def run(self, seconds: float) -> Verdict:
        each = max(2, CALLERS // len(self._windows.now))
        places = [place for place in range(len(self._windows.now)) for _ in range(each)]
        callers = [
            threading.Thread(
                target=self._call,
                args=(place, self._another_chance()),
                name=f"caller {number} at {place}",
            )
            for number, place in enumerate(places)
        ]
        with self._parties:
            try:
                for caller in callers:
                    caller.start()
                self._injector.start()
                self._over.wait(seconds)
            finally:
                self._over.set()
                for caller in callers:
                    caller.join()
                self._injector.join()
            self._injector.check()
            self._editors.fix_scripts()
            ends = self._ends()
            size = {**sizes(self._windows.now), "ms for an answer": round(self._longest_s * 1000)}
        record = self._proxy.record
        referee = Referee(
            self._windows.lives, record, self._editors.ledger(record), self._is_shared
        )
        refused = {"another project's editor refused": self._another_project.refusals}
        verdict = referee.verdict(
            ends, {**self._injector.dealt, **self._editors.accidents, **refused}, size
        )
        verdict.untrue.extend(self._another_project.untrue())
        verdict.lost.extend(
            f"{mark} was not answered within {ANSWER_S:.0f} s" for mark in self._hung
        )
        return verdict

    def _another_chance(self) -> random.Random:
        return random.Random(self._chance.random())

    def _call(self, place: int, chance: random.Random) -> None:
        while not self._over.is_set():
            window = self._windows.now[place]
            made = self._one_call(window, chance)
            if made is None:
                self._over.wait(0.05)  # until there is another window in this place
                continue
            if made.tool in (*READ_TOOLS, *JOB_TOOLS) and chance.random() < 0.05:
                self._over.wait(chance.random() / 20)
                window.cancel(made)
            asked_at = self._clock.now()
            if not window.wait(made, ANSWER_S):
                self._hung.append(made.mark)
            self._longest_s = max(self._longest_s, self._clock.now() - asked_at)
            if made.tool in JOB_TOOLS and made.job is not None:
                self._jobs.append(made.job["job_id"])
            self._over.wait(chance.choice([0, 0, 0.02, 0.1]))

    def _one_call(self, window: Window, chance: random.Random) -> Optional[Made]:
        kind = chance.random()
        if kind < 0.14:
            return self._job_call(window, chance)
        if kind < 0.28 and self._jobs:
            job_id, wait_ms = chance.choice(self._jobs[-20:]), chance.choice([0, 0, 500])
            return window.call("get_job_status", {"job_id": job_id, "wait_ms": wait_ms})
        if kind < 0.31 and self._jobs:
            return window.call("cancel_job", {"job_id": self._jobs[-1]})
        if kind < 0.35:
            return window.call("get_editor_state", {})
        timeout_ms = chance.choice([500, 5000])
        if kind < 0.5:
            return window.call(
                "inspect",
                {"what": chance.choice(["scenes", "hierarchy"]), "timeout_ms": timeout_ms},
            )
        if kind < 0.56:
            view = chance.choice(["game", "scene"])
            return window.call(
                "screenshot", {"view": view, "max_size": 64, "timeout_ms": timeout_ms}
            )
        return window.call("read_console", {"max_entries": 20, "timeout_ms": timeout_ms})

    def _job_call(self, window: Window, chance: random.Random) -> Optional[Made]:
        """A new job, or one that this window asked for before, under the same key."""
        limits = {
            "wait_ms": chance.choice([0, 0, 300, 2000, 10_000]),
            "timeout_ms": chance.choice([1500, 60_000]),
        }
        if chance.random() < 0.2:
            with window.changed:
                before = [
                    made for made in window.calls[-60:] if made.tool in JOB_TOOLS and made.has_key
                ]
            if before:
                again = chance.choice(before)
                return window.call(again.tool, {**again.arguments, **limits}, again)
        playing = self._editors.a_play() if chance.random() < 0.3 else None
        if playing is not None:
            return window.call("play_mode", {**playing, **limits})
        if chance.random() < 0.5:
            # Without a key it joins a compile that was not sent to Unity yet.
            arguments = {"force": chance.random() < 0.2, **limits}
            return window.call("compile", arguments, has_key=chance.random() < 0.5)
        if chance.random() < 0.3:
            return window.call("run_csharp", {**self._editors.a_snippet(), **limits})
        command = self._editors.a_command() if chance.random() < 0.4 else None
        if command is not None:
            # Without a key it joins one that is the same and has not ended.
            return window.call("run_command", {**command, **limits}, has_key=chance.random() < 0.5)
        return window.call("run_tests", {**self._editors.a_run(), **limits})

    def _ends(self) -> Dict[str, Optional[Made]]:
        """What becomes of every job, after the last fault; any window can report it."""
        ends: Dict[str, Optional[Made]] = {}
        deadline = self._clock.now() + ANSWER_S
        pause = threading.Event()
        for job_id in self._jobs[-_ASKED_AT_THE_END:]:
            ends[job_id] = None
            while self._clock.now() < deadline:
                window = self._chance.choice(self._windows.now)
                made = window.call("get_job_status", {"job_id": job_id, "wait_ms": 1000})
                if made is None or not window.wait(made, ANSWER_S):
                    break
                ends[job_id] = made
                is_over = made.result is not None and made.result["state"] in ENDED
                if is_over or (
                    made.error is not None and made.error["code"] == "ERR_JOB_NOT_FOUND"
                ):
                    break
                pause.wait(0.05)
        return ends
