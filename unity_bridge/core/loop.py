"""``Executor``: the one thread that decides, and its one inbox (SPEC §1.2).

It blocks on the inbox alone, for as long as the next deadline is away, so timers need no thread of their own.
"""

from __future__ import annotations

import queue
import threading
from typing import Optional, Tuple

from unity_bridge.base.calls import Call, OnJob, OnOutcome, OnProgress
from unity_bridge.base.clock import Clock
from unity_bridge.base.frozen import changed
from unity_bridge.catalogue.tool import Mode
from unity_bridge.core.coordinator import ExecutionCoordinator
from unity_bridge.core.events import CallAbandoned, CallArrived, CallRefused, Event, Overslept
from unity_bridge.core.ids import Ids
from unity_bridge.log.logger import Logger
from unity_bridge.unity.peer_turns import PeerTurns

# Who wakes so long after a deadline did not sleep by choice.
_OVERSLEPT_S = 1.0
# How many events may be handled while a deadline is due.
_EVENTS_BEFORE_A_DEADLINE = 256
# Whoever calls waits while so many events are: a client that calls and cancels thousands of times is read more slowly,
# and another one's call is handled within milliseconds (SPEC §20.9). Should the executor be stuck, for so long at most.
_CALLS_WAIT_FROM = 64
_CALLS_WAIT_S = 1.0


class Inbox:
    """What the other threads hand the executor. ``put`` returns at once, from any thread."""

    def __init__(self) -> None:
        # Each with the peer that caused it and its size, which end that peer's turn.
        self._events: queue.Queue[Tuple[Event, Optional[Tuple[int, int]]]] = queue.Queue()
        self.turns = PeerTurns()

    def put(self, event: Event) -> None:
        self._events.put((event, None))

    def put_of_peer(self, event: Event, peer_id: int, size: int) -> None:
        """As ``put``, once it is this peer's turn. For the peer's reader, whose peer sent ``size`` bytes for it."""
        self.turns.take(peer_id, size)
        self._events.put((event, (peer_id, size)))

    def put_in_turn(self, event: Event) -> None:
        """As ``put``, after a moment if there is much to do already. Not for the executor's own thread."""
        if self._is_crowded():
            with self._events.not_full:  # which every ``get`` notifies
                self._events.not_full.wait_for(lambda: not self._is_crowded(), _CALLS_WAIT_S)
        self._events.put((event, None))

    def _is_crowded(self) -> bool:
        # Peers have turns of their own: a flood of theirs is no reason for a client to wait here.
        return len(self._events.queue) - self.turns.under_way >= _CALLS_WAIT_FROM

    def take(self, timeout_s: Optional[float]) -> Optional[Event]:
        """The next event; ``None`` if none came within ``timeout_s`` seconds (``None``: wait for ever, 0: do not)."""
        try:
            event, turn = self._events.get(block=timeout_s != 0, timeout=timeout_s)
        except queue.Empty:
            return None
        if turn is not None:
            self.turns.give_back(*turn)
        return event


class InboxCallService:
    """Puts callers' calls into the inbox (``calls.CallService``). A call without a client is this process's own."""

    def __init__(self, inbox: Inbox, ids: Ids) -> None:
        self._inbox = inbox
        self._ids = ids
        self._client = ids.client()

    def submit(
        self,
        call: Call,
        on_outcome: OnOutcome,
        on_progress: Optional[OnProgress] = None,
        on_job: Optional[OnJob] = None,
    ) -> str:
        request_id = self._ids.request()
        if call.client is None and call.tool.mode is Mode.JOB:  # whose a read is means nothing
            call = changed(call, client=self._client)
        self._inbox.put_in_turn(CallArrived(request_id, call, on_outcome, on_progress, on_job))
        return request_id

    def abandon(self, request_id: str) -> None:
        self._inbox.put_in_turn(CallAbandoned(request_id))

    def refused(self) -> None:
        self._inbox.put_in_turn(CallRefused())


class Executor:
    """Runs the coordinator on its own thread, until the coordinator has stopped."""

    def __init__(self, coordinator: ExecutionCoordinator, inbox: Inbox, clock: Clock, log: Logger) -> None:
        self._coordinator = coordinator
        self._inbox = inbox
        self._clock = clock
        self._log = log
        self._events_in_a_row = 0
        self._has_stopped = threading.Event()
        self._is_to_end = False
        self._thread = threading.Thread(target=self._run, name="executor", daemon=True)

    def start(self) -> None:
        self._inbox.turns.begin()
        self._thread.start()

    def wait_for_stop(self, timeout_s: float) -> bool:
        """Wait until the stop was handled, and every call has its answer; whether that is so."""
        return self._has_stopped.wait(timeout_s)

    def join(self, timeout_s: float) -> bool:
        """Let the thread end once it has stopped, and wait for that; whether it has ended."""
        self._is_to_end = True
        self._inbox.put(CallAbandoned(""))  # which makes it look up
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def run_until_idle(self) -> None:
        """Handle everything that is due now, on the calling thread, without waiting (for tests and a manual clock)."""
        while self._step(timeout_s=0):
            pass

    def _run(self) -> None:
        while not self._coordinator.has_stopped:
            self._step(self._time_to_next_deadline())
        self._has_stopped.set()
        # Calls that come in are still to be refused, and nothing else is due.
        while not self._is_to_end:
            self._step(timeout_s=None)
        self._inbox.turns.end()
        self.run_until_idle()

    def _step(self, timeout_s: Optional[float]) -> bool:
        """One event, or one deadline that has passed; whether there was one."""
        event = self._next_event(timeout_s)
        if event is None:
            return False
        try:
            self._coordinator.handle(event)
        except Exception:
            self._log.exception("a bug: an event could not be handled", event=type(event).__name__)
            self._recover(event)
        return True

    def _next_event(self, timeout_s: Optional[float]) -> Optional[Event]:
        """What was said before a deadline comes first: it may be the very thing the deadline was waiting for.

        But a peer that never stops talking must not stop the clock.
        """
        is_flooded = timeout_s == 0 and self._events_in_a_row >= _EVENTS_BEFORE_A_DEADLINE
        event = None if is_flooded else self._inbox.take(timeout_s)
        if event is not None:
            self._events_in_a_row = self._events_in_a_row + 1 if timeout_s == 0 else 0
            return event
        self._events_in_a_row = 0
        late_s = self._late_s()
        if late_s > _OVERSLEPT_S and not is_flooded:
            return Overslept(late_s)
        passed = self._coordinator.passed_deadline()
        return self._inbox.take(0) if passed is None and is_flooded else passed

    def _recover(self, event: Event) -> None:
        try:
            self._coordinator.recover(event)
        except Exception:
            self._log.exception("a bug: nor could the call it was about be answered")

    def _late_s(self) -> float:
        """How long ago the next deadline was."""
        deadline = self._coordinator.next_deadline()
        return 0.0 if deadline is None else self._clock.now() - deadline

    def _time_to_next_deadline(self) -> Optional[float]:
        deadline = self._coordinator.next_deadline()
        return None if deadline is None else max(0.0, deadline - self._clock.now())
