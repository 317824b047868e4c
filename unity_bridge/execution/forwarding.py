"""``Forwarding``: calls of a server that is attached to the owner of the port, and what becomes of them (SPEC §14)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Protocol

from unity_bridge.attach.events import OwnerAnswered, OwnerFound, OwnerProgressed
from unity_bridge.attach.protocol import outcome_of
from unity_bridge.catalogue.tool import Kind
from unity_bridge.clock import Clock
from unity_bridge.errors import Guarantee
from unity_bridge.execution import answers
from unity_bridge.execution.deadlines import Deadlines
from unity_bridge.execution.job_manager import JobManager
from unity_bridge.execution.replies import Replies
from unity_bridge.execution.request_scheduler import RequestScheduler
from unity_bridge.result import Ok
from unity_bridge.state.machines import RequestEvent, RequestState
from unity_bridge.state.stores import RequestRecord

GET_EDITOR_STATE = "get_editor_state"
OWNER_SILENT = "owner silent"

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

    ``wait_here`` parks a call in our own line: it may be repeated, and waits for whoever takes the port. Its last
    argument is whether the call may have run already.
    ``tell_state`` answers ``get_editor_state`` from our own ledger, with a remark.
    """

    def __init__(
        self,
        scheduler: RequestScheduler,
        jobs: JobManager,
        replies: Replies,
        link: Optional[Link],
        wait_here: Callable[[RequestRecord, RequestEvent, bool], None],
        tell_state: Callable[[RequestRecord, Optional[str]], None],
        deadlines: Deadlines,
        clock: Clock,
    ) -> None:
        self._scheduler = scheduler
        self._jobs = jobs
        self._replies = replies
        self._link = link
        self._deadlines = deadlines
        self._clock = clock
        self._connection_id: Optional[int] = None
        self._wait_here = wait_here
        self._tell_state = tell_state

    def owner_found(self, event: OwnerFound) -> None:
        # The link may be at another owner already, before we have heard that this one is gone: what was handed to
        # that one would then be taken for lost with this one.
        self._connection_id = event.connection_id

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
        if call.tool.name == GET_EDITOR_STATE:
            self._deadlines.set(OWNER_SILENT, request.id, self._clock.now() + _STATE_S)
        return True

    def abandon(self, request: RequestRecord) -> None:
        """The client gave a forwarded call up: the owner decides what that means in Unity."""
        if self._link is not None and request.state is RequestState.FORWARDED:
            self._deadlines.clear(OWNER_SILENT, request.id)
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
        self._deadlines.clear(OWNER_SILENT, request.id)
        outcome = outcome_of(event.message, request.call.tool)
        if isinstance(outcome, Ok):
            is_state = request.call.tool.name == GET_EDITOR_STATE
            result = {**outcome.value, "role": "attached"} if is_state else outcome.value
            # Should the owner go, we are asked for this job ourselves, and before Unity is back.
            self._jobs.remember(result)
            self._replies.succeed(request.id, RequestEvent.RESULT_OK, result)
            return
        failure = outcome.error
        if failure.error.details.get("reason") == answers.STOPPING:
            self._owner_ended(request, failure.error.guarantee)
        else:
            self._replies.fail(request.id, RequestEvent.RESULT_ERROR, failure.error, failure.request_id)

    def owner_lost(self) -> None:
        """The owner is gone without a word on the calls it had."""
        self._connection_id = None
        self._jobs.session_lost()
        for request in self._scheduler.open_requests():
            if request.state is RequestState.FORWARDED:
                self._owner_ended(request, Guarantee.UNKNOWN)

    def _owner_ended(self, request: RequestRecord, guarantee: Guarantee) -> None:
        """Reads are repeated, and so is what never ran; of anything else is told what is known (SPEC §14.2)."""
        self._deadlines.clear(OWNER_SILENT, request.id)
        tool = request.call.tool
        if tool.needs_editor and (tool.kind is Kind.READ or guarantee is Guarantee.NOT_EXECUTED):
            self._wait_here(request, RequestEvent.OWNER_LOST, guarantee is not Guarantee.NOT_EXECUTED)
        elif tool.name == GET_EDITOR_STATE:
            self._tell_state(request, None)
        elif tool.read_only:
            error = answers.job_cannot_be_asked_for(str(request.call.params.get("job_id")))
            self._replies.fail(request.id, RequestEvent.RECONNECT_WINDOW_OVER, error)
        else:
            error = answers.not_reconnected(tool.name, is_read=False)
            self._replies.fail(request.id, RequestEvent.RECONNECT_WINDOW_OVER, error)
