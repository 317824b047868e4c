"""``MessageReader``: bytes of one peer in, whole messages out (ADR-0013)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Iterator, Optional, Type

from unity_bridge.unity.frames import Incoming, Text, whole_close, whole_text

if TYPE_CHECKING:
    from unity_bridge.unity.wsproto_frames import FrameReader

# It is imported late (``frame_reader``), but where it is not installed, the start says so.
if find_spec("wsproto") is None:
    raise ModuleNotFoundError("No module named 'wsproto'", name="wsproto")


def frame_reader() -> Type[FrameReader]:
    # Not at the top: wsproto is a seventh of what a server does before its first result, and no
    # plugin needs it for that. A message over 16 KB is the first that does.
    from unity_bridge.unity.wsproto_frames import FrameReader

    return FrameReader


class MessageReader:
    """Turns the bytes of one peer into messages; after ``Closed`` or ``Violation`` nothing more
    comes out.

    Sizes are checked in frame headers, before a byte of payload is stored: a message may have at most
    ``max_message_bytes`` in at most ``max_fragments`` frames. ``is_client``: the reader is the client, and the peer the
    server. Raises nothing, whatever the bytes are.
    """

    def __init__(self, max_message_bytes: int, max_fragments: int, is_client: bool = False) -> None:
        self._max_message_bytes = max_message_bytes
        self._max_fragments = max_fragments
        self._is_client = is_client
        self._is_closed = False
        # From the first frame on that is neither a whole text nor the end.
        self._frames: Optional[FrameReader] = None

    @property
    def unfinished(self) -> bool:
        """Whether a message or a frame has begun and its end is still to come."""
        return self._frames is not None and self._frames.unfinished

    def feed(self, data: bytes) -> Iterator[Incoming]:
        """Yield what ``data`` completes, in the order in which it was sent. Take all of it before
        the next ``feed``.
        """
        if self._is_closed:
            return
        start = 0
        while start < len(data) and self._is_between_messages:
            whole = whole_text(data, start, self._max_message_bytes, not self._is_client)
            if whole is None:
                break
            text, start = whole
            yield Text(text)
        if start == len(data):
            return
        rest = data[start:]
        closed = None
        if self._is_between_messages:
            closed = whole_close(rest, not self._is_client)
        if closed is not None:
            self._is_closed = True
            yield closed
        else:
            if self._frames is None:
                self._frames = frame_reader()(
                    self._max_message_bytes, self._max_fragments, self._is_client
                )
            yield from self._frames.read(rest)

    @property
    def _is_between_messages(self) -> bool:
        return self._frames is None or self._frames.is_between_messages
