"""What the bridge promises, as checks against the ``Truth``: one answer, at most one run, no lie,
nothing left.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Set, Tuple

from tests.fakes import InMemoryBridge
from tests.model.joint_states import illegal
from tests.model.truth import ENDED, RESULTS, ROUND_TRIPS, Connection, EditorProcess, Message, Truth
from unity_bridge.base.result import Err, Ok
from unity_bridge.catalogue.calls import Outcome
from unity_bridge.core.ledger.machines import JobState
from unity_bridge.core.ledger.records import CancelProgress, JobRecord

_ORDER = {"queued": 0, "running": 1, "succeeded": 2, "failed": 2, "cancelled": 2, "timeout": 2}

# SPEC 9, in seconds: what an answer to a message of the server's own may take.
_SUBMISSION_S = 30.0
_SERVERS_OWN_S = 5.0


class _Bugs(logging.Handler):
    """The executor survives a bug of its own; a proof must not."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.logged: List[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        exception = record.exc_info[1] if record.exc_info else None
        self.logged.append(f"{record.getMessage()} ({exception!r})")


BUGS = _Bugs()
logging.getLogger("unity_bridge").addHandler(BUGS)


class Made:
    """A call that a client made. ``number`` is its place in the order of arrival."""

    def __init__(
        self, number: int, tool: str, client: str, arguments: Message, arrived_at: float
    ) -> None:
        self.number = number
        self.tool = tool
        self.client = client
        self.arguments = arguments
        self.arrived_at = arrived_at
        self.request_id = ""
        self.job_id: Optional[str] = None
        self.outcomes: List[Outcome] = []
        self.is_given_up = False
        self.was_sent_when_given_up = False
        self.is_checked = False

    @property
    def is_for_a_job(self) -> bool:
        return self.tool in RESULTS

    @property
    def key(self) -> Optional[str]:
        return self.arguments.get("client_request_id")

    @property
    def waits_until(self) -> float:
        return self.arrived_at + float(self.arguments.get("wait_ms", 0)) / 1000

    def __repr__(self) -> str:
        return f"{self.tool}({self.arguments}) of {self.client} as {self.request_id}"


@dataclass
class Flight:
    """A round trip as it looks from outside: sent on ``connection``, over at ``due`` at the latest."""

    request_id: str
    connection: Connection
    due: float
    is_answered: bool = False

    def is_over(self, now: float) -> bool:
        return self.is_answered or not self.connection.peer.is_open or now >= self.due


# The tools whose keys are spent with the end of their job.
_SPENDING = ("compile", "run_tests")
# What a plugin gets that has not proved who it is (SPEC §17.2).
_FOR_ANYBODY = ("read_console", "run_tests")


