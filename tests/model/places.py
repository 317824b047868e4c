"""Who may have the session's place, held against who has it after every step (SPEC §7.3, §17.1).

From outside it is known when an editor was last seen to have the place, and when another one was first seen to have it.
A promise is broken if no moment between the two would have been right.
"""

from __future__ import annotations

from typing import List, NamedTuple, Optional

from tests.fakes import InMemoryBridge
from tests.model.truth import Connection, EditorProcess
from unity_bridge.core.ledger.records import SessionRecord

_BUSY_S, _RECONNECT_S = 60.0, 2.5


class Holder(NamedTuple):
    """An editor that was seen to have the place, here or at the owner of the port (``connection``
    None).
    """

    process: EditorProcess
    has_proved: bool
    connection: Optional[Connection] = None


class Places:
    """``check`` after every step."""

    def __init__(self, bridge: InMemoryBridge) -> None:
        self._bridge = bridge
        self.last: Optional[Holder] = None  # the last one that was seen to have the place
        self._last_seen = 0.0
        self._window_s = 0.0  # for how long it is expected back, at least
        self._gone_since: Optional[float] = None  # since when nobody was seen to have it

    def is_sent_away(self, connection: Connection) -> None:
        """The server is about to end its session: it is not expected back."""
        if self.last is not None and connection is self.last.connection:
            self._window_s = 0.0

    def somebody_proved_wrongly(self) -> None:
        """An editor may have had the place between its hello and its wrong proof, which no check
        sees.
        """
        if self.last is not None and not self.last.has_proved:
            self._window_s = 0.0

    def inherits(self, process: EditorProcess) -> None:
        """The owner of the port is lost, and this was its editor."""
        self.last, self._last_seen, self._gone_since = (
            Holder(process, True),
            self._bridge.clock.now(),
            None,
        )
        busy_s = _BUSY_S if self._bridge.parts.status.editor.is_busy else _RECONNECT_S
        self._window_s = 0.0 if process.project is None else busy_s

    def must_be_free(self) -> bool:
        now = self._bridge.clock.now()
        if self._bridge.stores.session is not None:
            return False
        return self.last is None or (
            self._gone_since is not None and now >= self._gone_since + _BUSY_S
        )

    def check(self, connections: List[Connection]) -> List[str]:
        session, now = self._bridge.stores.session, self._bridge.clock.now()
        if session is None:
            self._gone_since = now if self._gone_since is None else self._gone_since
            return []
        holder = next(connection for connection in connections if connection.peer.id == session.id)
        is_the_same = self.last is not None and holder is self.last.connection
        wrong = [] if is_the_same else self._handed_over(holder, now)
        if session.is_trusted != holder.has_proved:
            wrong.append(
                f"the session is trusted: {session.is_trusted}; it has proved who it is: {holder.has_proved}"
            )
        self._seen(holder, session, now)
        return wrong

    def _seen(self, holder: Connection, session: SessionRecord, now: float) -> None:
        assert holder.process is not None
        self.last = Holder(holder.process, holder.has_proved, holder)
        self._last_seen, self._gone_since = now, None
        assert session.identity is not None
        is_known = (
            session.identity.instance_id is not None or session.identity.project_path is not None
        )
        busy_s = _BUSY_S if self._bridge.parts.status.editor.is_busy else _RECONNECT_S
        self._window_s = busy_s if is_known else 0.0

    def _handed_over(self, to: Connection, now: float) -> List[str]:
        if self.last is None or now >= self._last_seen + self._window_s:
            return []
        former, newcomer = self.last.process, to.process
        assert newcomer is not None
        wrong = []
        if to.has_proved and not self.last.has_proved:
            return []  # an editor without proof keeps nothing from one with it
        claims_to_be_it = (
            former.instance_id is not None and former.instance_id == newcomer.instance_id
        )
        if (
            not claims_to_be_it
            and None not in (former.project, newcomer.project)
            and former.project != newcomer.project
        ):
            wrong.append(f"the place of {former.project} went to {newcomer.project}")
        if (
            self._gone_since is not None
            and former.instance_id != newcomer.instance_id
            and newcomer.project is None
        ):
            wrong.append(
                "the place that was kept went to an editor that does not say which project it has"
            )
        if self.last.has_proved and not to.has_proved:
            wrong.append("the place of a trusted editor went to one that has proved nothing")
        return wrong
