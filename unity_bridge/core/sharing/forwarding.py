"""``Forwarding``: the calls of a server that is attached to the owner of the port (SPEC §14).

Every call comes here first. While another server owns the port, the call goes to it as it is;
otherwise ``calls`` answers it. Once a forwarded call has a job, all that is left is to wait for
that job: should the owner go, the call waits here, and goes to the next owner as a question about
the job.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Set

from unity_bridge.attach.owner_events import OwnerFound, OwnerLost
from unity_bridge.catalogue.calls import client_of
from unity_bridge.catalogue.tool import Mode, Service
from unity_bridge.core import errors
from unity_bridge.core.calls.room import CallsRoom
from unity_bridge.core.context import Core
from unity_bridge.core.events import CallAbandoned, CallArrived
from unity_bridge.core.jobs.jobs import JobRecords, is_the_same
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobState, ListenerState, RequestEvent, RequestState
from unity_bridge.core.ledger.records import JobRecord, RequestRecord

# How long the owner may take to report the editor's state; it answers in milliseconds.
_STATE_S = 0.5


class Forwarding:
    """For the executor thread alone."""

    def __init__(self, core: Core, jobs: JobRecords, calls: CallsRoom) -> None:
        self._core = core
        self._jobs = jobs
        self._calls = calls
        self._owner = core.outside.owner
        self._status_tool = next(
            tool for tool in core.catalogue.values() if tool.service is Service.JOB_STATUS
        )
        self._connection_id: Optional[int] = None
        # The calls that the owner has, by request id. Recovery from a bug asks for them: the state
        # FORWARDED alone does not prove that anybody will answer.
        self.forwarded: Set[str] = set()

    # Calls.

    def call_arrived(self, event: CallArrived) -> None:
        request = self._calls.requests.receive(event)
        is_attached = self._core.ledger.listener_now.state is ListenerState.ATTACHED
        if not (is_attached and self.forward(request)):
            self._calls.answer(request)

    def call_abandoned(self, event: CallAbandoned) -> None:
        request = self._calls.requests.get(event.request_id)
        if request is not None:
            self.abandon(request)
            self._calls.abandoned(request)

    def forward(self, request: RequestRecord) -> bool:
        """Hand a call to the owner that we are attached to; whether that has dealt with it."""
        job = self._known_job(request)
        if job is not None and not is_the_same(request.call, job):
            error = errors.key_used_otherwise(str(request.call.client_request_id), job)
            self._calls.requests.fail(request.id, RequestEvent.REFUSED, error)
            return True
        if job is not None:
            request = self._calls.requests.remember(request.id, job_id=job.id, joined=True)
        if not self._hand_over(request):
            return False
        self._calls.requests.move(request.id, RequestEvent.FORWARDED)
        self.forwarded.add(request.id)
        if asks_for_state(request):
            self._core.deadlines.set(Due.OWNER_SILENT, request.id, self._core.now() + _STATE_S)
        return True

    def abandon(self, request: RequestRecord) -> None:
        """Report to the owner that the client cancelled a forwarded call: it decides what that
        means in Unity.
        """
        if self._owner is not None and request.state is RequestState.FORWARDED:
            self.drop(request.id)
            self._owner.abandon(request.id)

    def drop(self, request_id: str) -> None:
        """Expect nothing more from the owner for this call."""
        self.forwarded.discard(request_id)
        self._core.deadlines.clear(Due.OWNER_SILENT, request_id)

    # The owner comes and goes.

    def owner_found(self, event: OwnerFound) -> None:
        """Hand over what waits here for the editor, or for a job in it.

        Only the connection that this event names is used. The link may be at the next owner
        already, before the executor has heard that this one is gone; a call handed to the next one
        would then be taken for lost with this.
        """
        self._connection_id = event.connection_id
        self._jobs.owner_found()
        for turn in self._core.ledger.turns:
            request = self._calls.requests.get(turn.subject)
            if request is not None and self.forward(request):
                self._core.ledger.leave(turn.subject)
        for request_id in self._calls.waits.all():
            request = self._calls.requests.open(request_id)
            job = self.job_of(request)
            if job is not None and job.state is JobState.RUNNING and self.forward(request):
                self._calls.waits.leave(request_id)

    def owner_lost(self, _: OwnerLost) -> None:
        """No call can be handed over any more, and no answer is expected."""
        self._connection_id = None
        self.forwarded.clear()
        self._jobs.session_lost()

    # Parts of the above.

    def job_of(self, request: RequestRecord) -> Optional[JobRecord]:
        """Return the job that the call is about, if this server knows it."""
        job_id = request.job_id or request.call.params.get("job_id")
        if isinstance(job_id, str):
            return self._jobs.get(job_id)
        return None

    def _known_job(self, request: RequestRecord) -> Optional[JobRecord]:
        """Return the job of the call's key: this server remembers its own, whatever server had the
        port (§15.7).
        """
        call = request.call
        is_new = call.tool.mode is Mode.JOB and request.job_id is None
        job = self._jobs.keyed(call) if is_new else None
        # Only the owner knows whether a job that was cancelled there had left the queue, and so
        # whether it has the key.
        if job is not None and job.state is JobState.CANCELLED:
            return None
        return job

    def _hand_over(self, request: RequestRecord) -> bool:
        assert (
            self._owner is not None and self._connection_id is not None
        )  # an owner was found, and not lost again
        call, tool = request.call, request.call.tool
        arguments: Dict[str, Any] = dict(call.params)
        passed_ms = round((self._core.now() - request.arrived_at) * 1000)
        if tool.mode is Mode.JOB:
            arguments["timeout_ms"] = call.timeout_ms
        elif call.is_bounded:
            arguments["timeout_ms"] = max(1, call.timeout_ms - passed_ms)
        if request.job_id is not None:
            tool, arguments = self._status_tool, {"job_id": request.job_id}
        elif call.client_request_id is not None:
            arguments["client_request_id"] = self._jobs.key_of(call)
        if "wait_ms" in tool.input_schema["properties"]:
            arguments["wait_ms"] = max(0, call.wait_ms - passed_ms)
        wants_progress = self._calls.requests.wants_progress(request.id)
        flags = {
            "is_bounded": call.is_bounded and tool.mode is Mode.JOB,
            "is_over_mcp": call.is_over_mcp,
        }
        return self._owner.call(
            self._connection_id,
            request.id,
            tool.name,
            arguments,
            wants_progress,
            client_of(call),
            **flags,
        )


def asks_for_state(request: RequestRecord) -> bool:
    return request.call.tool.service is Service.EDITOR_STATE
