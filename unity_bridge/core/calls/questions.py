"""``JobQuestions``: what clients want of jobs that exist: to know how one is, to wait for it, to
stop it.

The ledger answers if that is enough, else Unity is asked (SPEC §4.3, §6, §14.3, §15.2). Only a
question about a job that this server does not know waits for the editor, as long as its client
waits.
"""

from __future__ import annotations

import re
from typing import Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.catalogue.tool import Mode, Service
from unity_bridge.core import errors
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.calls.waiting import Waits
from unity_bridge.core.changes import JobMoved
from unity_bridge.core.context import Core
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.jobs.jobs import is_the_same
from unity_bridge.core.jobs.room import JobsRoom
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobState, RequestEvent, RequestState
from unity_bridge.core.ledger.records import JobRecord, Purpose, RequestRecord, RoundTrip, Turn
from unity_bridge.core.unity_errors import Answer, fault_of
from unity_bridge.unity.messages import GetJobStatus

# As servers make ids (SPEC §5).
_SERVERS_JOB = re.compile(r"job-[0-9a-f]{8}-[0-9]{1,9}")


class JobQuestions:
    """The ``Exchange`` of STATUS; its subject is the request. For the executor thread alone."""

    def __init__(
        self, core: Core, editor: Editor, requests: Requests, waits: Waits, jobs: JobsRoom
    ) -> None:
        self._core = core
        self._ledger = core.ledger
        self._editor = editor
        self._requests = requests
        self._waits = waits
        self._results = jobs.results
        self._cancels = jobs.cancels

    # The calls.

    def status(self, request: RequestRecord) -> None:
        """Answer a client that asks for a job's status, or joins the job."""
        job = self._ledger.jobs.get(_job_id(request))
        if job is None or (_is_worth_asking_for(job) and self._ledger.editor_is_ready()):
            self._ask_unity(request)
        else:
            self._waits.answer_or_wait(request, job)

    def join(self, request: RequestRecord, job: JobRecord, place: Optional[Turn] = None) -> None:
        """Join the call to ``job``, which does the same already (SPEC §15.7). ``place``: its queued
        turn, if any.
        """
        self._core.log.info("call joins a job", job_id=job.id, request_id=request.id)
        request = self._requests.remember(request.id, job_id=job.id, joined=True)
        if place is not None and _is_worth_asking_for(job):
            self._requests.move(request.id, RequestEvent.EDITOR_READY)
            self._ledger.replace(place, Turn(Purpose.STATUS, request.id))
            return
        self._ledger.leave(request.id)
        self.status(request)

    def cancel(self, request: RequestRecord) -> None:
        """Cancel the job that a client wants to stop, or ask Unity for a job that is not known
        here.
        """
        id = _job_id(request)
        job = self._ledger.jobs.get(id)
        if job is not None:
            self._cancel(request, job)
        elif self._requests.get(id) is not None:
            self._requests.fail(request.id, RequestEvent.REFUSED, errors.not_a_job(id))
        else:
            self._ask_unity(request)

    def given_up(self, request: RequestRecord) -> None:
        """Cancel the job of a cancelled call, if it is still queued here. A running job runs on.

        A queued job ends with the last call that waits for it, unless a client knows its id: that
        client may come back for it (SPEC §15.4).
        """
        job = None if request.job_id is None else self._ledger.jobs.get(request.job_id)
        if (
            job is None
            or job.state is not JobState.QUEUED
            or job.is_reported
            or self._waits.is_waited_for(job.id)
        ):
            return
        self._cancels.cancel(job)

    def could_not_ask(self, request: RequestRecord, error: Optional[ToolError] = None) -> None:
        """Unity gave no usable answer on the job: the ledger's last state stands, if it has one."""
        job = self._ledger.jobs.get(_job_id(request))
        if job is None:
            reason = error or errors.job_cannot_be_asked_for(_job_id(request))
            self._requests.fail(request.id, RequestEvent.NOT_ASKED, reason)
        elif _cancels_a_job(request):
            self._cancel(request, job)
        else:
            self._waits.answer_or_wait(request, job)

    def answer_waiting(self) -> None:
        """Answer the queued questions with what is known; those about an unknown job wait on (SPEC
        §4.3).
        """
        for turn in self._ledger.turns:
            request = self._requests.get(turn.subject) if turn.purpose is Purpose.STATUS else None
            if request is not None and not self._waits_for_editor(request):
                self._ledger.leave(turn.subject)
                self.could_not_ask(request)

    def park(self, request: RequestRecord, event: RequestEvent) -> bool:
        """Let a question that Unity cannot be asked now wait for the editor, if it may. Return
        whether it does.
        """
        if self._requests.queue_full(request) is not None or not self._waits_for_editor(request):
            return False
        self._requests.move(request.id, event)
        self._ledger.join_by_arrival(
            Purpose.STATUS, request.id, self._editor.parked(self._core.now())
        )
        return True

    def _waits_for_editor(self, request: RequestRecord) -> bool:
        """Return whether the job is unknown, and the client's own time has not passed, which then
        ends the wait.
        """
        ends_at = request.arrived_at + self._wait_s(request)
        is_known = self._ledger.jobs.get(_job_id(request)) is not None
        if is_known or ends_at <= self._core.now() or self._editor.cannot_connect() is not None:
            return False
        self._core.deadlines.set(Due.OVER, request.id, ends_at)
        return True

    def _wait_s(self, request: RequestRecord) -> float:
        """Return for how long the client waits for an editor: as for a read, if the editor may be
        on its way.

        A client that starts a server for each call could neither stop its job nor ask for it
        otherwise.
        """
        wait_s = request.call.wait_ms / 1000
        is_coming = (
            request.state is RequestState.WAITING_EDITOR_READY or self._editor.may_be_coming()
        )
        if not is_coming or _SERVERS_JOB.fullmatch(_job_id(request)) is None:
            return wait_s
        return max(wait_s, self._core.config.request_reconnect_wait_ms / 1000)

    def job_moved(self, change: JobMoved) -> None:
        """Answer the queued questions about a job that has ended: they need not be asked any more."""
        if not self._ledger.jobs.has_ended(change.job):
            return
        for turn in self._ledger.turns:
            if turn.purpose is Purpose.STATUS:
                request = self._requests.open(turn.subject)
                if _job_id(request) == change.job.id:
                    self._ledger.leave(request.id)
                    self.could_not_ask(request)

    def _ask_unity(self, request: RequestRecord) -> None:
        """Let the question into the queue; if that cannot be, what the ledger knows is the answer."""
        error = self._requests.queue_full(request)
        if not self._ledger.editor_is_ready():
            if self.park(request, RequestEvent.PARKED):
                return
            error = self._editor.cannot_connect() or errors.job_cannot_be_asked_for(
                _job_id(request)
            )
        if error is None:
            self._requests.move(request.id, RequestEvent.ADMITTED)
            self._ledger.join(Purpose.STATUS, request.id)
        elif request.joined:
            self.could_not_ask(request)
        else:
            self._requests.fail(request.id, RequestEvent.REFUSED, error)

    def _cancel(self, request: RequestRecord, job: JobRecord) -> None:
        status = self._cancels.cancel(job)
        self._requests.answered_here(request.id, {"job_id": job.id, "status": status.value})

    # Exchange.

    def begin(self, subject: str) -> Optional[ToolError]:
        request = self._requests.open(subject)
        job_id = _job_id(request)
        job = self._ledger.jobs.get(job_id)
        id_in_unity = job_id if job is None else job.id_in_unity
        message = GetJobStatus(request_id=subject, job_id=id_in_unity)
        # The timeout_ms of a job call is its job's.
        is_job_call = request.call.tool.mode is Mode.JOB
        budget_ms = (
            self._core.config.sync_fast_timeout_ms if is_job_call else request.call.timeout_ms
        )
        error = self._core.ask(Purpose.STATUS, subject, message, budget_ms)
        if error is not None:
            self.could_not_ask(request, error)
        else:
            self._requests.move(subject, RequestEvent.DEQUEUED)
        return error

    def answered(self, trip: RoundTrip, answer: Answer) -> None:
        request = self._requests.open(trip.request_id)
        job_id = _job_id(request)
        if self._results.answered(job_id, answer):
            self._go_on(request)
            return
        self._core.log.info(
            f"the answer to get_job_status cannot be used: {fault_of(answer)}", job_id=job_id
        )
        self.could_not_ask(request, errors.malformed("get_job_status", fault_of(answer)))

    def timed_out(self, trip: RoundTrip) -> None:
        self.could_not_ask(self._requests.open(trip.request_id))

    interrupted = timed_out

    def _go_on(self, request: RequestRecord) -> None:
        """Continue the call, now that the ledger has what Unity said of the job."""
        job = self._ledger.jobs.get(_job_id(request))
        if job is None:
            self._requests.fail(
                request.id, RequestEvent.PLUGIN_ERROR, errors.job_not_found(_job_id(request))
            )
        elif _cancels_a_job(request):
            self._cancel(request, job)
        elif request.call.tool.mode is Mode.JOB and not is_the_same(request.call, job):
            # Only now has Unity said what the job is that the key belongs to.
            error = errors.key_used_otherwise(str(request.call.client_request_id), job)
            self._requests.fail(request.id, RequestEvent.PLUGIN_ERROR, error)
        else:
            self._waits.answer_or_wait(request, job, was_asked=True)


def _is_worth_asking_for(job: JobRecord) -> bool:
    return job.state is JobState.RUNNING or job.result_dropped


def _cancels_a_job(request: RequestRecord) -> bool:
    return request.call.tool.service is Service.JOB_CANCEL


def _job_id(request: RequestRecord) -> str:
    """Return the id of the job that the call is about."""
    id = request.job_id or request.call.params["job_id"]
    assert isinstance(id, str)  # the validator saw to it
    return id
