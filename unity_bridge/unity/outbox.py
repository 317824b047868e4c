"""``Outbox``: the frames on their way to one peer, so that no thread but its writer ever waits for it."""

from __future__ import annotations

from collections import deque
from enum import Enum
from threading import Condition
from typing import Callable, Deque, Optional

# What a waiting frame costs beside its bytes: a flood of empty ones is bounded too.
_BYTES_PER_FRAME = 64


class Posted(Enum):
    """What became of a frame that was put into an outbox."""

    ACCEPTED = "accepted"
    SEALED = "sealed"
    FULL = "full"


class Outbox:
    """A queue bounded in bytes. Any thread puts, one writer takes.

    ``send_now`` puts on the line what fits there without waiting, and says how many bytes did. It is used when nothing
    else is on its way: a short message then goes out on its sender's thread, without a switch to the writer's.
    """

    def __init__(self, max_bytes: int, send_now: Callable[[bytes], int]) -> None:
        self._max_bytes = max_bytes
        self._send_now = send_now
        self._changed = Condition()
        self._frames: Deque[bytes] = deque()  # guarded by _changed
        self._bytes = 0  # guarded by _changed
        self._sealed = False  # guarded by _changed
        self._writing = False  # guarded by _changed; the writer has taken a frame and not come back for the next

    @property
    def sealed(self) -> bool:
        """Whether the last frame is in, so that nothing more will leave after it."""
        return self._sealed

    def put(self, frame: bytes) -> Posted:
        """Never blocks. ``FULL``: the peer does not read, and nothing was taken in."""
        with self._changed:
            if self._sealed:
                return Posted.SEALED
            if self._bytes + len(frame) + _BYTES_PER_FRAME > self._max_bytes:
                return Posted.FULL
            unsent = frame if self._frames or self._writing else frame[self._send_now(frame) :]
            if unsent:
                self._append(unsent)
            return Posted.ACCEPTED

    def seal(self, last: bytes) -> bool:
        """Put the last frame, whatever the bound; nothing is taken in after it. ``False``: it was sealed before."""
        with self._changed:
            if self._sealed:
                return False
            self._sealed = True
            self._append(last)
            return True

    def abandon(self) -> None:
        """Drop everything: the line is dead and the writer may go."""
        with self._changed:
            self._sealed = True
            self._frames.clear()
            self._bytes = 0
            self._changed.notify()

    def take(self) -> Optional[bytes]:
        """The next frame, waiting for one; ``None`` once the last has been taken."""
        with self._changed:
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
