"""``SdkFallback``: the ``mcp`` SDK, loaded at the first message that only it knows what to do with
(ADR-0022).

It takes half a second and 35 MB, which hardly any client ever asks for. Messages that come while it
loads wait.
"""

from __future__ import annotations

import json
import queue
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Callable, Optional

from unity_bridge.log.logger import Logger
from unity_bridge.mcp.json_rpc import INTERNAL_ERROR, Request, RpcError
from unity_bridge.mcp.owed_requests import Owed
from unity_bridge.mcp.static_answers import Catalogue

if TYPE_CHECKING:
    from unity_bridge.mcp.sdk.authority import SdkAuthority

_END_S = 1.0

# The owed request, the line that answers it, and whether that is a result and no error.
Answered = Callable[[Owed, bytes, bool], None]


class SdkFallback:
    """``take`` and ``remember`` belong to one thread. ``answered`` is called on the thread
    ``mcp-sdk``.
    """

    def __init__(
        self, catalogue: Catalogue, version: str, instructions: str, answered: Answered, log: Logger
    ) -> None:
        self._catalogue = catalogue
        self._version = version
        self._instructions = instructions
        self._answered = answered
        self._log = log
        self._thread = threading.Thread(target=self._run, name="mcp-sdk", daemon=True)
        # One at a time, in the order in which they came: what follows a handshake is answered after
        # it.
        self._inbox: queue.Queue[Optional[Owed]] = queue.Queue()
        # The newest that was accepted, which the SDK is shown again before whatever follows it.
        self._handshake: Optional[Request] = None

    @property
    def has_loaded(self) -> bool:
        """Whether it was needed."""
        return self._thread.ident is not None

    def remember(self, request: Request) -> None:
        """Remember that the client has shaken hands without the SDK."""
        self._handshake = request

    def take(self, owed: Owed) -> None:
        """Let the SDK answer."""
        self._inbox.put(owed)
        if not self.has_loaded:
            self._log.info("loading the MCP SDK", method=owed.request.method)
            self._thread.start()

    def close(self) -> None:
        """End the thread. The endpoint answers what still waits."""
        self._inbox.put(None)
        if self.has_loaded:
            self._thread.join(_END_S)

    # --- mcp-sdk ---

    def _run(self) -> None:
        authority: Optional[SdkAuthority] = None
        while True:
            owed = self._inbox.get()
            if owed is None:
                return
            if owed.is_closed:  # cancelled while it waited
                continue
            try:
                if authority is None:
                    from unity_bridge.mcp.sdk.authority import SdkAuthority

                    authority = SdkAuthority(self._catalogue(), self._version, self._instructions)
                line = authority.answer(owed.request, self._handshake)
            except BaseException:  # a panic in pydantic_core, a cancelled task
                self._log.exception(
                    "the MCP SDK failed: a bug, or packages that do not fit together"
                )
                message = "unity-bridge cannot answer this; nothing ran. Its log says why."
                line = RpcError(owed.request.id, INTERNAL_ERROR, message).line()
            is_result = "result" in json.loads(line)
            if is_result and owed.request.method == "initialize":
                self._handshake = owed.request
            self._answered(owed, line, is_result)


def sdk_is_installed() -> bool:
    """Not on Python 3.8 and 3.9, for which there is none. By a name that only versions have that
    fit: 1.x lacks it.
    """
    return find_spec("mcp_types") is not None
