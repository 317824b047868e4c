"""``Forwarding``: calls of a server that is attached to the owner of the port, and what becomes of them (SPEC §14)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Protocol

from unity_bridge.attach.events import OwnerAnswered, OwnerFound, OwnerProgressed
from unity_bridge.attach.protocol import outcome_of
from unity_bridge.catalogue.tool import Kind, Service
from unity_bridge.errors import Guarantee
from unity_bridge.execution import answers
from unity_bridge.execution.context import ExecutionContext
from unity_bridge.execution.deadlines import Due
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.queue_policy import QueuePolicy
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.result import Ok
from unity_bridge.state.machines import RequestEvent, RequestState
from unity_bridge.state.records import LostWith, RequestRecord

# How long the owner may take to tell the editor's state; it answers in milliseconds.
_STATE_S = 0.5


class Link(Protocol):
    """The way to the owner, as the executor uses it. Nothing here blocks."""

    def call(
        self, connection_id: int, request_id: str, tool: str, arguments: Mapping[str, Any], wants_progress: bool
    ) -> bool: ...

    def abandon(self, request_id: str) -> None: ...


class Forwarding:
    """For the executor thread alone.

    ``tell_state`` answers a question for the editor's state from our own ledger, with a remark.
    """

    def __init__(
        self,
        context: ExecutionContext,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        policy: QueuePolicy,
        link: Optional[Link],
        tell_state: Callable[[RequestRecord, Optional[str]], None],
    ) -> None:
        self._deadlines = context.deadlines
        self._clock = context.clock
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._policy = policy
        self._link = link
        self._tell_state = tell_state
        self._connection_id: Optional[int] = None

    # The owner comes and goes.

    def owner_found(self, event: OwnerFound) -> None:
        """What waits here for the editor is the owner's now."""
        # The link may be at another owner already, before we have heard that this one is gone: what was handed to
        # that one would then be taken for lost with this one.
        self._connection_id = event.connection_id
        self._jobs.owner_found()
        for turn in list(self._scheduler.turns):
            request = self._scheduler.request(turn.subject)
            if request is not None and self.forward(request):
                self._scheduler.leave(turn.subject)

    def owner_lost(self) -> None:
        """The owner is gone without a word on the calls it had."""
        self._connection_id = None
        self._jobs.session_lost()
        for request in self._scheduler.open_requests():
            if request.state is RequestState.FORWARDED:
                self._owner_ended(request, Guarantee.UNKNOWN)

    # Calls.

    def forward(self, request: RequestRecord) -> bool:
        """Hand a call to the owner that we are attached to; whether it was there to take it."""
        assert self._link is not None and self._connection_id is not None  # an owner was found, and not lost again
        call = request.call
        arguments: Dict[str, Any] = {**call.params, "timeout_ms": call.timeout_ms}
        if call.client_request_id is not None:
            arguments["client_request_id"] = call.client_request_id
        wants_progress = self._replies.wants_progress(request.id)
        if not self._link.call(self._connection_id, request.id, call.tool.name, arguments, wants_progress):
            return False
        self._scheduler.move(request.id, RequestEvent.FORWARDED)
        if _asks_for_state(request):
            self._deadlines.set(Due.OWNER_SILENT, request.id, self._clock.now() + _STATE_S)
        return True

    def abandon(self, request: RequestRecord) -> None:
        """The client gave a forwarded call up: the owner decides what that means in Unity."""
        if self._link is not None and request.state is RequestState.FORWARDED:
            self._deadlines.clear(Due.OWNER_SILENT, request.id)
            self._link.abandon(request.id)

    def owner_silent(self, request_id: str) -> None:
        """The state is told at once, always (SPEC §8): an owner that is stuck has had its time."""
        request = self._scheduler.open_request(request_id)
        self.abandon(request)
        self._tell_state(request, "the server that owns the port does not answer")

    def progressed(self, event: OwnerProgressed) -> None:
        self._replies.progress(event.request_id, event.progress)

    def answered(self, event: OwnerAnswered) -> None:
        """The owner answered. That it is ending itself is no answer yet to a call that may be repeated."""
        request = self._scheduler.request(event.request_id)
        if request is None or request.state is not RequestState.FORWARDED:
            return
        self._deadlines.clear(Due.OWNER_SILENT, request.id)
        outcome = outcome_of(event.message, request.call.tool)
        if isinstance(outcome, Ok):
            result = {**outcome.value, "role": "attached"} if _asks_for_state(request) else outcome.value
            # Should the owner go, we are asked for this job ourselves, and before Unity is back.
            self._jobs.remember(result)
            self._replies.succeed(request.id, RequestEvent.RESULT_OK, result)
            return
        failure = outcome.error
        if failure.error.details.get("reason") == answers.STOPPING:
            self._owner_ended(request, failure.error.guarantee)
        else:
            self._replies.fail(request.id, RequestEvent.RESULT_ERROR, failure.error, failure.request_id)

    def _owner_ended(self, request: RequestRecord, guarantee: Guarantee) -> None:
        """Reads are repeated, and so is what never ran; of anything else is told what is known (SPEC §14.2)."""
        self._deadlines.clear(Due.OWNER_SILENT, request.id)
        tool = request.call.tool
        has_not_run = guarantee is Guarantee.NOT_EXECUTED
        if tool.needs_editor and (tool.kind is Kind.READ or has_not_run):
            self._policy.take_back(request, None if has_not_run else LostWith.OWNER)
        elif _asks_for_state(request):
            self._tell_state(request, None)
        elif tool.read_only:
            error = answers.job_cannot_be_asked_for(str(request.call.params.get("job_id")))
            self._replies.fail(request.id, RequestEvent.OWNER_LOST, error)
        else:
            self._replies.fail(request.id, RequestEvent.OWNER_LOST, answers.owner_lost(tool.name))


def _asks_for_state(request: RequestRecord) -> bool:
    return request.call.tool.service is Service.EDITOR_STATE
