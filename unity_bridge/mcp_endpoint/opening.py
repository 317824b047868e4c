"""``Opening``: the wire while the ``mcp`` SDK is still being loaded (SPEC §3.4, §12.1).

It reads from the first line on. What is static it answers by itself, until the first message that is not: that one and
all after it wait, in their order, for the SDK, which is then told the beginning and serves from there on. So a client
that leaves, or breaks, is noticed at any time.
"""

from __future__ import annotations

import threading
from typing import Callable, List, NamedTuple, Optional, Sequence

from unity_bridge.clock import Clock
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio
from unity_bridge.mcp_endpoint.json_rpc import INTERNAL_ERROR, Incoming, Notification, Refusal, Request
from unity_bridge.mcp_endpoint.static_answers import StaticAnswers
from unity_bridge.mcp_endpoint.stdio_wire import MAX_LINE_BYTES, StdioWire, WireEnd

# SPEC 3.4: gone 2 s after the input's end. Waiting for the SDK may take most of it; a call then mostly milliseconds.
_LOADING_S = 1.5

_TOO_EARLY = "unity-bridge ended before it had finished loading; nothing ran. "
_INPUT_ENDED = "Keep its stdin open until the answers are there."
_SEE_LOG = "Its log says why."


class Dealt(NamedTuple):
    """A message that was dealt with here, and the line that answered it (None for a notification)."""

    message: Incoming
    answer: Optional[bytes]


class _Successor(NamedTuple):
    deliver: Callable[[Sequence[Incoming]], None]
    ended: Callable[[WireEnd], None]


class Opening:
    """Owns the wire for its whole life; ``hand_over`` says who its messages and its ends are for from then on.

    ``answers``: what may be answered ahead; None leaves everything to the successor. ``on_end`` is told, on one of the
    opening's own threads, that there is nothing left to wait for: whoever owns it then calls ``withdraw``.
    """

    def __init__(
        self,
        stdio: Stdio,
        answers: Optional[StaticAnswers],
        clock: Clock,
        log: Logger,
        on_end: Callable[[], None] = lambda: None,
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self._answers = answers
        self._clock = clock
        self._log = log
        self._on_end = on_end
        self._wire = StdioWire(stdio, self._deliver, self._wire_ended, log, max_line_bytes)
        self._patience = threading.Timer(_LOADING_S, on_end)
        self._patience.name = "mcp-loading"
        self._patience.daemon = True
        self._lock = threading.Lock()  # guards all below
        self._answering = answers is not None
        self._has_shaken_hands = False
        self._dealt: List[Dealt] = []
        self._waiting: List[Incoming] = []
        self._ends: List[WireEnd] = []
        self._input_ended_at: Optional[float] = None
        self._successor: Optional[_Successor] = None
        self._withdrawn = False

    def start(self) -> None:
        self._wire.start()

    def send(self, line: bytes) -> None:
        """Queue one line. Any thread, at once."""
        self._wire.send(line)

    def since_input_ended(self) -> float:
        """Seconds, 0 if it has not."""
        with self._lock:
            ended_at = self._input_ended_at
        return 0.0 if ended_at is None else self._clock.now() - ended_at

    def stop_answering(self) -> Sequence[Dealt]:
        """From now on every message waits; what was dealt with here until now."""
        with self._lock:
            self._answering = False
            return list(self._dealt)

    def hand_over(self, deliver: Callable[[Sequence[Incoming]], None], ended: Callable[[WireEnd], None]) -> bool:
        """What waits goes to ``deliver`` now, and then all that follows; ends go to ``ended``. False if it is too late.

        They are called under the lock: neither may block.
        """
        with self._lock:
            self._patience.cancel()
            if self._withdrawn:
                return False
            self._successor = _Successor(deliver, ended)
            waiting, self._waiting = self._waiting, []
            if waiting:
                deliver(waiting)
            for end in self._ends:
                ended(end)
            return True

    def withdraw(self, budget_s: float) -> bool:
        """Refuse what waits and close the wire, so that nobody can take it over any more. False if somebody has."""
        with self._lock:
            if self._successor is not None:
                return False
            self._withdrawn = True
            for message in self._waiting:
                self._refuse(message)
            self._waiting = []
        self._patience.cancel()
        self._wire.close(budget_s)
        return True

    def close(self, budget_s: float) -> None:
        """Write what is queued and end the wire's threads; for the successor."""
        self._wire.close(budget_s)

    # --- the wire's threads ---

    def _deliver(self, messages: Sequence[Incoming]) -> None:
        with self._lock:
            successor = self._successor
            if successor is None:
                for message in messages:
                    self._take(message)
        if successor is not None:
            successor.deliver(messages)

    def _take(self, message: Incoming) -> None:
        """Under the lock, which the order of the messages needs; nothing here blocks."""
        if self._withdrawn:
            self._refuse(message)
        elif not (self._answering and self._deals_with(message)):
            self._answering = False
            self._waiting.append(message)

    def _deals_with(self, message: Incoming) -> bool:
        if isinstance(message, Notification):
            self._dealt.append(Dealt(message, None))
            return True
        if not isinstance(message, Request) or self._answers is None:
            return False
        line = self._answers.line(message, self._has_shaken_hands)
        if line is None:
            return False
        self._has_shaken_hands |= message.method == "initialize"
        self._dealt.append(Dealt(message, line))
        self._wire.send(line)
        return True

    def _refuse(self, message: Incoming) -> None:
        if isinstance(message, Request):
            reason = _TOO_EARLY + (_SEE_LOG if self._input_ended_at is None else _INPUT_ENDED)
            self._log.warning("request refused", reason=reason, mcp_id=message.id)
            self._wire.send(Refusal(message.id, INTERNAL_ERROR, reason).line())

    def _wire_ended(self, end: WireEnd) -> None:
        with self._lock:
            successor = self._successor
            self._ends.append(end)
            if end is WireEnd.INPUT_ENDED and self._input_ended_at is None:
                self._input_ended_at = self._clock.now()
            nothing_owed = not self._waiting or end is WireEnd.OUTPUT_GONE
            patient = successor is None and not nothing_owed
            if patient and self._patience.ident is None:
                self._patience.start()
        if successor is not None:
            successor.ended(end)
        elif nothing_owed:
            self._on_end()
