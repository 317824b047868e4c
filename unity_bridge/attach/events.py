"""What happens between an owner and those attached to it, as facts for the executor's inbox (SPEC §14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Union

from unity_bridge.calls import Progress


@dataclass(frozen=True)
class ClientAttached:
    """Another server has proved itself and forwards its calls to us."""

    peer_id: int
    version: str


@dataclass(frozen=True)
class ClientLeft:
    """It is gone, and so are its calls."""

    peer_id: int


AttachEvent = Union[ClientAttached, ClientLeft]


@dataclass(frozen=True)
class OwnerFound:
    """The port belongs to another server of this user, and we are attached to it.

    ``connection_id`` is that of our connection to it: a call is handed to the one that the executor has heard of.
    """

    port: int
    version: str
    connection_id: int


@dataclass(frozen=True)
class OwnerLost:
    """It is gone; the port is free, or another of the attached has it by now."""

    reason: str


@dataclass(frozen=True)
class OwnerAnswered:
    """A forwarded call has ended there; ``message`` is the protocol's ``ended``."""

    request_id: str
    message: Mapping[str, Any]


@dataclass(frozen=True)
class OwnerProgressed:
    """A forwarded call goes on."""

    request_id: str
    progress: Progress


LinkEvent = Union[OwnerFound, OwnerLost, OwnerAnswered, OwnerProgressed]
