"""``SdkFallback``: the ``mcp`` SDK, loaded at the first message that only it knows what to do with (ADR-0022).

It takes half a second and 35 MB, which hardly any client ever asks for. What comes while it loads waits, in its order.
"""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Callable, List, Mapping, NamedTuple, Optional

from unity_bridge.catalogue.tool import Tool
from unity_bridge.log.logger import Logger
from unity_bridge.mcp.envelope import Era
from unity_bridge.mcp.json_rpc import INTERNAL_ERROR, Refusal, Request
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.mcp.tool_calls import ToolCalls

if TYPE_CHECKING:
    from unity_bridge.mcp.sdk_server import SdkServer

_DRAIN_S = 0.1
_END_S = 1.0

# The owed request, the line that answers it, and whether that is a result and no error.
Answered = Callable[[Owed, bytes, bool], None]


class Handshake(NamedTuple):
    """An ``initialize`` that was answered without the SDK, and the answer."""

    request: Request
    line: bytes


class SdkFallback:
    """``take`` and ``remember`` belong to one thread; the rest is safe from any. ``answered`` is called on ours."""

    def __init__(
        self,
        catalogue: Mapping[str, Tool],
        version: str,
        answered: Answered,
        send: Callable[[bytes], None],
        log: Logger,
    ) -> None:
        self._catalogue = catalogue
        self._version = version
        self._answered = answered
        self._send = send
        self._log = log
        self._thread = threading.Thread(target=self._run, name="mcp-sdk", daemon=True)
        self._lock = threading.Lock()  # guards all below
        self._handshake: Optional[Handshake] = None
        self._waiting: List[Owed] = []
        self._calls: Optional[ToolCalls] = None
        self._server: Optional[SdkServer] = None
        self._asked: List[Owed] = []  # what the server was handed, as far as it may be unanswered
        self._is_over = False

    @property
    def has_loaded(self) -> bool:
        """Whether it was needed."""
        return self._thread.ident is not None

    def open(self, calls: ToolCalls) -> None:
        """Where calls go that the SDK passes on; until then they wait."""
        with self._lock:
            self._calls = calls
            server = self._server
        if server is not None:
            server.open(calls)

    def remember(self, request: Request, line: bytes) -> None:
        """The client has shaken hands without the SDK, which must be told before it is asked for anything."""
        with self._lock:
            self._handshake = Handshake(request, line)
            if self._server is not None:
                self._server.replay(self._handshake)

    def take(self, owed: Owed, era: Era) -> None:
        """Let the SDK answer."""
        with self._lock:
            is_over, server = self._is_over, self._server
            if not is_over and server is None:
                self._waiting.append(owed)
            elif not is_over and server is not None:
                self._hand(server, owed)
        if is_over:
            self._refuse(owed)
        elif not self.has_loaded:
            self._log.info("loading the MCP SDK", method=owed.request.method, era=era.name)
            self._thread.start()

    def drain(self) -> None:
        """Let it answer what has just ended."""
        with self._lock:
            server = self._server
        if server is not None:
            server.drain(_DRAIN_S)

    def close(self) -> None:
        """What still waits is refused."""
        with self._lock:
            self._is_over = True
            waiting, self._waiting = self._waiting, []
            server = self._server
        for owed in waiting:
            self._refuse(owed)
        if server is not None:
            server.stop()
            self._thread.join(_END_S)

    # --- mcp-sdk ---

    def _run(self) -> None:
        try:
            from unity_bridge.mcp.sdk_server import SdkServer

            sdk = SdkServer(self._catalogue, self._version, self._answered, self._send, self._log)
            sdk.run(lambda: self._begin(sdk))
        except Exception:
            self._log.exception("the MCP SDK failed: a bug, or packages that do not fit together")
        finally:
            with self._lock:
                self._is_over, self._server = True, None
                left, self._waiting = [*self._asked, *self._waiting], []
            for owed in left:
                if not owed.is_settled:
                    self._refuse(owed)

    def _begin(self, server: SdkServer) -> None:
        """It serves: what waited goes to it, after the handshake that it missed."""
        with self._lock:
            if self._is_over:
                server.stop()
                return
            if self._calls is not None:
                server.open(self._calls)
            if self._handshake is not None:
                server.replay(self._handshake)
            for owed in self._waiting:
                if not owed.is_settled:  # cancelled while it waited: it must not run
                    self._hand(server, owed)
            self._waiting = []
            self._server = server

    def _hand(self, server: SdkServer, owed: Owed) -> None:
        """Under the lock."""
        self._asked = [asked for asked in self._asked if not asked.is_settled] + [owed]
        server.take(owed)

    def _refuse(self, owed: Owed) -> None:
        message = "unity-bridge cannot answer this now; nothing ran. Its log says why."
        self._answered(owed, Refusal(owed.request.id, INTERNAL_ERROR, message).line(), False)


def sdk_is_installed() -> bool:
    """Not on Python 3.8 and 3.9, for which there is none."""
    return find_spec("mcp") is not None
