"""Test runs as jobs: adopted ids, one run at a time, progress, cancel, results (SPEC §5, §8, §11)."""

from __future__ import annotations

import json
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from enum import Enum
from threading import Lock
from typing import Any, Callable, Dict, List, Mapping, Optional, Protocol, Sequence, Tuple

from unity_bridge.errors import ErrorCode, Guarantee
from unity_bridge.result import Err, Ok, Result
from unity_bridge.simulator.project import Entry, PretendTest

_RUNS_KEPT = 256
# The server's own deadline comes first; this one is for a server that is gone.
_DEADLINE_GRACE_S = 3.0
_FAILURES_BYTES = 800_000
_CATEGORY = "category:"


class RunState(str, Enum):
    """A run's life as the wire names it."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"

    @property
    def ended(self) -> bool:
        return self not in (RunState.QUEUED, RunState.RUNNING)


@dataclass(frozen=True)
class Refusal:
    """Why something was refused before it began; ``code`` is the wire's."""

    code: ErrorCode
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


def scripts_do_not_compile(errors: int) -> Refusal:
    """No run may begin: it would test the last scripts that compiled, and pass."""
    message = f"the scripts have {errors} compile errors; read_console with types [error] shows them"
    return Refusal(ErrorCode.UNITY_EXECUTION, message, {"reason": "compile_errors"})


class RunHost(Protocol):
    """What a run needs of the editor around it."""

    def can_run_tests(self) -> bool: ...

    def compile_errors(self) -> int: ...

    def later(self, seconds: float, work: Callable[[], object]) -> None:
        """Run ``work`` on the main thread when so much of the project's time has passed."""
        ...

    def at_the_servers_pace(self, seconds: float, work: Callable[[], object]) -> None:
        """As ``later``, but in the time that the server's limits are in."""
        ...

    def enter_play_mode(self) -> bool:
        """Reload the domain, which takes the editor off the line; False if the editor ended meanwhile."""
        ...

    def log(self, entry: Entry) -> None: ...

    def emit(self, kind: str, **values: Any) -> None: ...


@dataclass
class _Run:
    job_id: str
    tests: Sequence[PretendTest]
    request_id: Optional[str] = None
    state: RunState = RunState.QUEUED
    started: bool = False
    completed: int = 0
    playing: bool = False
    cancelling: bool = False
    out_of_time: bool = False
    counts: Dict[str, int] = field(default_factory=lambda: {"passed": 0, "failed": 0, "skipped": 0})
    failures: List[PretendTest] = field(default_factory=list)
    seconds: float = 0.0
    error: Optional[Refusal] = None


