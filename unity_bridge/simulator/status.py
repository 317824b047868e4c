"""What the editor reports about itself: its state, and what each session received last (SPEC §7.5,
§7.6, §16.1).
"""

from __future__ import annotations

from threading import Lock
from types import MappingProxyType
from typing import Any, Callable, Dict, Optional, Protocol

from unity_bridge.base.frozen import changed, frozen
from unity_bridge.simulator.event_log import Emit
from unity_bridge.text.json_types import JsonDict, JsonObject

READY = "ready"
COMPILING = "compiling"
RELOADING = "reloading"


class Listener(Protocol):
    """Where a status goes: the session that is open."""

    def send(self, message: JsonObject) -> bool: ...


@frozen
class Status:
    """The editor at one moment."""

    state: str = READY
    compile_errors: int = 0
    playing: bool = False
    paused: bool = False
    pending_reason: Optional[str] = None


class SimulatedStatus:
    """The editor's status, sent to the open session at every change. Safe from any thread.

    ``pending``: why code waits to be loaded, asked at every change with whether the game plays.
    """

    def __init__(self, stalled_ms: Callable[[], int], emit: Emit) -> None:
        self._stalled_ms = stalled_ms
        self._emit = emit
        # How far the game is while it plays.
        self.game: Callable[[], JsonObject] = dict
        self.pending: Callable[[bool], Optional[str]] = lambda is_playing: None
        # How many jobs of servers without proof have not ended.
        self.disowned: Callable[[], int] = lambda: 0
        # Held while a status is sent: the order of the seqs must be the order on the wire.
        self._sending = Lock()  # guards what follows
        self._now = Status()
        self._session: Optional[Listener] = None
        self._seq = 0
        self._greeted_with = Status()

    @property
    def now(self) -> Status:
        # Read without the lock, which is held during a send: a reader must not wait for the
        # connection.
        return self._now

    def change(self, **values: Any) -> None:
        """Any of the fields of ``Status``."""
        with self._sending:
            before, now = self._now, changed(self._now, **values)
            now = self._now = changed(now, pending_reason=self.pending(now.playing))
            if now != before:
                self._send()
        if now.state != before.state:
            self._emit("state", state=now.state)
        if (now.playing, now.paused) != (before.playing, before.paused):
            self._emit("play_mode", playing=now.playing, paused=now.paused)

    def hello(self) -> JsonDict:
        """Return the fields of the ``hello`` of a session that begins now."""
        with self._sending:
            self._session = None
            self._greeted_with = self._now
            return {"state": self._now.state, **self._newer_fields()}

    def opened(self, session: Listener, proof: JsonObject) -> None:
        """Send what changed since the hello was written, with our proof if there is one: the hello
        was answered.
        """
        with self._sending:
            self._session, self._seq = session, 0
            if proof or self._now != self._greeted_with:
                self._send(proof)

    def pong(self) -> JsonDict:
        """Return the fields of a ``pong``; ``seq`` once a status was sent in this session."""
        with self._sending:
            fields: Dict[str, Any] = {"editor_state": self._now.state, **self._health()}
            if self._seq:
                fields["seq"] = self._seq
            return fields

    def _send(self, proof: JsonObject = MappingProxyType({})) -> None:
        if self._session is None:
            return
        self._seq += 1
        message = {
            "type": "editor_status",
            "state": self._now.state,
            "seq": self._seq,
            **self._health(),
            **proof,
        }
        self._session.send(message)

    def _health(self) -> JsonDict:
        health = {
            "main_thread_stalled_ms": self._stalled_ms(),
            "compile_errors": self._now.compile_errors,
            "untrusted_jobs": self.disowned(),
        }
        return {**health, **self._newer_fields(), **(self.game() if self._now.playing else {})}

    def _newer_fields(self) -> JsonDict:
        now, reason = self._now, self._now.pending_reason
        code = (
            {"code": "loaded"} if reason is None else {"code": "pending", "pending_reason": reason}
        )
        return {"playing": now.playing, "paused": now.paused, **code}
