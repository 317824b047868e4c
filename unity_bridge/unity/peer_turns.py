"""``PeerTurns``: how much of what peers say may wait for the executor (SPEC §20.1).

A peer's reader thread takes a turn for each event before it hands the event over, and the turn ends when the executor
takes the event. A reader that has to wait reads no further, so its peer is held up by TCP, and nothing piles up here.
Readers that wait get their turns in order of arrival, so a flood of one peer holds up no other.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from typing import DefaultDict, Deque, Dict, NamedTuple

PER_PEER = 8
IN_ALL = 64
BYTES_IN_ALL = 8 * 2**20
# A reader with all its turns under way goes on when half of them have ended, so that it wakes up
# once for several.
_GOES_ON_AT = PER_PEER // 2


class _Waiting(NamedTuple):
    peer_id: int
    size: int
    may_go_on: threading.Event


class PeerTurns:
    """``take`` is for readers, ``give_back`` for the executor. Nothing waits before ``begin`` or
    after ``end``.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # guards what follows
        self._is_bounded = False
        self._of_peer: DefaultDict[int, int] = defaultdict(int)
        self._bytes = 0
        self._line: Deque[_Waiting] = deque()  # for room among all
        self._held_up: Dict[
            int, _Waiting
        ] = {}  # each by its own earlier turns; a peer has one reader
        self.under_way = 0  # any thread may read it

    def begin(self) -> None:
        """There is an executor that gives turns back."""
        with self._lock:
            self._is_bounded = True

    def end(self) -> None:
        """There is none any more: no reader may wait for it."""
        with self._lock:
            self._is_bounded = False
            waiting = [*self._line, *self._held_up.values()]
            self._line.clear()
            self._held_up.clear()
            for turn in waiting:
                self._count(turn.peer_id, turn.size)
        for turn in waiting:
            turn.may_go_on.set()

    def take(self, peer_id: int, size: int) -> None:
        """Wait until one more event of ``size`` bytes may go to the executor."""
        with self._lock:
            is_own = self._of_peer.get(peer_id, 0) >= PER_PEER
            if not self._is_bounded or (not is_own and not self._line and self._has_room(size)):
                self._count(peer_id, size)
                return
            waiting = _Waiting(peer_id, size, threading.Event())
            if is_own:
                self._held_up[peer_id] = waiting
            else:
                self._line.append(waiting)
        waiting.may_go_on.wait()

    def give_back(self, peer_id: int, size: int) -> None:
        """Give back the turn of an event that the executor has taken, and admit what now has room."""
        admitted = []
        with self._lock:
            self.under_way -= 1
            self._bytes -= size
            remaining = self._of_peer[peer_id] = self._of_peer[peer_id] - 1
            if remaining <= _GOES_ON_AT and peer_id in self._held_up:
                self._line.append(self._held_up.pop(peer_id))
            if not remaining:
                del self._of_peer[peer_id]
            while self._line and self._has_room(self._line[0].size):
                turn = self._line.popleft()
                # Counted here, under the lock, and not by the reader when it wakes: until then its
                # room would look free, and other events could take it too.
                self._count(turn.peer_id, turn.size)
                admitted.append(turn)
        for turn in admitted:
            turn.may_go_on.set()

    def _has_room(self, size: int) -> bool:
        """One message above the bound may be under way alone, or nobody could say it."""
        return self.under_way < IN_ALL and (not self._bytes or self._bytes + size <= BYTES_IN_ALL)

    def _count(self, peer_id: int, size: int) -> None:
        self.under_way += 1
        self._bytes += size
        self._of_peer[peer_id] += 1
