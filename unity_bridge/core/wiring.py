"""``Wiring``: the one page that shows which room hears what, and how the queue moves on.

Four tables: what hears an event from outside, a deadline, a change that a room below announces, and
what a turn of the queue is for. Handlers run in the order in which they stand here. Everything runs
on the executor thread, one event at a time, and nothing blocks: a round trip to Unity is an entry
in the ledger with a deadline, not a waiting thread (§1.4).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Type, TypeVar

from unity_bridge.attach import owner_events
from unity_bridge.base.errors import stopping
from unity_bridge.core import changes, events
from unity_bridge.core.calls.room import CallsRoom
from unity_bridge.core.context import Core, is_disconnected
from unity_bridge.core.editor.room import EditorRoom
from unity_bridge.core.jobs.room import JobsRoom
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.machines import RequestEvent
from unity_bridge.core.ledger.records import Purpose
from unity_bridge.core.recovery import Recovery
from unity_bridge.core.round_trip import RoundTrips
from unity_bridge.core.sharing.attached_servers import AttachedServers
from unity_bridge.core.sharing.forwarding import Forwarding
from unity_bridge.core.sharing.owner_answers import OwnerAnswers
from unity_bridge.core.sharing.port import Port
from unity_bridge.projects.project_probe import ProcessSeen, ProjectProbed
from unity_bridge.unity import bridge_client as listener

# What the other threads need, after a standstill, to hand over what came during it.
_READING_S = 0.5

Handlers = Sequence[Callable[[Any], Any]]
_E = TypeVar("_E")


def _hear(kind: Type[_E], *handlers: Callable[[_E], Any]) -> Tuple[Type[Any], Handlers]:
    """Return a row of a table. mypy refuses a handler that takes something else than ``kind``."""
    return kind, handlers


class Wiring:
    """Builds the rooms, each above those that it knows, and connects them. For the executor thread
    alone.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self.round_trips = round_trips = RoundTrips(core)
        self.editor = editor = EditorRoom(core)
        self.jobs = jobs = JobsRoom(core, editor.editor)
        self.calls = calls = CallsRoom(core, editor.editor, jobs)
        self.port = port = Port(core)
        self.forwarding = forwarding = Forwarding(core, jobs.jobs, calls)
        self.owner_answers = owner_answers = OwnerAnswers(
            core, editor.editor, jobs, calls, forwarding
        )
        self.attached = attached = AttachedServers(core, editor.sessions.slot)
        self.recovery = Recovery(core, round_trips, jobs, calls, forwarding)
        self.has_stopped = False
        self.on_event: Dict[Type[Any], Handlers] = dict(
            [
                # Clients.
                _hear(events.CallArrived, forwarding.call_arrived),
                _hear(events.CallAbandoned, forwarding.call_abandoned),
                _hear(events.CallRefused, calls.refused),
                # Connections of plugins.
                _hear(listener.PeerOpened, editor.incoming.opened),
                _hear(listener.PeerSaid, editor.incoming.said),
                _hear(listener.PeerReported, editor.incoming.reported),
                _hear(listener.PeerFaulted, editor.incoming.faulted),
                _hear(listener.PeerOverflowed, editor.incoming.overflowed),
                _hear(listener.PeerClosed, editor.incoming.closed),
                # The port, and other servers that share it.
                _hear(listener.ListenerBound, port.bound),
                _hear(listener.ListenerLost, port.lost),
                _hear(listener.ListenerBlocked, port.blocked, calls.admission.port_blocked),
                _hear(
                    owner_events.OwnerFound,
                    port.owner_found,
                    owner_answers.owner_found,
                    forwarding.owner_found,
                ),
                # The editor is expected back before the calls are: how long they may wait depends
                # on it.
                _hear(
                    owner_events.OwnerLost,
                    port.owner_lost,
                    editor.incoming.owner_lost,
                    forwarding.owner_lost,
                    owner_answers.owner_lost,
                ),
                _hear(owner_events.OwnerAnswered, owner_answers.answered),
                _hear(owner_events.OwnerProgressed, owner_answers.progressed),
                _hear(owner_events.OwnerAccepted, owner_answers.accepted),
                _hear(owner_events.OwnerStopping, owner_answers.owner_stopping),
                _hear(owner_events.OwnerSawEditor, editor.incoming.seen_by_owner),
                _hear(owner_events.ClientAttached, port.client_attached, attached.client_attached),
                _hear(owner_events.ClientLeft, port.client_left),
                # The project, time, and the end.
                _hear(
                    ProjectProbed,
                    editor.probes.take,
                    editor.incoming.project_probed,
                    calls.admission.project_probed,
                ),
                _hear(ProcessSeen, editor.probes.take_process),
                _hear(events.DeadlinePassed, self._deadline_passed),
                _hear(events.Overslept, self._overslept),
                _hear(events.StopRequested, self._stop),
            ]
        )
        self.on_deadline: Mapping[Due, Callable[[Any], Any]] = {
            Due.PARKED: calls.admission.parked_too_long,
            Due.ROUND_TRIP: round_trips.timed_out,
            Due.RECONNECT: calls.reads.reconnect_window_over,
            Due.RESOLVE: jobs.resolutions.want,
            Due.OVER: calls.admission.over,
            Due.WAIT: calls.waits.over,
            Due.PROGRESS: calls.waits.send_progress,
            Due.JOB: jobs.cancels.job_due,
            Due.JOB_LOST: jobs.jobs.session_lost_for_good,
            Due.POLL: jobs.polls.now,
            Due.EDITOR_FORGOTTEN: editor.incoming.editor_forgotten,
            Due.HELLO: editor.sessions.hello_due,
            Due.PROOF: editor.incoming.proof_due,
            Due.PING: editor.sessions.ping_due,
            Due.SILENCE: editor.incoming.silence_due,
            Due.OWNER_SILENT: owner_answers.owner_silent,
            Due.PROBE: editor.probes.due,
        }
        core.hears = dict(
            [
                _hear(changes.AnswerCame, round_trips.answered),
                _hear(changes.MessageOverflowed, round_trips.overflowed),
                _hear(
                    changes.SessionOpened,
                    port.session_opened,
                    round_trips.session_opened,
                    jobs.jobs.session_opened,
                    jobs.polls.session_opened,
                ),
                # The jobs first: an interrupted submission then finds its job with the deadline by
                # which it is lost.
                _hear(
                    changes.SessionLost,
                    port.session_lost,
                    jobs.jobs.session_lost,
                    jobs.polls.session_lost,
                    round_trips.session_lost,
                ),
                _hear(changes.EditorEnded, jobs.jobs.editor_ended, calls.reads.editor_ended),
                _hear(
                    changes.ReadinessChanged,
                    jobs.jobs.adopt_listed,
                    calls.admission.readiness_changed,
                ),
                # The answers first: whether a job is still waited for decides how soon it is asked
                # for again.
                _hear(
                    changes.JobMoved,
                    calls.waits.job_moved,
                    calls.questions.job_moved,
                    jobs.polls.job_moved,
                    jobs.cancels.job_moved,
                ),
            ]
        )
        self.exchanges = round_trips.exchanges = {
            Purpose.EXECUTE: calls.reads,
            Purpose.SUBMIT: jobs.submissions,
            Purpose.SUBMIT_AGAIN: jobs.submissions,
            Purpose.RESOLVE: jobs.resolutions,
            Purpose.STATUS: calls.questions,
            Purpose.POLL: jobs.polls,
            Purpose.CANCEL: jobs.cancels,
        }

    def handle(self, event: events.Event) -> None:
        """Take one event in, then let the queue move. Once stopped, only calls are heard: each is
        owed its refusal.
        """
        if self.has_stopped:
            if isinstance(event, events.CallArrived):
                request = self.calls.requests.receive(event)
                self.calls.requests.fail(request.id, RequestEvent.REFUSED, stopping())
            return
        for handler in self.on_event[type(event)]:
            handler(event)
        self._advance()
        self.attached.after_event()
        self.editor.probes.after_event()

    def recover(self, event: events.Event) -> None:
        """Move the queue on with the next event, because a bug of ours broke the handling of
        ``event``.
        """
        self.recovery.after(event)

    def next_deadline(self) -> Optional[float]:
        """Return the instant of the earliest deadline. Once stopped there is none: no event would
        move it.
        """
        if self.has_stopped:
            return None
        return self._core.deadlines.next()

    def passed_deadline(self) -> Optional[events.DeadlinePassed]:
        """Return the earliest deadline that has passed, as an event to handle."""
        deadline = self._core.deadlines.pop_due(self._core.now())
        if deadline is None:
            return None
        return events.DeadlinePassed(deadline.due, deadline.id)

    def _advance(self) -> None:
        """Send the interrupted read first, then turn by turn; when the queue is empty, our own
        questions.
        """
        ledger = self._core.ledger
        trip = ledger.in_flight
        if (trip is not None and trip.session_id is not None) or not ledger.editor_is_ready():
            return
        if trip is not None:
            self.calls.reads.resume(trip)
        while ledger.in_flight is None:
            turn = ledger.take() or self.jobs.polls.next()
            if turn is None:
                return
            if is_disconnected(self.exchanges[turn.purpose].begin(turn.subject)):
                # The queue rests. The end of that connection is on its way to us, behind what the
                # editor said before: that it reloads, perhaps, which decides how long to wait for
                # it.
                return

    def _deadline_passed(self, event: events.DeadlinePassed) -> None:
        self.on_deadline[event.due](event.id)

    def _overslept(self, event: events.Overslept) -> None:
        """Postpone the deadlines, because this process slept (SPEC §20.6).

        What came during the standstill has not been read yet, and Unity not been asked how its jobs
        are: no deadline counts before that.
        """
        self._core.log.warning(
            "this process was suspended, or the machine slept", seconds=round(event.seconds, 1)
        )
        self.jobs.polls.session_opened()
        answer_s = self._core.config.sync_fast_timeout_ms / 1000
        self._core.deadlines.postpone(
            self._core.now(), lambda due: answer_s if due is Due.JOB else _READING_S
        )

    def _stop(self, event: events.StopRequested) -> None:
        self.has_stopped = True
        self._core.log.info("stopping", reason=event.reason)
        self.port.stopping()
        self.attached.stopping()
        for request in self._core.ledger.open_requests():
            # Each on its own: nothing is handled after this, so a bug here would cost the others
            # their answers.
            try:
                self.calls.end_at_stop(request.id)
            except Exception:
                self._core.log.exception("a bug: a call could not be ended", request_id=request.id)
                self.recovery.give_up(request.id)
        self.port.stopped()
