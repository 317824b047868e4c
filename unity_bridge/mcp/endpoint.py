"""``McpEndpoint``: the agent's side, from its first line to its last (SPEC §12, ADR-0022).

What clients really send is served here, in both eras: the opening from ``StaticAnswers``, calls
through ``ServedCalls``. Whatever else comes goes to the ``mcp`` SDK, which is the authority for it
(``SdkFallback``).

Threads: messages come on ``mcp-stdin``, in the order of their lines, and nothing there waits for
anybody. Answers go out on the thread that has them.
"""

from __future__ import annotations

import threading
from enum import Enum
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Sequence

from unity_bridge.base.clock import Clock
from unity_bridge.base.errors import ToolError, stopping
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.envelope import (
    TASK_METHODS,
    Era,
    client_name,
    is_plain_envelope,
    is_plain_meta,
)
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.mcp.json_rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Incoming,
    Notification,
    Request,
    RpcError,
    is_id,
)
from unity_bridge.mcp.owed_requests import Owed, OwedRequests
from unity_bridge.mcp.refusals import (
    new_refusal_id,
    own_limit_ms,
    refusal_line,
    still_making,
    too_many,
)
from unity_bridge.mcp.sdk.fallback import SdkFallback, sdk_is_installed
from unity_bridge.mcp.sdk.missing import answer_without_sdk, envelope_fault
from unity_bridge.mcp.static_answers import INSTRUCTIONS, Catalogue, StaticAnswers
from unity_bridge.mcp.stdio_wire import StdioWire, WireEnd

if TYPE_CHECKING:
    from unity_bridge.catalogue.calls import CallService
    from unity_bridge.catalogue.request_validator import RequestValidator
    from unity_bridge.mcp.served_calls import ServedCalls

# What the handshake era serves only to those who have shaken hands.
_AFTER_HANDSHAKE = ("tools/list", "tools/call", "prompts/list", "prompts/get")


class News(Enum):
    """Events for the owner of the endpoint, on one of its threads."""

    INPUT_ENDED = "the client has said all it will say"
    OUTPUT_GONE = "nobody reads the answers any more"
    IDLE = "nothing is owed any more, and the end has begun"


