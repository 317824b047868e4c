"""``WaitingConnections``: accepted connections that nobody serves yet. Each costs a descriptor, and
no thread.
"""

from __future__ import annotations

import re
import selectors
import socket
from typing import Any, Dict, List, Optional, Tuple

from unity_bridge.base.clock import Clock
from unity_bridge.base.result import Ok
from unity_bridge.log.limited_log import LimitedLog
from unity_bridge.system.interruptible_socket import InterruptibleSocket
from unity_bridge.trust.proof import OPENING, OPENING_HEADER, Ends, is_proof, proof
from unity_bridge.trust.secret import SecretSource
from unity_bridge.unity.allowance import Allowance
from unity_bridge.unity.peers import Limits

_LOOK_UP_S = 1.0
_OPENING_S = 1.0
# More clients of one user than connect in a second.
_MOST_OPENINGS = 256
# As much of a head as our own clients send in one piece.
_PEEKED_BYTES = 1024
_OPENING = re.compile(rb"\r\n%s: ([0-9a-f]{64})\r\n" % OPENING_HEADER.encode())


class WaitingConnections:
    """At most ``half_open`` of them, of which the oldest gives way, each for at most ``head_s``.

    Those that have said something are served, the newest first, at a bounded rate: each costs two threads, and other
    threads' time. One that shows in its head that it comes from this user is served at once. For the accepting thread.
    """

    def __init__(
        self,
        ready: selectors.BaseSelector,
        limits: Limits,
        clock: Clock,
        refusals: LimitedLog,
        secret: SecretSource,
    ) -> None:
        self._ready = ready
        self._limits = limits
        self._clock = clock
        self._refusals = refusals
        self._secret = secret
        # Client ends that showed an opening, and when; oldest first. The header could be another
        # user's who saw it.
        self._openings: Dict[Any, float] = {}
        self._own: List[Tuple[InterruptibleSocket, Any]] = []  # to serve at once
        # Address, and until when; oldest first.
        self._silent: Dict[InterruptibleSocket, Tuple[Any, float]] = {}
        self._heard: Dict[InterruptibleSocket, Tuple[Any, float]] = {}
        self._serving = Allowance(limits.accept_burst, limits.accept_rate, clock)

    @property
    def pause_s(self) -> Optional[float]:
        """How long to wait for anything new; None: for ever."""
        if self._heard:
            return 1 / self._limits.accept_rate
        if self._silent:
            return _LOOK_UP_S
        return None

    def add(self, connection: InterruptibleSocket, address: Any) -> None:
        connection.setblocking(False)
        self._ready.register(connection, selectors.EVENT_READ)
        self._silent[connection] = (address, self._clock.now() + self._limits.head_s)
        self._make_room(self._silent)

    def hear(self, connection: InterruptibleSocket) -> None:
        """Take note that a connection can be read, unless it gave way a moment ago."""
        if connection not in self._silent:
            return
        try:
            words = connection.recv(_PEEKED_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            words = b""
        if not words:
            self._drop(self._silent, connection)
            return
        self._ready.unregister(connection)
        waiting = self._silent.pop(connection)
        connection.is_own = self._is_own(words, connection, waiting[0])
        if connection.is_own:
            self._own.append((connection, waiting[0]))
        else:
            self._heard[connection] = waiting
            self._make_room(self._heard)

    def _is_own(self, words: bytes, connection: InterruptibleSocket, address: Any) -> bool:
        """Return whether the head says what only a client with this user's secret can say on this
        connection.
        """
        match = _OPENING.search(words)
        secret = self._secret() if match is not None else None
        if match is None or not isinstance(secret, Ok):
            return False
        right = proof(secret.value, OPENING, Ends.of_server(connection, address), "", "")
        return is_proof(match[1].decode(), right) and self._counts(address)

    def _counts(self, address: Any) -> bool:
        """Return whether an opening of this end counts: once in ``_OPENING_S``."""
        now = self._clock.now()
        while self._openings and now - next(iter(self._openings.values())) >= _OPENING_S:
            del self._openings[next(iter(self._openings))]
        if address in self._openings or len(self._openings) >= _MOST_OPENINGS:
            return False
        self._openings[address] = now
        return True

    def next(self) -> Optional[Tuple[InterruptibleSocket, Any]]:
        """Let go of the connection to serve now, with its peer's address."""
        if self._own:
            self._own[0][0].setblocking(True)
            return self._own.pop(0)
        if not self._heard or not self._serving.take():
            return None
        connection, (address, _) = self._heard.popitem()
        connection.setblocking(True)
        return connection, address

    def expire(self) -> None:
        """Close those that have waited for too long."""
        now = self._clock.now()
        for room in (self._silent, self._heard):
            while room and now >= next(iter(room.values()))[1]:
                self._drop(room, next(iter(room)))

    def drop(self) -> None:
        """Close all of them."""
        for room in (self._silent, self._heard):
            for connection in list(room):
                self._drop(room, connection)

    def _make_room(self, room: Dict[InterruptibleSocket, Tuple[Any, float]]) -> None:
        if len(room) > self._limits.half_open:
            self._refusals.warn(
                "half-open", "cut the oldest half-open connection", half_open=self._limits.half_open
            )
            self._drop(room, next(iter(room)))

    def _drop(
        self, room: Dict[InterruptibleSocket, Tuple[Any, float]], connection: InterruptibleSocket
    ) -> None:
        del room[connection]
        if room is self._silent:
            self._ready.unregister(connection)
        connection.close()
