"""``Executor``: the one thread that decides, and its one inbox (SPEC §1.2).

The joint between the threads: every other thread only puts an event into the inbox, and returns.
The executor takes one event at a time, handles it completely, and blocks nowhere but here, until
the next event or the next deadline. So timers need no thread of their own, and no record of the
ledger is ever seen half-written by a handler.
"""

from __future__ import annotations

import queue
import threading
from typing import Optional, Tuple

from unity_bridge.base.clock import Clock
from unity_bridge.base.frozen import changed
from unity_bridge.catalogue.calls import Call, OnJob, OnOutcome, OnProgress
from unity_bridge.core.context import Ids
from unity_bridge.core.events import CallAbandoned, CallArrived, CallRefused, Event, Overslept
from unity_bridge.core.ledger.records import Caller
from unity_bridge.core.wiring import Wiring
from unity_bridge.log.logger import Logger
from unity_bridge.unity.peer_turns import PeerTurns

# A thread that wakes so long after a deadline did not sleep by choice.
_OVERSLEPT_S = 1.0
# How many events may be handled while a deadline is due.
_EVENTS_BEFORE_A_DEADLINE = 256
# A thread that brings a client's call waits while so many events are in the inbox: a client that
# calls and cancels thousands of times is read more slowly, and another one's call is handled within
# milliseconds (SPEC §20.9). If the executor is stuck, it waits for so long at most.
_CALLS_WAIT_FROM = 64
_CALLS_WAIT_S = 1.0


class Inbox:
    """The events that other threads hand to the executor, in the order in which they were put.

    One queue, and no second way in: what a plugin says, and the end of its connection, arrive in
    the order in which they happened. A second queue for urgent events would let a close overtake
    the answer that came before it.
    """

    def __init__(self) -> None:
        # Each with the peer that caused it and its size, which end that peer's turn.
        self._events: queue.Queue[Tuple[Event, Optional[Tuple[int, int]]]] = queue.Queue()
        self.turns = PeerTurns()
        self._taken = threading.Condition()
        self._waiting = 0  # for an event to be taken; written under _taken

    def put(self, event: Event) -> None:
        """Return at once, from any thread."""
        self._events.put((event, None))

    def put_of_peer(self, event: Event, peer_id: int, size: int) -> None:
        """As ``put``, once it is this peer's turn. For the peer's reader, whose peer sent ``size``
        bytes for it.
        """
        self.turns.take(peer_id, size)
        self._events.put((event, (peer_id, size)))

    def put_in_turn(self, event: Event) -> None:
        """As ``put``, after a moment if there is much to do already. Not for the executor's own
        thread.
        """
        if self._is_crowded():
            with self._taken:
                self._waiting += 1
                self._taken.wait_for(lambda: not self._is_crowded(), _CALLS_WAIT_S)
                self._waiting -= 1
        self._events.put((event, None))

    def _is_crowded(self) -> bool:
        # Peers have turns of their own: a flood of theirs is no reason for a client to wait here.
        return self._events.qsize() - self.turns.under_way >= _CALLS_WAIT_FROM

    def take(self, timeout_s: Optional[float]) -> Optional[Event]:
        """Return the next event, or ``None`` after ``timeout_s`` seconds (``None``: wait for ever,
        0: do not wait).
        """
        try:
            event, turn = self._events.get(block=timeout_s != 0, timeout=timeout_s)
        except queue.Empty:
            return None
        if turn is not None:
            self.turns.give_back(*turn)
        if self._waiting:
            with self._taken:
                self._taken.notify_all()
        return event


class InboxCallService:
    """Puts callers' calls into the inbox (``calls.CallService``). A call without a client is this
    process's own.
    """

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
        if call.client is None:
            call = changed(call, client=self._client)
        self._inbox.put_in_turn(
            CallArrived(request_id, call, Caller(on_outcome, on_progress, on_job))
        )
        return request_id

    def abandon(self, request_id: str) -> None:
        self._inbox.put_in_turn(CallAbandoned(request_id))

    def refused(self) -> None:
        self._inbox.put_in_turn(CallRefused())


class Executor:
    """Feeds the wiring from the inbox on its own thread, until the wiring has stopped."""

    def __init__(self, wiring: Wiring, inbox: Inbox, clock: Clock, log: Logger) -> None:
        self._wiring = wiring
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
        self._inbox.put(CallAbandoned(""))  # which wakes it
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def run_until_idle(self) -> None:
        """Handle everything that is due now, on the calling thread, without waiting (for tests and
        a manual clock).
        """
        while self._step(timeout_s=0):
            pass

    def _run(self) -> None:
        while not self._wiring.has_stopped:
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
            self._wiring.handle(event)
        except Exception:
            self._log.exception("a bug: an event could not be handled", event=type(event).__name__)
            self._recover(event)
        return True

    def _next_event(self, timeout_s: Optional[float]) -> Optional[Event]:
        """Return what came before a deadline passed, else the deadline: the event may be the answer
        that it waits for.

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
        passed = self._wiring.passed_deadline()
        if passed is None and is_flooded:
            return self._inbox.take(0)
        return passed

    def _recover(self, event: Event) -> None:
        try:
            self._wiring.recover(event)
        except Exception:
            self._log.exception("a bug: nor could the call it was about be answered")

    def _late_s(self) -> float:
        """How long ago the next deadline was."""
        deadline = self._wiring.next_deadline()
        if deadline is None:
            return 0.0
        return self._clock.now() - deadline

    def _time_to_next_deadline(self) -> Optional[float]:
        deadline = self._wiring.next_deadline()
        if deadline is None:
            return None
        return max(0.0, deadline - self._clock.now())
