"""``Forwarding``: calls of a server that is attached to the owner of the port, and what becomes of them (SPEC §14)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Protocol, Set

from unity_bridge.attach.owner_events import OwnerAccepted, OwnerAnswered, OwnerFound, OwnerProgressed
from unity_bridge.attach.protocol import outcome_of
from unity_bridge.base.calls import Failure
from unity_bridge.base.errors import ErrorCode, Guarantee
from unity_bridge.base.result import Ok
from unity_bridge.catalogue.tool import Effect, Mode, Service
from unity_bridge.core import answers
from unity_bridge.core.calls.admission import QueuePolicy
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.editor_state import SilentOwner
from unity_bridge.core.calls.joins import is_the_same
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.absence import PluginAbsence
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, JobState, RequestEvent, RequestState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import JobRecord, LostWith, RequestRecord
from unity_bridge.projects.project_look import ProjectLook

# How long the owner may take to tell the editor's state; it answers in milliseconds.
_STATE_S = 0.5


class Link(Protocol):
    """The way to the owner, as the executor uses it. Nothing here blocks."""

    def call(
        self,
        connection_id: int,
        request_id: str,
        tool: str,
        arguments: Mapping[str, Any],
        wants_progress: bool,
        client: Optional[str],
    ) -> bool: ...

    def abandon(self, request_id: str) -> None: ...


class Forwarding:
    """For the executor thread alone.

    A call goes to the owner as it is. Once it has a job, what is left to do is to wait for that job: should the owner
    go, the call waits here, and goes to the next owner as a question for the job.

    ``tell_state`` answers a question for the editor's state, from our own ledger or with what the owner said last.
    """

    def __init__(
        self,
        context: ExecutionContext,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        waits: JobWaits,
        policy: QueuePolicy,
        link: Optional[Link],
        tell_state: Callable[[RequestRecord, Optional[SilentOwner]], None],
        absence: PluginAbsence,
    ) -> None:
        self._absence = absence
        self._project = context.project
        self._deadlines = context.deadlines
        self._clock = context.clock
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._waits = waits
        self._policy = policy
        self._link = link
        self._tell_state = tell_state
        self._status_tool = next(tool for tool in context.catalogue.values() if tool.service is Service.JOB_STATUS)
        self._connection_id: Optional[int] = None
        self._owner_is_stopping = False
        self._state_told: Optional[Mapping[str, Any]] = None
        # The calls that the owner has, by request id. Recovery from a bug asks for them: the state FORWARDED alone
        # does not prove that anybody will answer.
        self._forwarded: Set[str] = set()

    # The owner comes and goes.

    def owner_found(self, event: OwnerFound) -> None:
        """What waits here for the editor, or for a job in it, is the owner's now."""
        # The link may be at another owner already, before we have heard that this one is gone: what was handed to
        # that one would then be taken for lost with this one.
        self._connection_id = event.connection_id
        self._owner_is_stopping = False
        self._state_told = None
        self._jobs.owner_found()
        for turn in list(self._scheduler.turns):
            request = self._scheduler.request(turn.subject)
            if request is not None and self.forward(request):
                self._scheduler.leave(turn.subject)
        for request_id in self._waits.all():
            request = self._scheduler.open_request(request_id)
            job = self._job_of(request)
            if job is not None and job.state is JobState.RUNNING and self.forward(request):
                self._waits.leave(request_id)

    def owner_is_stopping(self) -> None:
        self._owner_is_stopping = True

    def owner_lost(self) -> None:
        """The owner is gone without a word on the calls it had."""
        self._connection_id = None
        self._forwarded.clear()
        self._jobs.session_lost()
        for request in self._scheduler.open_requests():
            if request.state is RequestState.FORWARDED:
                self._owner_ended(request, Guarantee.UNKNOWN)

    # Calls.

    def forward(self, request: RequestRecord) -> bool:
        """Hand a call to the owner that we are attached to; whether that has seen to it."""
        known = self._known_job(request)
        if known is not None and not is_the_same(request.call, known):
            error = answers.key_used_otherwise(str(request.call.client_request_id), known)
            self._replies.fail(request.id, RequestEvent.REFUSED, error)
            return True
        if known is not None:
            request = self._scheduler.remember(request.id, job_id=known.id, joined=True)
        if not self._hand_over(request):
            return False
        self._scheduler.move(request.id, RequestEvent.FORWARDED)
        self._forwarded.add(request.id)
        if _asks_for_state(request):
            self._deadlines.set(Due.OWNER_SILENT, request.id, self._clock.now() + _STATE_S)
        return True

    def abandon(self, request: RequestRecord) -> None:
        """The client gave a forwarded call up: the owner decides what that means in Unity."""
        if self._link is not None and request.state is RequestState.FORWARDED:
            self.drop(request.id)
            self._link.abandon(request.id)

    def forwarded(self) -> Set[str]:
        """The calls that the owner has, by request id."""
        return self._forwarded

    def drop(self, request_id: str) -> None:
        """Expect nothing more from the owner for this call."""
        self._forwarded.discard(request_id)
        self._deadlines.clear(Due.OWNER_SILENT, request_id)

    def _known_job(self, request: RequestRecord) -> Optional[JobRecord]:
        """The job that the call's key has: this server remembers its own, whoever owned the port (SPEC §15.7)."""
        call = request.call
        is_new = call.tool.mode is Mode.JOB and request.job_id is None
        if not is_new or call.client is None or call.client_request_id is None:
            return None
        return self._jobs.keyed(call.client, call.client_request_id)

    def _hand_over(self, request: RequestRecord) -> bool:
        assert self._link is not None and self._connection_id is not None  # an owner was found, and not lost again
        call, tool = request.call, request.call.tool
        arguments: Dict[str, Any] = {**call.params, "timeout_ms": call.timeout_ms}
        if request.job_id is not None:
            tool, arguments = self._status_tool, {"job_id": request.job_id}
        elif call.client_request_id is not None:
            arguments["client_request_id"] = call.client_request_id
        if "wait_ms" in tool.input_schema["properties"]:
            left_s = request.arrived_at + call.wait_ms / 1000 - self._clock.now()
            arguments["wait_ms"] = max(0, round(left_s * 1000))
        wants_progress = self._replies.wants_progress(request.id)
        return self._link.call(self._connection_id, request.id, tool.name, arguments, wants_progress, call.client)

    # What the owner says.

    def owner_silent(self, request_id: str) -> None:
        """The state is told at once, always (SPEC §8): an owner that is stuck has had its time."""
        request = self._scheduler.open_request(request_id)
        self.abandon(request)
        self._tell_state(request, SilentOwner(self._state_told))

    def progressed(self, event: OwnerProgressed) -> None:
        self._replies.progress(event.request_id, event.progress)

    def accepted(self, event: OwnerAccepted) -> None:
        """The call waits for this job there."""
        request = self._scheduler.request(event.request_id)
        if request is not None and request.state is RequestState.FORWARDED:
            self._remember(request, {"job_id": event.job_id})

    def answered(self, event: OwnerAnswered) -> None:
        """The owner answered. That it is ending itself is no answer yet to a call that can go on elsewhere."""
        request = self._scheduler.request(event.request_id)
        if request is None or request.state is not RequestState.FORWARDED:
            return
        self.drop(request.id)
        outcome = outcome_of(event.message, request.call.tool)
        if isinstance(outcome, Ok):
            self._succeeded(request, outcome.value)
        else:
            self._failed(request, outcome.error)

    def _succeeded(self, request: RequestRecord, result: Dict[str, Any]) -> None:
        if _asks_for_state(request):
            result = {**result, "role": "attached"}
            if self._project is not None:
                result = answers.for_project(result, self._project, self._absence.reason)
            self._state_told = result
        elif "job_id" in result:
            # Should the owner go, we are asked for this job ourselves, and before Unity is back.
            request = self._remember(request, result)
            job = self._job_of(request)
            if self._owner_is_stopping and request.call.wait_ms and job is not None and not self._jobs.has_ended(job):
                self._waits.tell_or_wait(request, job)
                return
            if request.joined:
                result = {**result, "joined": True}
        self._replies.succeed(request.id, RequestEvent.RESULT_OK, result)

    def _failed(self, request: RequestRecord, failure: Failure) -> None:
        job = None if request.job_id is None else self._jobs.get(request.job_id)
        if failure.error.details.get("reason") == answers.STOPPING:
            self._owner_ended(request, failure.error.guarantee)
        elif job is not None and failure.code is ErrorCode.JOB_NOT_FOUND:
            # Nobody else knows the job that the call waits for: what we know of it is the answer.
            self._jobs.end(job.id, JobEvent.LOST, answers.job_lost(answers.FORGOTTEN_BY_UNITY))
            self._waits.tell_or_wait(request, self._jobs.get(job.id) or job)
        elif job is not None:
            # The question for the job failed, and not the job: it may well have run.
            self._waits.tell(request.id, job)
        elif failure.code is ErrorCode.EDITOR_NOT_READY and self._absence.safe_mode is not None:
            # The owner may be for another project, and sees nothing of ours.
            self._told_by_log(request, self._absence.safe_mode)
        else:
            self._replies.fail(request.id, RequestEvent.RESULT_ERROR, failure.error, failure.request_id)

    def _told_by_log(self, request: RequestRecord, look: ProjectLook) -> None:
        """In safe mode: the editor's log answers, or nobody (SPEC §18.3)."""
        if request.call.tool.is_told_by_editor_log:
            self._replies.answered_here(request.id, answers.compile_of_the_log(request.call.tool.name, look))
        else:
            error = answers.in_safe_mode(look, self._project)
            self._replies.fail(request.id, RequestEvent.RESULT_ERROR, error)

    def _remember(self, request: RequestRecord, told: Mapping[str, Any]) -> RequestRecord:
        """Keep the job that the owner told of, and that the call waits for it."""
        job_id = told.get("job_id")
        if not isinstance(job_id, str):
            return request
        is_ours = request.call.tool.mode is Mode.JOB
        self._jobs.remember(job_id, told, request.call if is_ours else None)
        return self._scheduler.remember(request.id, job_id=job_id) if is_ours else request

    def _owner_ended(self, request: RequestRecord, guarantee: Guarantee) -> None:
        """Reads are repeated, and so is what never ran. Who waits for a job goes on waiting. Of anything else is told
        what is known (SPEC §14.2, §15.4)."""
        self.drop(request.id)
        tool, job = request.call.tool, self._job_of(request)
        has_not_run = guarantee is Guarantee.NOT_EXECUTED
        if job is not None and tool.service is not Service.JOB_CANCEL:
            self._waits.tell_or_wait(request, job)
        elif tool.needs_editor and (tool.kind is Effect.READ or has_not_run):
            self._policy.take_back(request, None if has_not_run else LostWith.OWNER)
        elif _asks_for_state(request):
            self._tell_state(request, None)
        elif tool.read_only:
            error = answers.job_cannot_be_asked_for(str(request.call.params.get("job_id")))
            self._replies.fail(request.id, RequestEvent.OWNER_LOST, error)
        else:
            self._replies.fail(request.id, RequestEvent.OWNER_LOST, answers.owner_lost(tool.name))

    def _job_of(self, request: RequestRecord) -> Optional[JobRecord]:
        """The job that the call is about, if this server knows it."""
        job_id = request.job_id or request.call.params.get("job_id")
        return self._jobs.get(job_id) if isinstance(job_id, str) else None


def _asks_for_state(request: RequestRecord) -> bool:
    return request.call.tool.service is Service.EDITOR_STATE