class McpEndpoint:
    """Reads from ``start`` on. Calls wait until ``open`` says who takes them; all else is served at
    once.
    """

    def __init__(
        self,
        stdio: Stdio,
        catalogue: Catalogue,
        version: str,
        clock: Clock,
        log: Logger,
        on_news: Callable[[News], None],
        instructions: str = INSTRUCTIONS,
    ) -> None:
        self._clock = clock
        self._log = log
        self._on_news = on_news
        self._static = StaticAnswers(catalogue, version, instructions)
        self._wire = StdioWire(stdio, self._deliver, self._wire_ended, log)
        self._owed = OwedRequests(self._wire.send, self._idle)
        self._sdk: Optional[SdkFallback] = None
        if sdk_is_installed():
            self._sdk = SdkFallback(catalogue, version, instructions, self._sdk_answered, log)
        self._has_shaken_hands = False
        self._client = ""  # of the last initialize
        self._lock = threading.Lock()  # guards all below
        # How many times initialize is with the SDK: whatever follows it in that era goes there too.
        self._with_sdk = 0
        self._calls: Optional[ServedCalls] = None
        self._waiting: List[Owed] = []
        # How many calls may wait; None: as many as come.
        self.most_waiting: Optional[int] = None
        self._is_stopping = False
        self._input_ended_at: Optional[float] = None

    # --- for its owner ---

    def start(self) -> None:
        self._wire.start()

    def open(
        self, call_service: CallService, validator: RequestValidator, answer_max_bytes: int
    ) -> None:
        """Send calls to ``call_service`` from now on, those that waited first, in their order."""
        # Not at the top: they import the catalogue, and this is the loading thread.
        from unity_bridge.mcp.client_calls import ClientCalls
        from unity_bridge.mcp.served_calls import ServedCalls

        client_calls = ClientCalls(call_service, validator, self._log, answer_max_bytes)
        calls = ServedCalls(
            client_calls,
            self._owed,
            self._wire.send,
            self._static,
            self._clock,
            self._log,
            answer_max_bytes,
        )
        while True:
            with self._lock:
                if not self._waiting:
                    self._calls = calls
                    return
                owed = self._waiting.pop(0)
            calls.begin(owed)

    def refuse_overdue(self, longest_ms: int) -> None:
        """Refuse calls that have waited this long for the environment, or as long as their client
        lets them.
        """
        with self._lock:
            waiting = list(self._waiting)
        now = self._clock.now()
        for owed in waiting:
            own_ms = own_limit_ms(owed.request, self._static.catalogue)
            waited_ms = owed.waited_ms(now)
            if waited_ms >= (longest_ms if own_ms is None else min(own_ms, longest_ms)):
                with self._lock:
                    is_ours = owed in self._waiting
                    if is_ours:
                        self._waiting.remove(owed)
                if is_ours:
                    self._refuse_call(owed, still_making(waited_ms))

    def refuse_calls(self, error: Optional[ToolError] = None) -> None:
        """Refuse calls that wait, which have not run, and take none any more: the bridge stops."""
        with self._lock:
            self._is_stopping = True
            waiting, self._waiting = self._waiting, []
        for owed in waiting:
            self._refuse_call(owed, error or stopping())

    def give_up(self) -> None:
        """Answer whatever nobody has answered: its end is not known."""
        with self._lock:
            calls = self._calls
        if calls is not None:
            calls.give_up()
        for owed in self._owed.all():
            self._refuse(
                owed, INTERNAL_ERROR, "unity-bridge is shutting down; nothing ran. Start it again."
            )

    def close(self, budget_s: float) -> None:
        """End every thread; what is queued is written within about ``budget_s`` seconds."""
        if self._sdk is not None:
            self._sdk.close()
            self.give_up()  # what the SDK was asked and has not answered
        self._wire.close(budget_s)

    @property
    def is_open(self) -> bool:
        with self._lock:
            return self._calls is not None

    @property
    def is_idle(self) -> bool:
        """Whether nothing is owed."""
        return self._owed.is_idle

    @property
    def has_input_ended(self) -> bool:
        with self._lock:
            return self._input_ended_at is not None

    def since_input_ended(self) -> float:
        """Seconds, 0 if it has not."""
        with self._lock:
            ended_at = self._input_ended_at
        if ended_at is None:
            return 0.0
        return self._clock.now() - ended_at

    # --- mcp-stdin ---

    def _deliver(self, messages: Sequence[Incoming]) -> None:
        for message in messages:
            if isinstance(message, Request):
                self._take(message)
            elif isinstance(message, Notification) and message.method == "notifications/cancelled":
                self._cancel(message)
            # No other notification means anything to this server, and the SDK knows of none either.

    def _take(self, request: Request) -> None:
        owed = self._owed.add(request)
        if owed is None:
            message = "A request with this id is still in flight. Use a new id."
            self._log.warning(
                "request refused", code=INVALID_REQUEST, reason=message, mcp_id=request.id
            )
            self._wire.send(RpcError(request.id, INVALID_REQUEST, message).line())
            return
        era = owed.era
        if request.method == "initialize":
            self._client = client_name(request)
        if self._with_sdk and era is Era.HANDSHAKE:
            self._hand_to_sdk(owed, era)
        elif request.method == "initialize":
            self._shake_hands(owed)
        elif (
            era is Era.HANDSHAKE
            and not self._has_shaken_hands
            and request.method in _AFTER_HANDSHAKE
        ):
            self._refuse(owed, INVALID_PARAMS, "Invalid request parameters", "")
        elif (request.method == "tools/call" or _is_about_a_task(request, era)) and self._can_serve(
            request, era
        ):
            self._call(owed)
        else:
            line = self._static.line(request, era)
            if line is None:
                self._hand_to_sdk(owed, era)
            else:
                self._owed.answer(owed, line)

    def _can_serve(self, request: Request, era: Era) -> bool:
        """Whether the SDK would find no fault with what the call carries; without one, there is
        nobody to ask.
        """
        params = request.params or {}
        if self._sdk is None:
            return era is Era.HANDSHAKE or envelope_fault(request) is None
        if era is Era.HANDSHAKE:
            return is_plain_meta(params)
        return is_plain_envelope(params)

    def _shake_hands(self, owed: Owed) -> None:
        line = self._static.line(owed.request, Era.HANDSHAKE)
        if line is None:
            self._hand_to_sdk(owed, Era.HANDSHAKE)
            return
        self._has_shaken_hands = True
        if self._sdk is not None:
            self._sdk.remember(owed.request)
        self._owed.answer(owed, line)

    def _cancel(self, notification: Notification) -> None:
        id: Any = (notification.params or {}).get("requestId")
        owed = None
        if is_id(id):
            owed = self._owed.cancel(id)
        if owed is None:
            self._log.debug("cancel of a request that is not in flight", mcp_id=str(id))

    def _wire_ended(self, end: WireEnd) -> None:
        if end is WireEnd.OUTPUT_GONE:
            self._on_news(News.OUTPUT_GONE)
            return
        with self._lock:
            if self._input_ended_at is None:
                self._input_ended_at = self._clock.now()
        self._on_news(News.INPUT_ENDED)

    # --- calls ---

    def _call(self, owed: Owed) -> None:
        owed.client = client_name(owed.request) if owed.era is Era.ENVELOPE else self._client
        with self._lock:
            calls, is_stopping = self._calls, self._is_stopping
            most = None
            if calls is None and not is_stopping:
                most = self._limit_reached()
                if most is None:
                    owed.waits_since = self._clock.now()
                    self._waiting.append(owed)
                    return
        if most is not None:
            self._refuse_call(owed, too_many(most))
        elif is_stopping or calls is None:
            self._refuse_call(owed, stopping())
        else:
            calls.begin(owed)

    def _limit_reached(self) -> Optional[int]:
        """Return how many calls may wait for the bridge, if so many do. Under the lock."""
        most = self.most_waiting
        if most is None or sum(not waiting.is_closed for waiting in self._waiting) < most:
            return None
        return most

    def _refuse_call(self, owed: Owed, error: ToolError) -> None:
        if owed.request.method != "tools/call":
            self._refuse(owed, INTERNAL_ERROR, error.message)
            return
        request_id = new_refusal_id()
        self._log.info(
            "call refused", code=error.code.value, reason=error.message, request_id=request_id
        )
        stamp = self._static.stamp if owed.era is Era.ENVELOPE else {}
        self._owed.answer(owed, refusal_line(owed.request.id, error, request_id, stamp))

    # --- what only the SDK knows ---

    def _hand_to_sdk(self, owed: Owed, era: Era) -> None:
        if self._sdk is None:
            line = answer_without_sdk(owed.request, era, self._static)
            self._has_shaken_hands |= owed.request.method == "initialize" and b'"result":' in line
            self._owed.answer(owed, line)
            return
        if owed.request.method == "initialize":
            with self._lock:
                self._with_sdk += 1
        self._sdk.take(owed)

    def _sdk_answered(self, owed: Owed, line: bytes, is_result: bool) -> None:
        """On the SDK's thread. Of a call it says only that nothing is wrong with the message."""
        if is_result and owed.request.method == "tools/call":
            self._call(owed)
            return
        if owed.request.method == "initialize":
            self._has_shaken_hands |= is_result
            with self._lock:
                self._with_sdk -= 1
        self._owed.answer(owed, line)

    def _refuse(self, owed: Owed, code: int, message: str, data: Any = None) -> None:
        self._log.warning("request refused", code=code, reason=message, mcp_id=owed.request.id)
        self._owed.answer(owed, RpcError(owed.request.id, code, message, data).line())

    def _idle(self) -> None:
        with self._lock:
            is_awaited = self._is_stopping or self._input_ended_at is not None
        if is_awaited:
            self._on_news(News.IDLE)


def _is_about_a_task(request: Request, era: Era) -> bool:
    return era is Era.ENVELOPE and request.method in TASK_METHODS
