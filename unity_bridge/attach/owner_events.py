"""What happens between an owner and those attached to it, as facts for the executor's inbox (SPEC
§14).
"""

from __future__ import annotations

from typing import Any, Mapping, Optional, Union

from unity_bridge.base.frozen import frozen
from unity_bridge.catalogue.calls import Progress


@frozen
class ClientAttached:
    """Another server has proved itself and forwards its calls to us."""

    peer_id: int
    version: str


@frozen
class ClientLeft:
    """It is gone, and so are its calls."""

    peer_id: int


AttachEvent = Union[ClientAttached, ClientLeft]


@frozen
class OwnerFound:
    """The port belongs to another server of this user, and we are attached to it.

    ``connection_id`` is that of our connection to it: a call is handed to the one that the executor has heard of.
    """

    port: int
    version: str
    connection_id: int


@frozen
class OwnerLost:
    """It is gone; the port is free, or another of the attached has it by now."""

    reason: str


@frozen
class OwnerAnswered:
    """A forwarded call has ended there; ``message`` is the protocol's ``ended``."""

    request_id: str
    message: Mapping[str, Any]


@frozen
class OwnerProgressed:
    """A forwarded call goes on."""

    request_id: str
    progress: Progress


@frozen
class OwnerAccepted:
    """A forwarded call has its job, and waits for it there; should the owner go, it can wait
    elsewhere.
    """

    request_id: str
    job_id: str


@frozen
class OwnerSawEditor:
    """What the owner's editor does, as the owner last saw it, and which one it is: the next owner of the port waits
    accordingly, and keeps its place (SPEC §7.3)."""

    state: str
    instance_id: Optional[str] = None
    project_path: Optional[str] = None
    is_trusted: bool = False


@frozen
class OwnerStopping:
    """The owner ends. What it still says of calls that wait for a job is no answer to them."""


LinkEvent = Union[
    OwnerFound,
    OwnerLost,
    OwnerAnswered,
    OwnerProgressed,
    OwnerAccepted,
    OwnerSawEditor,
    OwnerStopping,
]