class Runs:
    """The runs of one editor process.

    ``resume``, ``abort``, ``forget`` and the steps of a run belong to the main thread. The rest may be called from any
    thread: a job can be asked for and cancelled from the moment it arrived, also while the main thread is stalled.
    """

    def __init__(self, tests: Sequence[PretendTest], host: RunHost) -> None:
        self._tests = tests
        self._host = host
        self._lock = Lock()  # guards what follows; never held while the host is called
        self._runs: OrderedDict[str, _Run] = OrderedDict()

    def submit(
        self,
        params: Mapping[str, Any],
        job_id: Optional[str],
        request_id: Optional[str] = None,
        timeout_s: Optional[float] = None,
    ) -> Result[str, Refusal]:
        """Take a run in, for ``resume`` to start; its id is the caller's, or one of our own for None.

        A known id takes nothing in. ``timeout_s`` counts from now on, whichever server asks for the job by then.
        """
        if job_id is not None and self.knows(job_id):
            return Ok(job_id)
        chosen = chosen_tests(self._tests, params)
        if isinstance(chosen, Err):
            return Err(Refusal(ErrorCode.INVALID_PARAMS, chosen.error))
        if not chosen.value:
            self._host.log(Entry("warning", f"No test matches {json.dumps(dict(params))}: an empty run"))
        with self._lock:
            if job_id is None:
                job_id = f"job-{uuid.uuid4().hex}"  # no other editor process has given it
            self._runs[job_id] = run = _Run(job_id, chosen.value, request_id)
            self._drop_oldest()
        if timeout_s is not None:
            self._host.at_the_servers_pace(timeout_s + _DEADLINE_GRACE_S, lambda: self._time_is_up(run))
        return Ok(job_id)

    def resume(self) -> None:
        """Start the next run if none runs and the editor can."""
        if not self._host.can_run_tests():
            return
        with self._lock:
            waiting = [run for run in self._runs.values() if run.state is RunState.QUEUED]
            if not waiting or self._running() is not None:
                return
            run = waiting[0]
            run.state = RunState.RUNNING
        errors = self._host.compile_errors()
        if errors:  # since it was taken in
            refusal = scripts_do_not_compile(errors)
            details = {**refusal.details, "execution_guarantee": Guarantee.NOT_EXECUTED.value}
            run.error = replace(refusal, code=ErrorCode.UNITY_EXECUTION, details=details)
            return self._end(run, RunState.FAILED)
        run.started = True
        self._host.emit("run_started", job_id=run.job_id, total=len(run.tests))
        self._host.later(0.0, lambda: self._next_test(run))

    def known(self) -> List[str]:
        with self._lock:
            return list(self._runs)

    def knows(self, job_id: str) -> bool:
        with self._lock:
            return job_id in self._runs

    def job_of(self, request_id: Optional[str]) -> Optional[str]:
        """The job that this request began."""
        with self._lock:
            begun = (run.job_id for run in self._runs.values() if run.request_id == request_id)
            return next(begun, None) if request_id is not None else None

    def forget(self) -> None:
        """Every job is lost; the one that runs stops where it is. Main thread."""
        with self._lock:
            for run in self._runs.values():
                run.state = RunState.CANCELLED
            self._runs.clear()

    def status(self, job_id: str) -> Optional[Dict[str, Any]]:
        """``{state, progress, result?, error?}``; None for a job that nobody submitted here."""
        with self._lock:
            run = self._runs.get(job_id)
            return None if run is None else _status(run)

    def cancel(self, job_id: str) -> Optional[str]:
        """``cancelled``, ``cancel_requested`` or ``rejected``; None for a job that nobody submitted here."""
        with self._lock:
            run = self._runs.get(job_id)
            if run is None:
                return None
            if run.state.ended:
                return "rejected"
            if run.state is RunState.RUNNING:
                run.cancelling = True  # the test that runs is not interrupted, as in the real test framework
                return "cancel_requested"
            run.state = RunState.CANCELLED
        self._host.emit("run_finished", job_id=job_id, state=RunState.CANCELLED.value)
        return "cancelled"

    def abort(self, message: str) -> bool:
        """The run that runs cannot be carried out any further; False if none runs. Main thread."""
        with self._lock:
            run = self._running()
            if run is None:
                return False
            run.error = Refusal(ErrorCode.UNITY_EXECUTION, message)
        self._end(run, RunState.FAILED)
        return True

    def _time_is_up(self, run: _Run) -> None:
        with self._lock:
            run.out_of_time = True
            if run.state is not RunState.QUEUED:
                return  # the test that runs is not interrupted
        self._end(run, RunState.TIMEOUT)

    def _next_test(self, run: _Run) -> None:
        with self._lock:
            if run.state is not RunState.RUNNING:
                return  # aborted meanwhile
            cancelling, out_of_time = run.cancelling, run.out_of_time
        if cancelling or out_of_time:
            return self._end(run, RunState.CANCELLED if cancelling else RunState.TIMEOUT)
        if run.completed == len(run.tests):
            return self._end(run, RunState.FAILED if run.failures else RunState.SUCCEEDED)
        test = run.tests[run.completed]
        if test.mode == "play" and not run.playing:
            run.playing = True
            if not self._host.enter_play_mode():
                return
        self._host.later(test.duration_s, lambda: self._test_over(run, test))

    def _test_over(self, run: _Run, test: PretendTest) -> None:
        for entry in test.logs:
            self._host.log(entry)
        with self._lock:
            if run.state is not RunState.RUNNING:
                return
            run.completed += 1
            run.counts[test.outcome] += 1
            run.seconds += test.duration_s
            if test.outcome == "failed":
                run.failures.append(test)
        self._host.emit("test_finished", job_id=run.job_id, name=test.name, outcome=test.outcome)
        self._next_test(run)

    def _end(self, run: _Run, state: RunState) -> None:
        with self._lock:
            if run.state.ended:
                return  # cancelled this very moment, which was told already
            run.state = state
        self._host.emit("run_finished", job_id=run.job_id, state=state.value)
        self.resume()

    def _running(self) -> Optional[_Run]:
        return next((run for run in self._runs.values() if run.state is RunState.RUNNING), None)

    def _drop_oldest(self) -> None:
        ended = [job_id for job_id, run in self._runs.items() if run.state.ended]
        for job_id in ended[: max(0, len(self._runs) - _RUNS_KEPT)]:
            del self._runs[job_id]


