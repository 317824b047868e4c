"""``OwnerAnswers``: what the owner of the port says of forwarded calls, and what happens when it
goes (SPEC §14).
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.attach import owner_events
from unity_bridge.attach.protocol import job_error_of, outcome_of
from unity_bridge.base.errors import STOPPING, ErrorCode, Guarantee
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.calls import Failure
from unity_bridge.catalogue.tool import Effect, Mode, Service
from unity_bridge.core import errors
from unity_bridge.core.calls.editor_state import SilentOwner, as_seen_here
from unity_bridge.core.calls.room import CallsRoom
from unity_bridge.core.context import Core
from unity_bridge.core.editor import no_editor_errors
from unity_bridge.core.editor.editor import Editor
from unity_bridge.core.jobs.room import JobsRoom
from unity_bridge.core.ledger.machines import JobEvent, RequestEvent, RequestState
from unity_bridge.core.ledger.records import LostWith, RequestRecord
from unity_bridge.core.sharing.forwarding import Forwarding, asks_for_state
from unity_bridge.projects.project_probe import ProjectProbe
from unity_bridge.text.json_types import JsonDict, JsonObject


class OwnerAnswers:
    """For the executor thread alone."""

    def __init__(
        self, core: Core, editor: Editor, jobs: JobsRoom, calls: CallsRoom, forwarding: Forwarding
    ) -> None:
        self._core = core
        self._editor = editor
        self._jobs = jobs
        self._calls = calls
        self._forwarding = forwarding
        self._owner_is_stopping = False
        self._last_state: Optional[JsonObject] = None

    # The owner comes and goes.

    def owner_found(self, _: owner_events.OwnerFound) -> None:
        """Forget what the former owner said: nothing of it holds for a new one."""
        self._owner_is_stopping = False
        self._last_state = None

    def owner_stopping(self, _: owner_events.OwnerStopping) -> None:
        self._owner_is_stopping = True

    def owner_lost(self, _: owner_events.OwnerLost) -> None:
        """End the calls that the lost owner had, and did not answer.

        It accepts a call before it submits its job, and submits nothing once it says that it stops:
        the others have not run.
        """
        guarantee = Guarantee.NOT_EXECUTED if self._owner_is_stopping else Guarantee.UNKNOWN
        for request in self._core.ledger.open_requests():
            if request.state is RequestState.FORWARDED:
                self._owner_ended(request, guarantee)

    # What the owner says.

    def owner_silent(self, request_id: str) -> None:
        """Answer a call for the state at once, always (SPEC §8): an owner that is stuck has had its
        time.
        """
        request = self._calls.requests.open(request_id)
        self._forwarding.abandon(request)
        self._calls.state.answer(request, SilentOwner(self._last_state))

    def progressed(self, event: owner_events.OwnerProgressed) -> None:
        self._calls.requests.progress(event.request_id, event.progress)

    def accepted(self, event: owner_events.OwnerAccepted) -> None:
        """Remember the job that the call waits for at the owner."""
        request = self._calls.requests.get(event.request_id)
        if request is not None and request.state is RequestState.FORWARDED:
            self._remember(request, {"job_id": event.job_id})

    def answered(self, event: owner_events.OwnerAnswered) -> None:
        """Pass on the owner's answer. Its own stopping is no answer yet to a call that can go on
        elsewhere.
        """
        request = self._calls.requests.get(event.request_id)
        if request is None or request.state is not RequestState.FORWARDED:
            return
        self._forwarding.drop(request.id)
        outcome = outcome_of(event.message, request.call.tool)
        if isinstance(outcome, Ok):
            self._succeeded(request, outcome.value)
        else:
            self._failed(request, outcome.error)

    def _succeeded(self, request: RequestRecord, result: JsonDict) -> None:
        if asks_for_state(request):
            client_project = self._core.config.client_project
            here = as_seen_here(
                result, self._core.project, client_project, self._editor.probes.seen
            )
            result = {**here, "role": "attached"}
            self._last_state = result
        elif "state" in result:  # which an answer about a cancel does not have
            # Should the owner go, we are asked for this job ourselves, and before Unity is back.
            request = self._remember(request, result)
            stopped = job_error_of(result.get("error")).details.get("reason") == STOPPING
            if stopped and request.call.tool.mode is Mode.JOB:
                self._owner_ended(
                    self._calls.requests.remember(request.id, job_id=None), Guarantee.NOT_EXECUTED
                )
                return
            job = self._forwarding.job_of(request)
            if (
                self._owner_is_stopping
                and request.call.wait_ms
                and job
                and not self._jobs.jobs.has_ended(job)
            ):
                self._calls.waits.answer_or_wait(request, job)
                return
            if request.joined:
                result = {**result, "joined": True}
        is_handed_over = self._calls.requests.succeed(request.id, RequestEvent.RESULT_OK, result)
        job = self._forwarding.job_of(request)
        if is_handed_over and job is not None and job.state.value == result.get("state"):
            self._jobs.jobs.end_reported(job.id, request.call.client)

    def _failed(self, request: RequestRecord, failure: Failure) -> None:
        job = None if request.job_id is None else self._jobs.jobs.get(request.job_id)
        if failure.error.details.get("reason") == STOPPING:
            self._owner_ended(request, failure.error.guarantee)
        elif job is not None and failure.code is ErrorCode.JOB_NOT_FOUND:
            # Nobody else knows the job that the call waits for: what we know of it is the answer.
            self._jobs.jobs.end(job.id, JobEvent.LOST, errors.job_lost(errors.FORGOTTEN_BY_UNITY))
            self._calls.waits.answer_or_wait(request, self._jobs.jobs.get(job.id) or job)
        elif job is not None:
            # The question about the job failed, and not the job: it may well have run.
            self._calls.waits.answer(request.id, job)
        elif (
            failure.code is ErrorCode.EDITOR_NOT_READY and self._editor.probes.safe_mode is not None
        ):
            # The owner may be for another project, and sees nothing of ours.
            self._answer_in_safe_mode(request, self._editor.probes.safe_mode)
        else:
            self._calls.requests.fail(
                request.id, RequestEvent.RESULT_ERROR, failure.error, failure.request_id
            )

    def _answer_in_safe_mode(self, request: RequestRecord, probe: ProjectProbe) -> None:
        """In safe mode only the editor's log can answer (SPEC §18.3)."""
        if request.call.tool.is_answered_by_editor_log:
            self._calls.requests.answered_here(
                request.id, no_editor_errors.compile_of_the_log(request.call.tool.name, probe)
            )
        else:
            error = no_editor_errors.in_safe_mode(probe, self._core.project)
            self._calls.requests.fail(request.id, RequestEvent.RESULT_ERROR, error)

    def _remember(self, request: RequestRecord, report: JsonObject) -> RequestRecord:
        """Keep the job that the owner spoke of, and that the call waits for it."""
        job_id = report.get("job_id")
        if not isinstance(job_id, str):
            return request
        is_ours = request.call.tool.mode is Mode.JOB
        call = None
        if is_ours:
            call = request.call
        self._jobs.results.remember(job_id, report, call)
        if is_ours:
            return self._calls.requests.remember(request.id, job_id=job_id)
        return request

    def _owner_ended(self, request: RequestRecord, guarantee: Guarantee) -> None:
        """Repeat a read, or a call that never ran; let a call that waits for a job go on waiting.

        Any other call is answered with what is known (SPEC §14.2, §15.4).
        """
        self._forwarding.drop(request.id)
        tool, job = request.call.tool, self._forwarding.job_of(request)
        has_not_run = guarantee is Guarantee.NOT_EXECUTED
        if job is not None and tool.service is not Service.JOB_CANCEL:
            self._calls.waits.answer_or_wait(request, job)
        elif tool.needs_editor and (tool.kind is Effect.READ or has_not_run):
            lost_with = None if has_not_run else LostWith.OWNER
            self._calls.admission.take_back(request, lost_with)
        elif asks_for_state(request):
            self._calls.state.answer(request)
        elif tool.read_only:
            if self._calls.questions.park(request, RequestEvent.CAME_BACK):
                return
            error = errors.job_cannot_be_asked_for(str(request.call.params.get("job_id")))
            self._calls.requests.fail(request.id, RequestEvent.OWNER_LOST, error)
        else:
            self._calls.requests.fail(
                request.id, RequestEvent.OWNER_LOST, errors.owner_lost(tool.name)
            )
