"""``CallsRoom``: the parts of this room, and how a call enters it and leaves it without an answer."""

from __future__ import annotations

from typing import Mapping

from unity_bridge.base.errors import stopping
from unity_bridge.catalogue.tool import Service
from unity_bridge.core import errors
from unity_bridge.core.calls.admission import Admission
from unity_bridge.core.calls.editor_state import StateAnswers
from unity_bridge.core.calls.questions import JobQuestions
from unity_bridge.core.calls.reads import Reads
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.calls.waiting import Waits
from unity_bridge.core.context import Core
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.events import CallRefused
from unity_bridge.core.jobs.cancelling import CancelStatus
from unity_bridge.core.jobs.room import JobsRoom
from unity_bridge.core.ledger.machines import RequestEvent, RequestState
from unity_bridge.core.ledger.records import RequestRecord

# How a request ends if its client cancels it (SPEC §6).
ABANDONED: Mapping[RequestState, CancelStatus] = {
    RequestState.RECEIVED: CancelStatus.CANCELLED,
    RequestState.WAITING_EDITOR_READY: CancelStatus.CANCELLED,
    RequestState.QUEUED: CancelStatus.CANCELLED,
    RequestState.RUNNING: CancelStatus.CANCEL_REQUESTED,
    RequestState.WAITING_JOB: CancelStatus.CANCELLED,
    RequestState.FORWARDED: CancelStatus.CANCELLED,
    RequestState.SUCCEEDED: CancelStatus.REJECTED,
    RequestState.FAILED: CancelStatus.REJECTED,
    RequestState.TIMEOUT: CancelStatus.REJECTED,
    RequestState.CANCELLED: CancelStatus.REJECTED,
}


class CallsRoom:
    """For the executor thread alone."""

    def __init__(self, core: Core, editor: Editor, jobs: JobsRoom) -> None:
        self._core = core
        self._editor = editor
        self.requests = Requests(core)
        self.waits = Waits(core, jobs.jobs, jobs.polls, self.requests)
        self.questions = JobQuestions(core, editor, self.requests, self.waits, jobs)
        self.admission = Admission(core, editor, jobs.jobs, self.requests, self.questions)
        self.reads = Reads(core, editor, self.requests)
        self.state = StateAnswers(core, editor, jobs.jobs, self.requests)

    def answer(self, request: RequestRecord) -> None:
        """Answer a call, or let it wait. Only a call that Unity answers enters the queue; the
        ledger answers all others at any time, whatever Unity does (SPEC §4.3).
        """
        service = request.call.tool.service
        error = (
            None if service is Service.EDITOR_STATE else self._editor.wrong_project(request.call)
        )
        if error is not None:
            self.requests.fail(request.id, RequestEvent.REFUSED, error)
        elif service is Service.UNITY:
            self.admission.admit(request)
        elif service is Service.EDITOR_STATE:
            self.state.answer(request)
        elif service is Service.JOB_STATUS:
            self.questions.status(request)
        else:
            self.questions.cancel(request)

    def abandoned(self, request: RequestRecord) -> None:
        """Cancel a call, because its client withdrew it."""
        status = ABANDONED[request.state]
        self._core.log.info(
            "call cancelled by its client", request_id=request.id, status=status.value
        )
        self.requests.forget_caller(request.id)
        if status is CancelStatus.CANCELLED:
            self._core.ledger.leave(request.id)
            self.waits.leave(request.id)
            self.requests.end(request.id, RequestEvent.CANCELLED)
            if request.state is RequestState.WAITING_JOB:
                self.questions.given_up(request)
        elif status is CancelStatus.CANCEL_REQUESTED:
            self.requests.move(request.id, RequestEvent.CLIENT_CANCELLED, abandoned=True)
            # A read that only waits for a connection, to be sent again, has nothing left to wait
            # for.
            self.reads.reconnect_window_over(request.id)

    def refused(self, _: CallRefused) -> None:
        """Count a call that was refused before it was handed over."""
        self.requests.figures.refused()

    def end_at_stop(self, request_id: str) -> None:
        """Answer a call with what is known of it, because the server stops (SPEC §3.4)."""
        request = self.requests.open(request_id)
        if request.state is RequestState.WAITING_JOB:
            self.waits.stopped(request.id)
        elif request.state in (RequestState.RUNNING, RequestState.FORWARDED):
            error = errors.stopped_while_running(request.call.tool.name)
            self.requests.fail(request.id, RequestEvent.STOPPED, error)
        elif not self._core.ledger.requests.has_ended(
            request
        ):  # with the job that a call before it waited for
            self.requests.fail(request.id, RequestEvent.STOPPED, stopping())

    def give_up(self, request_id: str) -> None:
        """Answer a call that a bug of ours has struck, if it is still owed an answer."""
        request = self.requests.get(request_id)
        if request is None or self._core.ledger.requests.has_ended(request):
            return
        was_in_queue = self._core.ledger.leave(request_id)
        self.waits.leave(request_id)
        was_being_sent = request.state is RequestState.QUEUED and not was_in_queue
        has_left = was_being_sent or request.state in (RequestState.RUNNING, RequestState.FORWARDED)
        self.requests.fail(
            request_id, RequestEvent.BUG, errors.bug("it handled the call", has_left)
        )
