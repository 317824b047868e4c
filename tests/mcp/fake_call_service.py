"""A call service without an executor: it answers on a thread of its own, as the executor does."""

from __future__ import annotations

import itertools
import queue
import threading
from typing import Any, Dict, List, NamedTuple, Optional

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.calls import (
    Call,
    Failure,
    OnJob,
    OnOutcome,
    OnProgress,
    Outcome,
    Progress,
)

EDITOR_STATE = {
    "server_state": "waiting_editor",
    "editor_state": "unknown",
    "connected": False,
    "last_editor_status_seq": None,
    "port": 8091,
    "server_version": "0.0.0",
    "plugin_version": None,
    "editor": None,
    "waiting": 0,
    "queued": 0,
    "running_jobs": [],
    "listener": {},
}

# Without ``detail``.
SHOWN_STATE = {"editor_state": "unknown", "connected": False, "running_jobs": []}


def console(
    entries: int, message: str = "a message", stack_trace: str = "at A.B () in Assets/A.cs:1"
) -> Dict[str, Any]:
    entry = {"type": "log", "message": message, "stack_trace": stack_trace}
    return {"entries": [dict(entry) for _ in range(entries)], "count": entries, "truncated": False}


class HeldCall(NamedTuple):
    """A call that ends when the test says so."""

    request_id: str
    call: Call
    on_outcome: OnOutcome
    on_progress: Optional[OnProgress]


class FakeCallService:
    """Answers by what a call carries in ``contains`` (``read_console``); any other tool is simply
    answered.

    ``hold`` is kept in ``held``; ``bug`` makes ``submit`` raise; ``refuse``, ``nan`` and
    ``half a character`` are answers of that kind; ``entries N`` is a console of N entries; ``progress`` reports some
    steps, not all of them forwards, before it ends.
    """

    def __init__(self) -> None:
        self.held: queue.Queue[HeldCall] = queue.Queue()
        self.abandoned: queue.Queue[str] = queue.Queue()
        self.calls: List[Call] = []
        self.refusals = 0
        # The status of known jobs without the id. Any other job is running.
        self.jobs: Dict[str, Dict[str, Any]] = {}
        self._numbers = itertools.count(1)
        self._inbox: queue.Queue[Optional[HeldCall]] = queue.Queue()
        self._executor = threading.Thread(
            target=self._answer_all, name="fake-executor", daemon=True
        )
        self._executor.start()

    def submit(
        self,
        call: Call,
        on_outcome: OnOutcome,
        on_progress: Optional[OnProgress] = None,
        on_job: Optional[OnJob] = None,
    ) -> str:
        if call.params.get("contains") == "bug":
            raise RuntimeError("a bug behind the call service")
        request_id = f"req-{next(self._numbers)}"
        self.calls.append(call)
        self._inbox.put(HeldCall(request_id, call, on_outcome, on_progress))
        return request_id

    def abandon(self, request_id: str) -> None:
        self.abandoned.put(request_id)

    def refused(self) -> None:
        self.refusals += 1

    def close(self) -> None:
        self._inbox.put(None)
        self._executor.join(10)

    def _answer_all(self) -> None:
        while True:
            held = self._inbox.get()
            if held is None:
                return
            if self._holds(held.call):
                self.held.put(held)
                continue
            if held.call.params.get("contains") == "progress":
                self._report(held.on_progress)
            held.on_outcome(self._outcome(held.call, held.request_id))

    def _holds(self, call: Call) -> bool:
        return call.params.get("contains") == "hold"

    def _report(self, on_progress: Optional[OnProgress]) -> None:
        if on_progress is not None:
            for completed in (0, 1, 1, 3, 2, 5):
                on_progress(Progress(completed, 5, f"Test{completed}"))

    def _outcome(self, call: Call, request_id: str) -> Outcome:
        if call.tool.name == "get_editor_state":
            return Ok(dict(EDITOR_STATE))
        if call.tool.name == "run_tests":
            return Ok({"job_id": "job-1", "state": "queued", **self.jobs.get("job-1", {})})
        if call.tool.name == "get_job_status" and call.params["job_id"] != "nobody's":
            status = {
                "job_id": call.params["job_id"],
                "state": "running",
                "progress": None,
                "result": None,
            }
            return Ok({**status, **self.jobs.get(call.params["job_id"], {})})
        if call.tool.name == "cancel_job" and call.params["job_id"] in self.jobs:
            return Ok({"job_id": call.params["job_id"], "status": "cancel_requested"})
        if call.tool.name in ("get_job_status", "cancel_job"):
            message = (
                "There is no such job; it may have ended long ago. Start a new one with run_tests."
            )
            error = ToolError(ErrorCode.JOB_NOT_FOUND, message, {"job_id": call.params["job_id"]})
            return Err(Failure(error, request_id, call.tool))
        return self._console(call, request_id)

    def _console(self, call: Call, request_id: str) -> Outcome:
        wanted = call.params.get("contains", "")
        if wanted == "refuse":
            error = ToolError(
                ErrorCode.EDITOR_NOT_READY, "No Unity Editor is connected. Open the project."
            )
            return Err(Failure(error, request_id, call.tool))
        if wanted == "nan":
            return Ok({**console(0), "count": 0, "duration": float("nan")})
        if wanted == "half a character":
            return Ok(console(1, message="half \ud83d of it"))
        if wanted.startswith("entries "):
            return Ok(
                console(
                    int(wanted.split()[1]),
                    "日本語 " + "m" * 200,
                    "at A.B () in Assets/A.cs:1\n" * 8,
                )
            )
        return Ok(console(1, message=wanted))
