"""``ExecutionContext``: what every part of the executor works with, passed as one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Protocol

from unity_bridge.base.clock import Clock
from unity_bridge.base.result import Result
from unity_bridge.catalogue.tool import Tool
from unity_bridge.config import Config
from unity_bridge.core.ids import Ids
from unity_bridge.core.ledger.deadlines import Deadlines
from unity_bridge.core.ledger.ledger import StateStores
from unity_bridge.log.logger import Logger
from unity_bridge.unity.bridge_client import Sent
from unity_bridge.unity.messages import Message

# ``(tool, params, result)``: what of a result was asked for, or why it cannot be passed on (the validator's
# ``checked_result``).
ResultCheck = Callable[[Tool, Mapping[str, Any], Any], Result[Dict[str, Any], str]]


class Connections(Protocol):
    """The connections of plugins, as the executor uses them. The one way to the outside: nothing here blocks.

    Whoever decides also sends, since what it decides next depends on whether the message could leave.
    """

    def send(self, peer_id: int, message: Message) -> Sent: ...

    def close(self, peer_id: int, code: int, reason: str) -> None: ...

    def introduced(self, peer_id: int) -> None: ...


class Watch(Protocol):
    """Who looks at the project from outside, and tells by an event. Nothing here blocks."""

    def ask(self) -> None: ...


@dataclass(frozen=True)
class ExecutionContext:
    """The ledger, the way to Unity, the deadlines, and what is the same for the life of the process.

    ``project``: the path of the Unity project that this server is for, links resolved, if it is for one (SPEC §18.1).
    """

    stores: StateStores
    connections: Connections
    catalogue: Mapping[str, Tool]
    check_result: ResultCheck
    config: Config
    ids: Ids
    clock: Clock
    log: Logger
    deadlines: Deadlines
    project: Optional[str] = None
    project_watch: Optional[Watch] = None