def chosen_tests(tests: Sequence[PretendTest], params: Mapping[str, Any]) -> Result[List[PretendTest], str]:
    """The tests that ``{mode, filter}`` asks for, edit mode first; ``Err`` says which parameter is wrong."""
    mode, text = params.get("mode", "all"), params.get("filter") or ""
    modes: Optional[Tuple[str, ...]] = {"all": ("edit", "play"), "edit": ("edit",), "play": ("play",)}.get(
        mode if isinstance(mode, str) else ""
    )
    if modes is None:
        return Err("mode must be all, edit or play")
    if not isinstance(text, str):
        return Err("filter must be text")
    terms = [term.strip() for term in text.split(";") if term.strip()]
    return Ok([test for one in modes for test in tests if test.mode == one and _wanted(test, terms)])


def _wanted(test: PretendTest, terms: Sequence[str]) -> bool:
    return not terms or any(_matches(test, term) for term in terms)


def _matches(test: PretendTest, term: str) -> bool:
    if term.lower().startswith(_CATEGORY):
        return term[len(_CATEGORY) :].strip() in test.categories
    # Whole names only: a namespace, a fixture, a nested or generic one, a test, a test with its arguments.
    rest = test.name[len(term) :]
    return test.name.startswith(term) and (not rest or term.endswith(".") or rest[0] in ".+(<")


def _status(run: _Run) -> Dict[str, Any]:
    status: Dict[str, Any] = {"state": run.state.value, "progress": None}
    if run.started:
        current = run.tests[run.completed].name if not run.state.ended and run.completed < len(run.tests) else None
        status["progress"] = {"completed": run.completed, "total": len(run.tests), "current_test": current}
    if run.error is not None:
        status["error"] = {
            "code": run.error.code.value,
            "message": run.error.message,
            "details": dict(run.error.details),
        }
    elif run.state.ended and run.started:
        status["result"] = _result(run)
    return status


def _result(run: _Run) -> Dict[str, Any]:
    """What ended so far: for a cancelled run, what was done before."""
    failed: List[Dict[str, Any]] = []
    room = _FAILURES_BYTES
    for test in run.failures:
        told = {"name": test.name, "message": test.message, "stack_trace": test.stack_trace}
        room -= len(json.dumps(told)) + 2
        if room < 0:
            break
        failed.append(told)
    summary = {"total": run.completed, **run.counts, "duration_ms": round(run.seconds * 1000)}
    result: Dict[str, Any] = {"summary": summary, "failed_tests": failed}
    if len(failed) < len(run.failures):
        result["failed_tests_omitted"] = len(run.failures) - len(failed)
    return result
