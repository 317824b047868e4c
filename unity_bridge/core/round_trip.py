"""``RoundTrips``: the way of one message to Unity, and of its answer back (SPEC §4.2).

At most one is under way, and nothing else leaves the queue until it has ended.
"""

from __future__ import annotations

from typing import Optional

from unity_bridge.base.errors import ErrorCode, ToolError
from unity_bridge.base.frozen import changed
from unity_bridge.catalogue.tool import Tool
from unity_bridge.core import answers
from unity_bridge.core.context import ExecutionContext
from unity_bridge.core.editor.reconnect import ReconnectController
from unity_bridge.core.editor.trust import untrusted
from unity_bridge.core.ledger.deadlines import Due
from unity_bridge.core.ledger.queue import RequestScheduler
from unity_bridge.core.ledger.records import EditorIdentity, RoundTrip
from unity_bridge.unity.bridge_client import Sent
from unity_bridge.unity.messages import Message


class RoundTrips:
    """For the executor thread alone."""

    def __init__(self, context: ExecutionContext, scheduler: RequestScheduler, reconnect: ReconnectController) -> None:
        self._queue = context.stores.queue
        self._connections = context.connections
        self._deadlines = context.deadlines
        self._max_message_bytes = context.config.max_message_bytes
        self._clock = context.clock
        self._scheduler = scheduler
        self._reconnect = reconnect

    @property
    def in_flight(self) -> Optional[RoundTrip]:
        return self._queue.value.in_flight

    @property
    def has_session(self) -> bool:
        return self._reconnect.active is not None

    @property
    def identity(self) -> Optional[EditorIdentity]:
        """Who is at the other end."""
        session = self._reconnect.active
        return None if session is None else session.identity

    def lacks(self, tool: Tool) -> Optional[ToolError]:
        """Why nothing of ``tool`` may be sent, as far as is known: of a plugin that is not there nothing is.

        It does not have the tool (SPEC §15.5), or it is not trusted with it (SPEC §17.2).
        """
        session = self._reconnect.active
        if session is None or session.identity is None:
            return None
        identity = session.identity
        if not identity.has(tool):
            return answers.lacking(tool.name, identity.plugin_version)
        return untrusted(tool.name, session.trust) if tool.needs_trust else None

    def send(
        self, trip: RoundTrip, message: Message, budget_ms: int, tool: Optional[Tool] = None
    ) -> Optional[ToolError]:
        """Put ``message`` on its way and ``trip`` with it; or say why nothing left this process.

        ``tool`` is what the plugin must have for it.
        """
        lacking = None if tool is None else self.lacks(tool)
        if lacking is not None:
            return lacking
        session = self._reconnect.active
        sent = Sent.GONE if session is None else self._connections.send(session.id, message)
        if sent is Sent.TOO_LARGE:
            return answers.too_large(self._max_message_bytes)
        if session is None or sent is Sent.GONE:
            return answers.disconnected_before_send()
        deadline = self._clock.now() + budget_ms / 1000
        job_id: Optional[str] = getattr(message, "job_id", None)
        self._scheduler.depart(changed(trip, session_id=session.id, deadline=deadline, job_id=job_id))
        self._deadlines.set(Due.ROUND_TRIP, trip.request_id, deadline)
        return None

    def keep(self, trip: RoundTrip) -> None:
        """The connection is gone. The trip keeps its place, its id and its deadline, and waits to be sent again."""
        self._scheduler.depart(changed(trip, session_id=None))
        self._deadlines.set(Due.ROUND_TRIP, trip.request_id, trip.deadline)

    def send_again(self, trip: RoundTrip, message: Message) -> bool:
        """Put a kept trip on its way once more; False if that was not possible either."""
        session = self._reconnect.active
        if session is None or self._connections.send(session.id, message) is not Sent.HANDED_OVER:
            return False
        self._scheduler.depart(changed(trip, session_id=session.id))
        return True

    def end(self, trip: RoundTrip) -> None:
        """It is over, however: the queue may move on."""
        self._deadlines.clear(Due.ROUND_TRIP, trip.request_id)
        self._deadlines.clear(Due.RECONNECT, trip.request_id)
        self._scheduler.arrive()


def is_disconnected(error: Optional[ToolError]) -> bool:
    """Whether nothing left this process because the connection is gone."""
    return error is not None and error.code is ErrorCode.UNITY_DISCONNECTED
