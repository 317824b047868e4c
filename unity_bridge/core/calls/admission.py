"""``Admission``: which call may go to Unity when: admit it, park it, let it go, end its wait (SPEC
§3.2, §3.3, §4).
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.base.result import Err, Ok, Result
from unity_bridge.catalogue.calls import Call
from unity_bridge.catalogue.tool import Join, Mode
from unity_bridge.core import errors
from unity_bridge.core.calls.questions import JobQuestions
from unity_bridge.core.calls.requests import Requests
from unity_bridge.core.context import Core
from unity_bridge.core.editor import no_editor_errors
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.jobs.jobs import JobRecords, has_the_same_arguments, holds_key, is_the_same
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState, RequestEvent, RequestState
from unity_bridge.core.ledger.records import (
    CancelProgress,
    JobRecord,
    LostWith,
    Parked,
    Purpose,
    RequestRecord,
    Turn,
)
from unity_bridge.projects.project_probe import ProjectProbed
from unity_bridge.unity.bridge_client import ListenerBlocked


class Joins:
    """Whether a job call starts a job of its own, or joins one that exists (SPEC §15.7).

    With a key the client itself says that it means the same job; without one the catalogue says
    what is joined.
    """

    def __init__(self, core: Core, jobs: JobRecords) -> None:
        self._core = core
        self._jobs = jobs

    def find(self, call: Call) -> Result[Optional[JobRecord], ToolError]:
        """Return the job to join, None if there is none, or an error if the key belongs to another
        call.
        """
        if call.client is None or call.client_request_id is None:
            return Ok(self._identical(call))
        job = self._jobs.keyed(call) or self._listed(call)
        if job is not None and not is_the_same(call, job):
            return Err(errors.key_used_otherwise(call.client_request_id, job))
        return Ok(job)

    def _listed(self, call: Call) -> Optional[JobRecord]:
        """Return the job of this key that the editor knows from an earlier server, or None."""
        identity = self._core.ledger.identity
        if identity is None:
            return None
        key = self._jobs.key_of(call)
        job_id = identity.job_keys.get((str(call.client), str(key)))
        if job_id is None:
            return None
        record = self._jobs.get(job_id)
        if record is not None:
            return record if holds_key(record) else None
        return self._jobs.adopt(job_id, identity.instance_id, client=call.client, key=key)

    def _identical(self, call: Call) -> Optional[JobRecord]:
        """Return an open job that does just what ``call`` asks for, if the catalogue allows the
        call to join it.
        """
        # While no editor is connected, nothing is known of its commands: this is asked again when
        # the call goes.
        identity = self._core.ledger.identity
        joins = frozenset() if identity is None else identity.joins
        if call.tool.join is Join.NONE or not call.tool.may_join(call.params, joins):
            return None
        for job in self._jobs.open():
            is_other = job.call is None or not has_the_same_arguments(call, job.call)
            may_have_begun = job.state is not JobState.QUEUED
            is_out = job.client != call.client if call.tool.join is Join.OPEN else may_have_begun
            # One that is being cancelled is not what a new call wants.
            if not is_other and not is_out and job.cancel is CancelProgress.NOT_WANTED:
                return job
        return None


class Admission:
    """For the executor thread alone."""

    def __init__(
        self,
        core: Core,
        editor: Editor,
        jobs: JobRecords,
        requests: Requests,
        questions: JobQuestions,
    ) -> None:
        self._core = core
        self._ledger = core.ledger
        self._editor = editor
        self._jobs = jobs
        self._joins = Joins(core, jobs)
        self._requests = requests
        self._questions = questions

    # A call comes in.

    def admit(self, request: RequestRecord) -> None:
        """Let a call that needs Unity into the queue, to go or to wait."""
        call = request.call
        if self._joins_a_job(request):
            return
        error = (
            self._editor.lacks(call)
            or self._editor.cannot_connect()
            or self._requests.queue_full(request)
        )
        if error is not None:
            self._requests.fail(request.id, RequestEvent.REFUSED, error)
        elif not self._ledger.editor_is_ready():
            self._park(request, RequestEvent.PARKED)
        elif call.tool.mode is Mode.JOB:
            self._ledger.join(Purpose.SUBMIT, self._issue_job(request).id)
            self._questions.status(self._requests.open(request.id))
        else:
            self._requests.move(request.id, RequestEvent.ADMITTED)
            self._ledger.join(Purpose.EXECUTE, request.id)
            self._bound(request)

    def take_back(self, request: RequestRecord, lost_with: Optional[LostWith]) -> None:
        """Park a call that came back from a lost owner of the port; the queue's bound holds for it
        too (SPEC §4.1).
        """
        error = self._requests.queue_full(request)
        self._requests.remember(request.id, lost_with=request.lost_with or lost_with)
        if error is None:
            self._park(request, RequestEvent.CAME_BACK)
        else:
            self._requests.fail(request.id, RequestEvent.OWNER_LOST, error)

    def _park(self, request: RequestRecord, event: RequestEvent) -> None:
        parked = self._editor.parked(self._core.now())
        self._requests.move(request.id, event)
        self._ledger.join_by_arrival(Purpose.EXECUTE, request.id, parked)
        self._bound(request)

    def _bound(self, request: RequestRecord) -> None:
        """Wait for the editor no longer than the client does."""
        ends_at = request.ends_at
        if ends_at is not None:
            self._core.deadlines.set(Due.OVER, request.id, ends_at)

    def _joins_a_job(self, request: RequestRecord, place: Optional[Turn] = None) -> bool:
        """Join the job that a job call means, if it exists already; whether the call has been dealt
        with.

        ``place``: where it has waited for the editor.
        """
        if request.call.tool.mode is not Mode.JOB:
            return False
        joined = self._joins.find(request.call)
        if isinstance(joined, Err):
            self._ledger.leave(request.id)
            self._requests.fail(request.id, RequestEvent.REFUSED, joined.error)
        elif joined.value is not None:
            self._questions.join(request, joined.value, place)
        else:
            return False
        return True

    def _issue_job(self, request: RequestRecord) -> JobRecord:
        job = self._jobs.issue(request.call)
        self._core.log.info("job issued", job_id=job.id, request_id=request.id)
        self._requests.remember(request.id, job_id=job.id)
        return job

    # The editor's readiness changes, and with it what the queue waits for.

    def readiness_changed(self, _: object = None) -> None:
        """Whether the editor is ready has changed, or why it is not: let parked turns go, or set
        their limits.
        """
        if self._ledger.editor_is_ready():
            for turn in self._ledger.unpark():
                self._let_go(turn)
            return
        self._questions.answer_waiting()
        for turn in self._ledger.park(self._limit_of):
            record = self._requests.get(turn.subject)
            if record is not None and record.state is RequestState.QUEUED:
                self._requests.move(turn.subject, RequestEvent.EDITOR_LOST)

    def _let_go(self, parked: Turn) -> None:
        """Let a parked turn proceed, because the editor is ready.

        Both are read again: the turn before this one may have been given the job that this call now
        joins.
        """
        request = self._requests.get(parked.subject)
        turn = self._ledger.find(parked.subject, parked.purpose)
        if (
            request is None
            or turn is None
            or request.state is not RequestState.WAITING_EDITOR_READY
        ):
            return
        if turn.purpose is Purpose.STATUS:
            self._requests.move(request.id, RequestEvent.EDITOR_READY)
            return
        error = self._editor.refuses(request.call)
        if error is not None:
            self._ledger.leave(request.id)
            self._requests.fail(request.id, RequestEvent.REFUSED, error)
        elif request.call.tool.mode is not Mode.JOB:
            self._requests.move(request.id, RequestEvent.EDITOR_READY)
        elif not self._joins_a_job(request, turn):
            # The job takes the very place in which its call waited.
            self._core.deadlines.clear(Due.OVER, request.id)
            self._ledger.replace(turn, Turn(Purpose.SUBMIT, self._issue_job(request).id))
            self._questions.status(self._requests.open(request.id))

    def _limit_of(self, turn: Turn) -> Parked:
        since = self._core.now() if turn.parked is None else turn.parked.since
        return self._editor.parked(since, turn.parked)

    # A turn waits in vain.

    def over(self, request_id: str) -> None:
        """End a call whose time is over before it was sent: nothing was submitted, the client may
        call again.
        """
        request, turn = (
            self._requests.get(request_id),
            self._ledger.find(request_id, Purpose.EXECUTE),
        )
        if request is None or turn is None:
            self.parked_too_long(request_id)
            return
        waited_ms = round((self._core.now() - request.arrived_at) * 1000)
        if turn.parked is not None:
            error = self._editor.waited_in_vain(turn.parked, is_cut_short=True)
            self._end_parked(
                turn, changed(error, details={**error.details, "parked_ms": waited_ms})
            )
        else:
            self._ledger.leave(request_id)
            error = errors.not_reached(request.call.tool.name, waited_ms)
            self._requests.fail(request_id, RequestEvent.NOT_ASKED, error)

    def parked_too_long(self, subject: str) -> None:
        """End the turn, because it has been parked for too long (SPEC §3.2)."""
        for turn in self._ledger.parked():
            if turn.subject != subject or turn.parked is None:
                continue
            if turn.purpose is Purpose.STATUS:
                self._ledger.leave(subject)
                self._questions.could_not_ask(self._requests.open(subject))
            else:
                self._end_parked(turn, self._editor.waited_in_vain(turn.parked))

    def project_probed(self, _: ProjectProbed) -> None:
        """Answer or park again the parked calls, now that a probe showed why no plugin is
        connected.

        In safe mode no plugin will connect: only the editor's log can answer.
        """
        if self._editor.cannot_connect() is not None:
            self._end_all_parked()
            return
        probe = self._editor.probes.safe_mode
        if probe is None:
            if self._ledger.parked():
                self._ledger.park(self._limit_of)  # an editor that is starting is waited for longer
            return
        for turn in self._ledger.parked():
            request = self._requests.get(turn.subject)
            if (
                request is not None
                and turn.purpose is Purpose.EXECUTE
                and request.call.tool.is_answered_by_editor_log
            ):
                self._ledger.leave(request.id)
                self._requests.answered_here(
                    request.id, no_editor_errors.compile_of_the_log(request.call.tool.name, probe)
                )
            else:
                self._end_parked(turn, no_editor_errors.in_safe_mode(probe, self._core.project))

    def port_blocked(self, _: ListenerBlocked) -> None:
        """Another program has the port: no editor can connect, so nothing can be waited for (SPEC
        §2.5).
        """
        self._end_all_parked()

    def _end_all_parked(self) -> None:
        error = self._editor.cannot_connect()
        for turn in self._ledger.parked():
            if error is not None:
                self._end_parked(turn, error)

    def _end_parked(self, turn: Turn, error: ToolError) -> None:
        self._ledger.leave(turn.subject)
        if turn.purpose is Purpose.SUBMIT:
            self._jobs.end(turn.subject, JobEvent.PARKED_TOO_LONG, error)
        else:
            self._requests.fail(turn.subject, RequestEvent.PARKED_TOO_LONG, error)
