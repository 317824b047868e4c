"""An editor process without threads: time stands still until the test moves it, and nothing happens
by itself.
"""

from __future__ import annotations

import heapq
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, cast

from tests.fakes import ManualClock
from tests.faulty_editor.event_ledger import EventLedger
from tests.faulty_editor.obstacles import ObstructedProcess, UndoableDisk
from unity_bridge.base.result import Ok, Result
from unity_bridge.simulator.job import Refusal, Submission, filled_in
from unity_bridge.simulator.project import Project
from unity_bridge.simulator.status import SimulatedStatus

Work = Callable[[], object]
SCRIPT = "Assets/Player.cs"


class ManualMain:
    """The main thread, turned by hand. A pause moves the clock, and ``lives`` False ends the
    process in it.
    """

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._waiting: List[Tuple[float, int, Work]] = []
        self._count = 0
        self.lives = True
        self.stalled = 0
        self.in_pause: List[Work] = []  # work of other threads during a pause

    def post(self, work: Work, delay_s: float = 0.0) -> None:
        self._count += 1
        heapq.heappush(self._waiting, (self._clock.now() + delay_s, self._count, work))

    def pause(self, seconds: float) -> bool:
        self._clock.move_to(self._clock.now() + seconds)
        while self.in_pause:
            self.in_pause.pop(0)()
        return self.lives

    def stalled_ms(self) -> int:
        return self.stalled

    def turn(self) -> bool:
        """Do the next piece of work; False if there is none."""
        if not self._waiting:
            return False
        due, _, work = heapq.heappop(self._waiting)
        self._clock.move_to(max(due, self._clock.now()))
        work()
        return True

    def run(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self._clock.now() + seconds
        while self._waiting and self._waiting[0][0] <= end:
            self.turn()
        self._clock.move_to(max(end, self._clock.now()))


class NoWire:
    """Where the connection would be; ``log`` says when it was left and taken up again."""

    def __init__(self) -> None:
        self.log: List[str] = []

    def hold(self, reason: str) -> None:
        self.log.append(f"left: {reason}")

    def release(self) -> None:
        self.log.append("back")


def answer_of(tool: Any, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]:
    """What a read answers, as the plugin asks it."""
    answer: Result[Dict[str, Any], Refusal] = tool.answer(filled_in(tool.parameters, params))
    return answer


class ManualEditor:
    """An editor process with all that is needed around it, and its events."""

    def __init__(
        self, project: Optional[Project] = None, disk: Optional[UndoableDisk] = None
    ) -> None:
        self.clock = ManualClock()
        self.main = ManualMain(self.clock)
        self.wire = NoWire()
        self.events = EventLedger()
        self.project = project or Project("Manual", "/Manual", ())
        self.disk = disk or UndoableDisk(self.project.scripts, self.events)
        self.status = SimulatedStatus(self.main.stalled_ms, self.events)
        main, wire = cast(Any, self.main), cast(Any, self.wire)
        self.process = ObstructedProcess(
            self.project, self.disk, 1.0, self.clock, main, wire, self.status, self.events
        )

    def submits(
        self, tool: str, job_id: Optional[str] = "J", **params: Any
    ) -> Result[str, Refusal]:
        """``submit_job`` arrives, and is accepted on the main thread."""
        submission = Submission(tool, params, job_id, timeout_s=300.0)
        taken = self.process.jobs.submit(submission)
        self.main.post(lambda: self.process.jobs.resume())
        return taken

    def begins(self, tool: str, job_id: str = "J", **params: Any) -> None:
        """As ``submits``; the job has started then, if it can."""
        assert self.submits(tool, job_id, **params) == Ok(job_id)
        self.main.run(0.0)

    def ends(self, tool: str, job_id: str = "J", **params: Any) -> Dict[str, Any]:
        """Carries the job out to its end; its last status."""
        self.begins(tool, job_id, **params)
        return self.end(job_id)

    def end(self, job_id: str = "J") -> Dict[str, Any]:
        while self.job_status(job_id)["state"] in ("queued", "running"):
            assert self.main.turn(), f"{job_id} waits for ever: {self.job_status(job_id)}"
        return self.job_status(job_id)

    def job_status(self, job_id: str = "J") -> Dict[str, Any]:
        """What ``get_job_status`` is answered with."""
        status = self.process.jobs.status(job_id)
        assert status is not None, f"{job_id} is not known"
        return status

    def step(self, job_id: str = "J") -> Any:
        progress = self.job_status(job_id)["progress"]
        return progress and progress.get("step")

    def heard(self, kind: str, name: str) -> List[Any]:
        """One value of every event of a kind."""
        return [event[name] for event in self.events.of(kind)]
