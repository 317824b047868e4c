"""``OwedRequests``: the requests that are still owed an answer. Each gets one, or none if its
client cancels it.
"""

from __future__ import annotations

import threading
from typing import Callable, Dict, Optional, Sequence

from unity_bridge.mcp.envelope import era_of
from unity_bridge.mcp.json_rpc import Request, RequestId


class Owed:
    """A request without its answer. ``on_cancel`` is what giving it up means, once something has
    begun.

    ``is_closed``: it has its answer, or its client has cancelled it.
    ``client``: the name of the client that calls. ``waits_since``: the instant from which it waits
    to begin.
    """

    __slots__ = ("client", "era", "is_closed", "key", "on_cancel", "request", "waits_since")

    def __init__(self, request: Request) -> None:
        self.key = correlated(request.id)
        self.request = request
        self.era = era_of(request)
        self.on_cancel: Optional[Callable[[], None]] = None
        self.is_closed = False
        self.client = ""
        self.waits_since: Optional[float] = None

    def waited_ms(self, now: float) -> int:
        return 0 if self.waits_since is None else int((now - self.waits_since) * 1000)

    def has_begun(self, on_cancel: Callable[[], None]) -> None:
        """From now on giving it up means something: at once, if it was cancelled before."""
        self.on_cancel = on_cancel
        if self.is_closed:
            self.on_cancel = None
            on_cancel()


class OwedRequests:
    """Safe from any thread. ``send`` queues a line on the wire; ``on_idle`` is called when nothing
    is owed any more.
    """

    def __init__(self, send: Callable[[bytes], None], on_idle: Callable[[], None]) -> None:
        self._send = send
        self._on_idle = on_idle
        self._lock = threading.Lock()  # guards the two below; is_closed is only written under it
        self._owed: Dict[RequestId, Owed] = {}
        self._leaving = 0  # answers that were claimed and are not on the wire yet

    def add(self, request: Request) -> Optional[Owed]:
        """From now on an answer is owed; ``None`` if one is owed under this id already."""
        owed = Owed(request)
        with self._lock:
            if owed.key in self._owed:
                return None
            self._owed[owed.key] = owed
        return owed

    def answer(self, owed: Owed, line: bytes) -> None:
        """Send its one answer, if that is still owed."""
        if not self._take(owed, leaving=1):
            return
        # It leads back to this request: with it, only the garbage collector would free the call and
        # its arguments.
        owed.on_cancel = None
        self._send(line)
        with self._lock:
            self._leaving -= 1
            is_idle = not self._owed and not self._leaving
        if is_idle:
            self._on_idle()

    def cancel(self, id: RequestId) -> Optional[Owed]:
        """Cancel the request ``id``, which gets no answer; return ``None`` if none was owed."""
        with self._lock:
            owed = self._owed.get(correlated(id))
        if owed is None or not self._take(owed, leaving=0):
            return None
        if owed.on_cancel is not None:
            owed.on_cancel()
        if self.is_idle:
            self._on_idle()
        return owed

    @property
    def is_idle(self) -> bool:
        with self._lock:
            return not self._owed and not self._leaving

    def all(self) -> Sequence[Owed]:
        with self._lock:
            return list(self._owed.values())

    def _take(self, owed: Owed, leaving: int) -> bool:
        with self._lock:
            if owed.is_closed:
                return False
            owed.is_closed = True
            del self._owed[owed.key]
            self._leaving += leaving
            return True


def correlated(id: RequestId) -> RequestId:
    """``"7"`` and 7 are one id to the SDKs of both languages: else a cancel could hit the wrong one
    of the two.
    """
    if isinstance(id, str):
        try:
            return int(id)
        except ValueError:
            return id
    return id
