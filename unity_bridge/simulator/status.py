"""What the editor tells about itself: its state, and what each session was told last (SPEC §7.5, §7.6)."""

from __future__ import annotations

from threading import Lock
from typing import Any, Callable, Dict, Mapping, Optional, Protocol

from unity_bridge.simulator.events import Emit

READY = "ready"
COMPILING = "compiling"
RELOADING = "reloading"


class Listener(Protocol):
    """Where a status goes: the session that is open."""

    def send(self, message: Mapping[str, Any]) -> bool: ...


class EditorStatus:
    """The editor's state, sent to the open session at every change. Safe from any thread."""

    def __init__(self, stalled_ms: Callable[[], int], emit: Emit) -> None:
        self._stalled_ms = stalled_ms
        self._emit = emit
        # Held while a status is sent: the order of the seqs must be the order on the wire.
        self._telling = Lock()  # guards what follows
        self._state = READY
        self._compile_errors = 0
        self._session: Optional[Listener] = None
        self._seq = 0
        self._greeted_with = READY

    # Read without the lock, which is held across a send: whoever asks must not wait for the line.
    @property
    def state(self) -> str:
        return self._state

    @property
    def compile_errors(self) -> int:
        return self._compile_errors

    def change(self, state: str, compile_errors: Optional[int] = None) -> None:
        with self._telling:
            changed = state != self._state
            self._state = state
            if compile_errors is not None:
                self._compile_errors = compile_errors
            if changed:
                self._tell()
        if changed:
            self._emit("state", state=state)

    def repeat(self) -> None:
        """Say the same again, as some plugins do every few seconds."""
        with self._telling:
            self._tell()

    def greet(self) -> str:
        """The state for the ``hello`` of a session that begins now."""
        with self._telling:
            self._session = None
            self._greeted_with = self._state
            return self._state

    def opened(self, session: Listener) -> None:
        """The greeting was answered; what changed since it was written is told first."""
        with self._telling:
            self._session, self._seq = session, 0
            if self._state != self._greeted_with:
                self._tell()

    def pong(self) -> Dict[str, Any]:
        """The fields of a ``pong``; ``seq`` once a status was sent in this session."""
        with self._telling:
            fields: Dict[str, Any] = {"editor_state": self._state, **self._health()}
            if self._seq:
                fields["seq"] = self._seq
            return fields

    def _tell(self) -> None:
        if self._session is None:
            return
        self._seq += 1
        self._session.send({"type": "editor_status", "state": self._state, "seq": self._seq, **self._health()})

    def _health(self) -> Dict[str, Any]:
        return {"main_thread_stalled_ms": self._stalled_ms(), "compile_errors": self._compile_errors}
