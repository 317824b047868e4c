"""``Outbox``: the frames queued for one peer, so that only its writer thread ever waits for the
socket.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from threading import Condition, Lock
from typing import Callable, Deque, Optional

# What a queued frame costs besides its bytes, so that a flood of empty ones is bounded too.
_BYTES_PER_FRAME = 64


class Posted(Enum):
    """The result of ``Outbox.put``."""

    ACCEPTED = "accepted"
    SEALED = "sealed"
    FULL = "full"


class Outbox:
    """A queue bounded in bytes. Any thread puts, one writer takes.

    ``send_now`` writes what the socket takes without waiting and returns how many bytes that was. It is used when
    nothing else is queued: a short message then leaves on its sender's thread, without a switch to the writer.
    """

    def __init__(self, max_bytes: int, send_now: Callable[[bytes], int]) -> None:
        self._max_bytes = max_bytes
        self._send_now = send_now
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._frames: Deque[bytes] = deque()  # guarded by _lock
        self._bytes = 0  # guarded by _lock
        self._sealed = False  # guarded by _lock
        self._writing = (
            False  # guarded by _lock; the writer has taken a frame and not come back for the next
        )

    @property
    def sealed(self) -> bool:
        """Whether the last frame is queued. Nothing leaves after it."""
        return self._sealed

    def put(self, frame: bytes) -> Posted:
        """Never blocks. ``FULL``: the peer does not read, and the frame was not queued."""
        with self._lock:
            if self._sealed:
                return Posted.SEALED
            if self._bytes + len(frame) + _BYTES_PER_FRAME > self._max_bytes:
                return Posted.FULL
            unsent = frame if self._frames or self._writing else frame[self._send_now(frame) :]
            if unsent:
                self._append(unsent)
            return Posted.ACCEPTED

    def seal(self, final: bytes) -> bool:
        """Queue the last frame, regardless of the bound. ``False``: there was a last frame already."""
        with self._lock:
            if self._sealed:
                return False
            self._sealed = True
            self._append(final)
            return True

    def abandon(self) -> None:
        """Drop everything. The connection is lost, and the writer ends."""
        with self._lock:
            self._sealed = True
            self._frames.clear()
            self._bytes = 0
            self._changed.notify()

    def take(self) -> Optional[bytes]:
        """Wait for the next frame; ``None`` after the last."""
        with self._lock:
            self._writing = False
            while not self._frames and not self._sealed:
                self._changed.wait()
            if not self._frames:
                return None
            frame = self._frames.popleft()
            self._bytes -= len(frame) + _BYTES_PER_FRAME
            self._writing = True
            return frame

    def _append(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._bytes += len(frame) + _BYTES_PER_FRAME
        self._changed.notify()