class Promises:
    """Watches the server from both sides; ``check`` after every step."""

    def __init__(self, bridge: InMemoryBridge, truth: Truth) -> None:
        self._bridge = bridge
        self._truth = truth
        self._flight: Optional[Flight] = None
        self._last_number = 0
        self._broken: List[str] = []
        self._numbers: Dict[str, int] = {}  # of requests and jobs: the number of their call
        self._seen: Dict[str, JobRecord] = {}
        self._cancelled_unsent: Set[str] = set()
        self._reported: Set[str] = set()  # job ids that some client knows
        # Jobs whose key means another one from now on, each with how many calls there were then;
        # and the newest job of each client's key, with the number of the call that had it.
        self._released: Dict[str, int] = {}
        self._job_of_key: Dict[Tuple[str, str], Tuple[int, str]] = {}
        self._calls_when_submitted: Dict[
            str, int
        ] = {}  # job id -> how many calls there were when it left
        self.calls: List[Made] = []
        self.jobs: List[str] = []
        BUGS.logged.clear()

    # What the clients do.

    def call(self, tool: str, client: str = "client-test", **arguments: Any) -> None:
        validated = self._bridge.validator.validate(tool, arguments)
        assert isinstance(validated, Ok)
        made = Made(len(self.calls) + 1, tool, client, arguments, self._bridge.clock.now())
        self.calls.append(made)
        made.request_id = self._bridge.call_service.submit(
            # Some are an MCP client's, which waits for the editor no longer than wait_ms, and some
            # a command's.
            replace(
                validated.value,
                client=client,
                is_bounded=made.is_for_a_job and made.number % 3 == 0,
            ),
            lambda outcome: self._answered(made, outcome),
            None,
            lambda job_id: self._has_a_job(made, job_id),
        )
        self._numbers[made.request_id] = made.number
        self._bridge.drain()

    def give_up(self, made: Made) -> None:
        self._ends_with(made)
        made.is_given_up = True
        made.was_sent_when_given_up = made.request_id in self._truth.sent | self._truth.forwarded
        self._bridge.call_service.abandon(made.request_id)
        self._bridge.drain()

    def _ends_with(self, made: Made) -> None:
        """A job that is still queued ends with the last call that waits for it, unless a client knows its id: as one
        does that asks for it."""
        is_question = made.job_id is None or not made.is_for_a_job
        job = None if is_question else self._bridge.stores.jobs.get(made.job_id or "")
        if job is None or job.state is not JobState.QUEUED or job.id in self._reported:
            return
        others = [
            one
            for one in self.open_calls()
            if one is not made and job.id in (one.job_id, _asked_for(one))
        ]
        if not others:
            self._cancelled_unsent.add(job.id)

    def open_calls(self) -> List[Made]:
        return [made for made in self.calls if not made.outcomes and not made.is_given_up]

    def number_of(self, request_id: str) -> int:
        return self._numbers.get(request_id, 0) or len(
            self.calls
        )  # unnamed: it is being made right now

    def is_over(self, job_id: str) -> bool:
        """Whether the server need not ask any more if Unity took this job."""
        job = self._bridge.stores.jobs.get(job_id)
        return job is None or job.accepted or self._bridge.stores.jobs.has_ended(job)

    # What the editors do, just before they do it.

    def is_about_to_answer(self, connection: Connection, request_id: Optional[str]) -> None:
        flight = self._flight
        if (
            flight is not None
            and flight.request_id == request_id
            and flight.connection is connection
        ):
            flight.is_answered = True

    def is_about_to_overflow(self, connection: Connection) -> None:
        if self._flight is not None and self._flight.connection is connection:
            self._flight.is_answered = True

    def is_about_to_hear(self, connection: Connection, text: str) -> None:
        try:
            said = json.loads(text)
        except ValueError:
            return
        if isinstance(said, dict):
            self.is_about_to_answer(connection, said.get("request_id"))

    # What the server says.

    def forwarded(self, request_id: str, tool: str, last_number: int) -> None:
        """A call goes to the owner of the port, to which call ``last_number`` went before."""
        number = self.number_of(request_id)
        made = next((made for made in self.calls if made.request_id == request_id), None)
        is_question = made is not None and (
            made.is_for_a_job and tool == "get_job_status" or _asked_for(made)
        )
        if number <= last_number and not is_question:
            self._broken.append(f"call {number} was forwarded after call {last_number}")
        if made is not None and (made.outcomes or made.is_given_up):
            self._broken.append(f"{made} was forwarded after its end")
        self._truth.forwarded.add(request_id)

    def heard(self, connection: Connection, message: Message) -> None:
        """Called inside the server: what is wrong is kept, and raised by ``check``."""
        if message["type"] not in ROUND_TRIPS:
            return
        if (
            message.get("tool_name", "read_console") not in _FOR_ANYBODY
            and not connection.has_proved
        ):
            self._broken.append(f"{message} was sent to an editor that has proved nothing")
        id, now, number = message["request_id"], self._bridge.clock.now(), None
        flight = self._flight
        if flight is not None and flight.request_id == id:
            if flight.connection is connection or message["type"] != "execute":
                self._broken.append(f"{message} was sent twice")
            flight.connection, flight.is_answered = connection, False
        else:
            if flight is not None and not flight.is_over(now):
                self._broken.append(f"{message} was sent while {flight} was under way")
            self._flight = Flight(id, connection, now + self._budget_s(message))
        if message["type"] == "submit_job":
            number = self._submitted(message)
        elif id not in self._truth.sent:
            number = self._numbers.get(id)
        if number is not None:
            if number < self._last_number:
                self._broken.append(
                    f"{message} of call {number} went after call {self._last_number}"
                )
            self._last_number = max(number, self._last_number)
        if any(
            made.request_id == id and made.is_given_up and not made.was_sent_when_given_up
            for made in self.calls
        ):
            self._broken.append(f"{message} was sent after its call was given up")
        self._truth.sent.add(id)

    def _submitted(self, message: Message) -> Optional[int]:
        job_id = message["job_id"]
        number = None if job_id in self._truth.submitted else self._numbers.get(job_id)
        self._calls_when_submitted.setdefault(job_id, len(self.calls))
        if job_id not in self._numbers:
            self._broken.append(f"{job_id} was submitted, but no client got its id")
        if job_id in self._cancelled_unsent:
            self._broken.append(f"{job_id} was submitted after it was cancelled")
        self._truth.submitted.add(job_id)
        return number

    def _budget_s(self, message: Message) -> float:
        if message["type"] == "execute":
            return float(message["timeout_ms"]) / 1000
        return _SUBMISSION_S if message["type"] == "submit_job" else _SERVERS_OWN_S

    def _answered(self, made: Made, outcome: Outcome) -> None:
        made.outcomes.append(outcome)
        if made.is_given_up:
            self._broken.append(f"{made} was answered after it was given up")
        if isinstance(outcome, Ok) and (made.is_for_a_job or made.tool == "get_job_status"):
            if made.is_for_a_job:
                self._has_a_job(made, outcome.value["job_id"])
                self._check_key(made, outcome.value["job_id"])
            self._reported.add(outcome.value["job_id"])
            self._spend_key(made, outcome.value)
            if made.request_id not in self._truth.forwarded:
                self._check_status(made, outcome.value)
        if (
            made.tool == "cancel_job"
            and isinstance(outcome, Ok)
            and outcome.value["status"] == "cancelled"
        ):
            self._cancelled_unsent.add(outcome.value["job_id"])

    def _has_a_job(self, made: Made, job_id: str) -> None:
        made.job_id = job_id
        if job_id not in self.jobs:
            self.jobs.append(job_id)
        self._numbers.setdefault(job_id, made.number)

    def _check_key(self, made: Made, job_id: str) -> None:
        """A key leads to its job until it is spent, and never again after that (SPEC §15.7)."""
        if self._released.get(job_id, made.number) < made.number:
            self._broken.append(f"{made} joined {job_id}, which no longer has the key")
        if made.key is None:
            return
        number, former = self._job_of_key.get((made.client, made.key), (0, job_id))
        is_known = not any(
            id.startswith("job-owner") for id in (job_id, former)
        )  # an owner is not played so exactly
        if former != job_id and number < made.number and is_known and former not in self._released:
            self._broken.append(f"{made} became {job_id}, and its key still belonged to {former}")
        if number <= made.number:
            self._job_of_key[made.client, made.key] = made.number, job_id

    def _spend_key(self, made: Made, status: Message) -> None:
        """Our own client has the end of its own job. Another client's keys are counted by its own
        server.
        """
        job = self._bridge.stores.jobs.get(status["job_id"])
        is_own = (
            job is not None and job.key is not None and job.client == made.client == "client-test"
        )
        if is_own and status["state"] in ENDED and status["tool"] in _SPENDING:
            self._released.setdefault(status["job_id"], len(self.calls))

    def _check_status(self, made: Made, status: Message) -> None:
        """A status is the ledger's, and one that is none of an end came no sooner than its client
        wanted.
        """
        job = self._bridge.stores.jobs.get(status["job_id"])
        if job is None or job.state.value != status["state"]:
            self._broken.append(f"{made} was answered {status}, the ledger says {job}")
        is_early = (
            self._bridge.clock.now() < made.waits_until and not self._bridge.wiring.has_stopped
        )
        if status["state"] not in ENDED and is_early:
            self._broken.append(
                f"{made} was to wait until {made.waits_until}, and was answered {status}"
            )
        left_before = (
            self._calls_when_submitted.get(status["job_id"], len(self.calls)) < made.number
        )
        if made.tool == "compile" and made.key is None and left_before:
            self._broken.append(f"{made} joined {status}, which may have begun before")
        if made.tool == "run_command" and job is not None and job.client not in (None, made.client):
            self._broken.append(f"{made} joined {job} of another client")

    # After every step.

    def check(self) -> None:
        assert not BUGS.logged, BUGS.logged
        assert not self._broken, self._broken
        self._check_answers()
        self._check_jobs()
        self._check_commands()
        unlawful = illegal(self._bridge)
        assert not unlawful, unlawful
        for job_id, runs in self._truth.runs.items():
            assert runs == 1, f"{job_id} was run {runs} times"
        for (process, client, key), runs in self._truth.keyed_runs.items():
            assert runs <= 1, (
                f"the job of the key '{key}' of {client} was run {runs} times in editor {process}"
            )
        for made in self.calls:
            if made.is_for_a_job:
                elsewhere, job_id = (
                    self._truth.executions.get(made.request_id, 0),
                    made.job_id or "",
                )
                here = 0 if job_id.startswith("job-owner") else self._truth.runs.get(job_id, 0)
                assert elsewhere + here <= 1, (
                    f"{made} was run {elsewhere} times by the owner and {here} times by us"
                )

    def _check_answers(self) -> None:
        for made in self.calls:
            assert len(made.outcomes) <= 1, f"{made} was answered {len(made.outcomes)} times"
            if not made.outcomes:
                continue
            outcome = made.outcomes[0]
            if isinstance(outcome, Err):
                self._check_guarantee(
                    made, outcome.error.as_json()["details"]["execution_guarantee"]
                )
            elif not made.is_checked:
                self._check_result(made, outcome.value)
            made.is_checked = True

    def _check_guarantee(self, made: Made, guarantee: str) -> None:
        """Checked again at every later step: a call reported as not executed must never run."""
        executions = self._truth.executions.get(made.request_id, 0)
        if guarantee == "not_executed":
            assert not executions, (
                f"{made} was reported as not executed, and ran {executions} times"
            )
        elif guarantee == "completed_error":
            assert executions, f"{made} was reported as executed, and was not"
        else:
            has_left = made.request_id in self._truth.sent | self._truth.forwarded
            assert has_left, f"{made} cannot have run, but was reported as possibly executed"

    def _check_result(self, made: Made, result: Message) -> None:
        catalogue, check = self._bridge.validator.catalogue, self._bridge.validator.check_result
        fault = check(catalogue["get_job_status" if made.is_for_a_job else made.tool], result)
        if fault is None and made.is_for_a_job and result["result"] is not None:
            fault = check(catalogue[result["tool"] or "run_tests"], result["result"])
        assert fault is None, f"{made} was answered {result}: {fault}"
        self._check_freshness(made, result)
        if made.tool == "read_console":
            ran_to = self._truth.payloads.get(made.request_id, set())
            if is_partly_read(result):
                assert result["truncated"], f"{made} lacks entries, and does not say so: {result}"
                return
            assert result["count"] in ran_to, f"{made} was answered {result}, but ran to {ran_to}"

    def _check_freshness(self, made: Made, status: Message) -> None:
        """Old code is never reported as new: an editor reports ``true`` after ``false`` only after
        a reload.
        """
        job_id = status.get("job_id", "")
        if (
            job_id in self._truth.fresh
            and status.get("tool") == "run_tests"
            and status.get("result") is not None
        ):
            reported, true = (
                status["result"].get("code_fresh", "nothing"),
                self._truth.fresh[job_id],
            )
            if is_partly_read(status["result"]) and reported is None:
                return
            assert reported is true, (
                f"{made} was answered code_fresh {reported} of {job_id}, and it is {true}"
            )

    def _check_jobs(self) -> None:
        for job in self._bridge.stores.jobs.all():
            before = self._seen.get(job.id)
            self._seen[job.id] = job
            if before is None:
                is_remembered = job.id.startswith("job-owner")
                assert (
                    job.state is JobState.QUEUED
                    or job.call is None
                    or is_remembered
                    or not self._is_new(job)
                ), job
            elif before.state.value in ENDED:
                as_it_ended, is_restored = (before.state, before.error), before.result_dropped
                assert as_it_ended == (job.state, job.error), (
                    f"{before} had ended, and became {job}"
                )
                assert is_restored or before.result == job.result, (
                    f"{before} had ended, and became {job}"
                )
            else:
                assert _ORDER[before.state.value] <= _ORDER[job.state.value], (
                    f"{before} became {job}"
                )
            self._check_the_end_of(job)
            if _never_ran(job):
                self._released.setdefault(job.id, len(self.calls))

    def _check_commands(self) -> None:
        """A command that is called again while it is open is joined, unless it is being cancelled
        (SPEC §15.7).
        """
        once: Dict[Tuple[Optional[str], str], JobRecord] = {}
        for job in self._bridge.stores.jobs.all():
            is_out = (
                self._bridge.stores.jobs.has_ended(job)
                or job.cancel is not CancelProgress.NOT_WANTED
            )
            is_inherited = job.call is None or job.id.startswith("job-owner")
            if job.tool_name != "run_command" or job.key is not None or is_out or is_inherited:
                continue
            twin = once.setdefault((job.client, str(job.call and job.call.params)), job)
            assert twin is job, f"{job} was started next to {twin}, which does the same"

    def _is_new(self, job: JobRecord) -> bool:
        return job.id not in self._numbers

    def _check_the_end_of(self, job: JobRecord) -> None:
        is_ours = job.call is not None and not job.id.startswith("job-owner")
        if job.state is JobState.CANCELLED and job.request_id is None and is_ours:
            assert job.id not in self._truth.submitted, (
                f"{job.id} was cancelled here, and sent all the same"
            )
        if job.state is JobState.SUCCEEDED:
            assert self._truth.runs.get(job.id) or job.call is None, (
                f"{job.id} succeeded without a run"
            )
        if job.error is None:
            return
        guarantee, runs = job.error.guarantee.value, self._truth.runs.get(job.id, 0)
        if guarantee == "not_executed":
            ran = runs and job.id not in self._truth.never_begun
            assert not ran, f"{job} was reported as not executed, and ran"
        elif guarantee == "completed_error":
            assert runs and job.id not in self._truth.never_begun, (
                f"{job} was reported as executed, and did not run"
            )
        else:
            assert job.id in self._truth.submitted or job.call is None, (
                f"{job} cannot have run, but might have"
            )

    # At the end.

    def check_that_all_has_ended(self) -> None:
        assert not self.open_calls(), f"never answered: {self.open_calls()}"
        running = [
            job
            for job in self._bridge.stores.jobs.all()
            if not self._bridge.stores.jobs.has_ended(job)
        ]
        assert not running, f"never ended: {running}"

    def check_that_no_run_was_dropped(self, process: EditorProcess) -> None:
        """A job that the connected editor knows as succeeded is reported so, unless it was
        cancelled before.
        """
        for run in process.runs.values():
            job = self._bridge.stores.jobs.get(run.ours)
            if job is not None and job.state is JobState.SUCCEEDED:
                assert run.state == "succeeded", f"{job} got the report {run.state}"

    def check_that_nothing_is_left(self) -> None:
        """After the stop: every call has its answer, and nothing waits for anything."""
        assert not self.open_calls(), f"never answered: {self.open_calls()}"
        assert self._bridge.open_requests == []
        parts = self._bridge.parts
        assert not parts.owed and not parts.waits.all(), (
            "answers are owed, or jobs waited for, by nobody"
        )


def _never_ran(job: JobRecord) -> bool:
    is_unsent = job.state is JobState.CANCELLED and job.request_id is None and not job.accepted
    return is_unsent or (job.error is not None and job.error.guarantee.value == "not_executed")


def _asked_for(made: Made) -> Optional[str]:
    """The job that a question is about."""
    return str(made.arguments["job_id"]) if made.tool == "get_job_status" else None


def is_partly_read(result: Message) -> bool:
    """Whether the server says that it left out members that it could not read (SPEC §20.3)."""
    return any("does not fit the contract" in remark for remark in result.get("remarks", []))
