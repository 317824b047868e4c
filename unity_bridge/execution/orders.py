"""What a manager wants done at the east door, as values: whoever asked it carries them out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from unity_bridge.unity.messages import Message


@dataclass(frozen=True)
class Send:
    peer_id: int
    message: Message


@dataclass(frozen=True)
class Close:
    """Close a connection with a code of RFC 6455 §7.4.1, after what was sent to it before."""

    peer_id: int
    code: int
    reason: str


Order = Union[Send, Close]
