"""What the executor's inbox holds: facts that other threads report, in the past tense."""

from __future__ import annotations

from typing import Union

from unity_bridge.attach.owner_events import AttachEvent, LinkEvent
from unity_bridge.base.frozen import frozen
from unity_bridge.catalogue.calls import Call
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.records import Caller, Id
from unity_bridge.projects.project_probe import ProcessSeen, ProjectProbed
from unity_bridge.unity.bridge_client import UnityEvent


@frozen
class CallArrived:
    """A client's call, and where its one answer goes."""

    request_id: str
    call: Call
    caller: Caller


@frozen
class CallAbandoned:
    """A client no longer waits for its call."""

    request_id: str


@frozen
class CallRefused:
    """A client's call was refused before it was handed over."""


@frozen
class DeadlinePassed:
    """Nothing happened before the instant at which ``due`` was due for ``id``."""

    due: Due
    id: Id


@frozen
class Overslept:
    """This process stood still for ``seconds`` beyond the next deadline: it was stopped, or the
    machine slept.
    """

    seconds: float


@frozen
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
    ProcessSeen,
    UnityEvent,
    AttachEvent,
    LinkEvent,
]
