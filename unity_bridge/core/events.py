"""What the executor's inbox holds: facts that other threads report, in the past tense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Union

from unity_bridge.attach.owner_events import AttachEvent, LinkEvent
from unity_bridge.base.calls import Call
from unity_bridge.base.frozen import quickly_made
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.records import Caller, Id
from unity_bridge.projects.project_probe import ProjectProbed
from unity_bridge.unity.bridge_client import UnityEvent


@quickly_made
@dataclass(frozen=True)
class CallArrived:
    """A client's call, and where its one answer goes."""

    request_id: str
    call: Call
    caller: Caller


@dataclass(frozen=True)
class CallAbandoned:
    """A client no longer waits for its call."""

    request_id: str


@dataclass(frozen=True)
class CallRefused:
    """A client's call was refused before it was handed over."""


@dataclass(frozen=True)
class DeadlinePassed:
    """Nothing happened before the instant at which ``due`` was due for ``id``."""

    due: Due
    id: Id


@dataclass(frozen=True)
class Overslept:
    """This process stood still for ``seconds`` beyond the next deadline: it was stopped, or the machine slept."""

    seconds: float


@dataclass(frozen=True)
class StopRequested:
    """The bridge is to end; ``reason`` is for the log."""

    reason: str


Event = Union[
    CallArrived,
    CallAbandoned,
    CallRefused,
    DeadlinePassed,
    Overslept,
    StopRequested,
    ProjectProbed,
    UnityEvent,
    AttachEvent,
    LinkEvent,
]
