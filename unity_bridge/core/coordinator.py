"""``ExecutionCoordinator``: which part of the executor is told of which event (ADR-0005, SPEC §3-§6).

Everything here runs on the executor thread, one event at a time, and nothing blocks: a round trip to Unity is an entry
in the ledger with a deadline, not a waiting thread (SPEC §1.4). After each event the queue moves on as far as it can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Type

from unity_bridge.attach.owner_events import (
    ClientAttached,
    ClientLeft,
    OwnerAccepted,
    OwnerAnswered,
    OwnerFound,
    OwnerLost,
    OwnerProgressed,
    OwnerSawEditor,
    OwnerStopping,
)
from unity_bridge.catalogue.tool import Cancellable, Service
from unity_bridge.core import answers
from unity_bridge.core.calls.admission import QueuePolicy
from unity_bridge.core.calls.answer import Replies
from unity_bridge.core.calls.editor_state import StateAnswers
from unity_bridge.core.calls.figures import CallFigures
from unity_bridge.core.calls.questions import JobCalls
from unity_bridge.core.calls.reads import ToolCalls
from unity_bridge.core.calls.waiting import JobWaits
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.dispatcher import ExchangeDispatcher
from unity_bridge.core.editor.absence import PluginAbsence
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.sessions import SessionEvents
from unity_bridge.core.editor.status import EditorStateTracker
from unity_bridge.core.events import (
    CallAbandoned,
    CallArrived,
    CallRefused,
    DeadlinePassed,
    Event,
    Overslept,
    StopRequested,
)
from unity_bridge.core.jobs.cancelling import CancelManager, CancelStatus, request_status
from unity_bridge.core.jobs.jobs import JobManager
from unity_bridge.core.jobs.polling import Polls
from unity_bridge.core.jobs.submission import Resolutions, Submissions
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import JobEvent, RequestEvent, RequestState
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import RequestRecord
from unity_bridge.core.recovery import BugRecovery
from unity_bridge.core.sharing.attached_servers import AttachedServers
from unity_bridge.core.sharing.forwarding import Forwarding
from unity_bridge.core.sharing.port import ServerLife
from unity_bridge.projects.project_look import ProjectSeen
from unity_bridge.unity.bridge_client import (
    ListenerBlocked,
    ListenerBound,
    ListenerLost,
    PeerClosed,
    PeerFaulted,
    PeerOpened,
    PeerOverflowed,
    PeerReported,
    PeerSaid,
)

# What the other threads need, after a standstill, to hand over what came meanwhile.
_READING_S = 0.5


@dataclass(frozen=True)
class Parts:
    """What the executor is made of (``composition`` builds it)."""

    life: ServerLife
    scheduler: RequestScheduler
    tracker: EditorStateTracker
    reconnect: ReconnectController
    jobs: JobManager
    replies: Replies
    waits: JobWaits
    cancels: CancelManager
    tool_calls: ToolCalls
    resolutions: Resolutions
    submissions: Submissions
    polls: Polls
    job_calls: JobCalls
    exchanges: ExchangeDispatcher
    policy: QueuePolicy
    sessions: SessionEvents
    forwarding: Forwarding
    attached: AttachedServers
    state_answers: StateAnswers
    figures: CallFigures
    recovery: BugRecovery
    absence: PluginAbsence


class ExecutionCoordinator:
    """``handle`` takes an event, ``recover`` one whose handling broke. For the executor thread alone."""

    def __init__(self, context: ExecutionContext, parts: Parts) -> None:
        self._deadlines = context.deadlines
        self._clock = context.clock
        self._log = context.log
        self._sync_fast_s = context.config.sync_fast_timeout_ms / 1000
        self._parts = parts
        self.has_stopped = False
        self._on: Mapping[Type[Any], Callable[[Any], None]] = {
            CallArrived: self._on_call,
            CallAbandoned: self._on_abandoned,
            CallRefused: lambda event: parts.figures.refused(),
            Overslept: self._on_overslept,
            StopRequested: self._on_stop,
            DeadlinePassed: lambda event: self._on_deadline[event.due](event.id),
            ListenerBound: lambda event: parts.life.bound(event.port),
            ListenerLost: lambda event: parts.life.port_lost(),
            ListenerBlocked: self._on_blocked,
            PeerOpened: parts.sessions.opened,
            PeerSaid: parts.sessions.said,
            PeerReported: lambda event: parts.sessions.said(PeerSaid(event.peer_id, event.status.take())),
            PeerFaulted: parts.sessions.faulted,
            PeerOverflowed: parts.sessions.overflowed,
            PeerClosed: parts.sessions.closed,
            OwnerFound: self._on_owner_found,
            OwnerLost: self._on_owner_lost,
            OwnerAnswered: parts.forwarding.answered,
            OwnerProgressed: parts.forwarding.progressed,
            OwnerAccepted: parts.forwarding.accepted,
            OwnerStopping: lambda event: parts.forwarding.owner_is_stopping(),
            OwnerSawEditor: parts.sessions.seen_by_owner,
            ClientAttached: self._on_attached,
            ClientLeft: parts.life.client_came_or_left,
            ProjectSeen: self._on_project_seen,
        }
        self._on_deadline: Mapping[Due, Callable[[Any], None]] = {
            Due.PARKED: parts.policy.parked_too_long,
            Due.ROUND_TRIP: parts.exchanges.timed_out,
            Due.RECONNECT: parts.tool_calls.reconnect_window_over,
            Due.RESOLVE: parts.resolutions.want,
            Due.WAIT: parts.waits.over,
            Due.PROGRESS: parts.waits.progress_due,
            Due.JOB: self._job_due,
            Due.JOB_LOST: parts.jobs.session_lost_for_good,
            Due.POLL: parts.polls.now,
            Due.EDITOR_FORGOTTEN: parts.sessions.editor_forgotten,
            Due.HELLO: parts.reconnect.hello_due,
            Due.PROOF: parts.sessions.proof_due,
            Due.PING: parts.reconnect.ping_due,
            Due.SILENCE: parts.sessions.silence_due,
            Due.OWNER_SILENT: parts.forwarding.owner_silent,
            Due.LOOK: lambda _: None,  # it wakes us, and whoever looks does so after every event
        }
        # Every call has an answerer. What Unity answers is let into the queue, everything else the ledger answers
        # whatever Unity does (SPEC §4.3).
        self._answer: Mapping[Service, Callable[[RequestRecord], None]] = {
            Service.UNITY: parts.policy.admit,
            Service.EDITOR_STATE: parts.state_answers.tell,
            Service.JOB_STATUS: parts.job_calls.status,
            Service.JOB_CANCEL: parts.job_calls.cancel,
        }

    def handle(self, event: Event) -> None:
        """Take one event in, then let the queue move. Once stopped, only calls are heard: each is owed its refusal."""
        if self.has_stopped and not isinstance(event, CallArrived):
            return
        self._on[type(event)](event)
        self._parts.policy.advance()
        self._parts.attached.look()
        self._parts.absence.look()

    def next_deadline(self) -> Optional[float]:
        return self._deadlines.next()

    def passed_deadline(self) -> Optional[DeadlinePassed]:
        """The earliest deadline that has passed, as an event to handle."""
        deadline = self._deadlines.pop_due(self._clock.now())
        return None if deadline is None else DeadlinePassed(deadline.due, deadline.id)

    def _on_overslept(self, event: Overslept) -> None:
        """What came meanwhile has not been read yet, and how the jobs are not been asked: no deadline is judged before
        that (SPEC §20.6)."""
        self._log.warning("this process stood still, or the machine slept", seconds=round(event.seconds, 1))
        self._parts.polls.session_opened()
        answer_s = self._sync_fast_s
        self._deadlines.postpone(self._clock.now(), lambda due: answer_s if due is Due.JOB else _READING_S)

    def recover(self, event: Event) -> None:
        """A bug of ours broke the handling of ``event``. The queue moves on with the next one."""
        self._parts.recovery.after(event)

    # Calls.

    def _on_call(self, event: CallArrived) -> None:
        parts = self._parts
        parts.replies.expect(event)
        request = parts.scheduler.receive(event.request_id, event.call)
        if self.has_stopped:
            parts.replies.fail(request.id, RequestEvent.REFUSED, answers.stopping())
        elif not (parts.life.is_attached and parts.forwarding.forward(request)):
            self._answer[event.call.tool.service](request)

    def _on_abandoned(self, event: CallAbandoned) -> None:
        parts = self._parts
        request = parts.scheduler.request(event.request_id)
        if request is None:
            return
        status = request_status(request.state)
        self._log.info("call cancelled by its client", request_id=request.id, status=status.value)
        parts.replies.forget(request.id)
        if status is CancelStatus.CANCELLED:
            parts.forwarding.abandon(request)
            parts.scheduler.leave(request.id)
            parts.waits.leave(request.id)
            parts.scheduler.move(request.id, RequestEvent.CANCELLED)
            if request.state is RequestState.WAITING_JOB:
                parts.job_calls.given_up(request)
        elif status is CancelStatus.CANCEL_REQUESTED:
            parts.scheduler.move(request.id, RequestEvent.CLIENT_CANCELLED, abandoned=True)
            # What only waited for a connection, to be sent again, has nothing left to wait for.
            parts.tool_calls.reconnect_window_over(request.id)

    def _job_due(self, job_id: str) -> None:
        job = self._parts.jobs.get(job_id)
        assert job is not None  # its end takes the deadline away
        tool = self._parts.jobs.tool_of(job)
        can_be_stopped = tool is not None and tool.supports_cancel
        budget_ms = None if job.call is None else job.call.timeout_ms
        error = answers.job_timed_out(job.tool_name, budget_ms, can_be_stopped)
        self._parts.jobs.end(job_id, JobEvent.DEADLINE, error)
        self._parts.cancels.give_up(job_id, {Cancellable.WHILE_IT_RUNS})

    def _on_project_seen(self, event: ProjectSeen) -> None:
        self._parts.absence.seen(event)
        self._parts.policy.absence_known()

    # The port.

    def _on_blocked(self, event: ListenerBlocked) -> None:
        self._parts.life.blocked(event)
        self._parts.policy.port_blocked()

    def _on_owner_found(self, event: OwnerFound) -> None:
        self._parts.life.owner_found(event)
        self._parts.forwarding.owner_found(event)

    def _on_owner_lost(self, event: OwnerLost) -> None:
        self._parts.life.owner_lost(event)
        self._parts.sessions.owner_lost()
        self._parts.forwarding.owner_lost()

    def _on_attached(self, event: ClientAttached) -> None:
        self._parts.life.client_came_or_left(event)
        self._parts.attached.joined(event.peer_id)

    # The end.

    def _on_stop(self, event: StopRequested) -> None:
        self.has_stopped = True
        parts = self._parts
        self._log.info("stopping", reason=event.reason)
        parts.life.stopping()
        parts.attached.stopping()
        for request in parts.scheduler.open_requests():
            # Each on its own: nothing is handled after this, so a bug here would cost the others their answers.
            try:
                self._answer_at_the_stop(request)
            except Exception:
                self._log.exception("a bug: a call could not be ended", request_id=request.id)
                parts.recovery.give_up(request.id)
        parts.life.stopped()

    def _answer_at_the_stop(self, request: RequestRecord) -> None:
        replies = self._parts.replies
        if request.state is RequestState.WAITING_JOB:
            self._parts.waits.over(request.id)
        elif request.state in (RequestState.RUNNING, RequestState.FORWARDED):
            error = answers.stopped_while_running(request.call.tool.name)
            replies.fail(request.id, RequestEvent.STOPPED, error)
        else:
            replies.fail(request.id, RequestEvent.STOPPED, answers.stopping())
