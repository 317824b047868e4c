"""A client that speaks bytes: it can say anything, and sees every line that comes back."""

from __future__ import annotations

import json
import os
import queue
import threading
from typing import Any, Dict, List, Optional

# Long, because a machine may be busy with other things: it only ends what hangs.
GUARD_S = 120.0

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class RawClient:
    """Writes to ``fd_out`` and reads lines from ``fd_in``; owns both."""

    def __init__(self, fd_in: int, fd_out: int) -> None:
        self._fd_in: Optional[int] = fd_in
        self._fd_out: Optional[int] = fd_out
        self._lines: queue.Queue[Optional[Dict[str, Any]]] = queue.Queue()
        self.seen: List[Dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, name="raw-client", daemon=True)

    def listens(self) -> RawClient:
        """Starts reading; before that, answers pile up in the pipe."""
        self._reader.start()
        return self

    # --- saying ---

    def says(self, data: bytes) -> None:
        assert self._fd_out is not None
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._fd_out, rest) :]

    def says_line(self, message: Any) -> None:
        self.says(json.dumps(message).encode() + b"\n")

    def asks(
        self, id: Any, method: str, params: Optional[Dict[str, Any]] = None, modern: bool = False
    ) -> None:
        message: Dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None or modern:
            message["params"] = dict(params or {})
        if modern:
            message["params"].setdefault("_meta", {}).update(MODERN_META)
        self.says_line(message)

    def calls(
        self, id: Any, tool: Any, arguments: Any = None, modern: bool = False, **params: Any
    ) -> None:
        self.asks(id, "tools/call", {"name": tool, "arguments": arguments or {}, **params}, modern)

    def cancels(self, id: Any) -> None:
        self.says_line(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
        )

    def shakes_hands(self, version: str = "2025-11-25") -> Dict[str, Any]:
        client = {"name": "raw", "version": "1"}
        self.asks(
            0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        )
        result = self.hears()["result"]
        self.says_line({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result  # type: ignore[no-any-return]

    def hangs_up(self) -> None:
        """Closes its end of the server's stdin."""
        if self._fd_out is not None:
            os.close(self._fd_out)
            self._fd_out = None

    def stops_reading(self) -> None:
        """Closes its end of the server's stdout. Only a client that never listened can."""
        assert self._fd_in is not None and not self._reader.is_alive()
        os.close(self._fd_in)
        self._fd_in = None

    def leaves(self) -> None:
        self.hangs_up()
        if self._reader.is_alive():
            self._reader.join(GUARD_S)
        if self._fd_in is not None:
            os.close(self._fd_in)
            self._fd_in = None

    # --- hearing ---

    def hears(self) -> Dict[str, Any]:
        """The next line; fails at the end of the stream."""
        message = self._lines.get(timeout=GUARD_S)
        assert message is not None, "the server closed its stdout"
        return message

    def hears_all(self, count: int) -> List[Dict[str, Any]]:
        return [self.hears() for _ in range(count)]

    def hears_the_end(self) -> List[Dict[str, Any]]:
        """Everything up to the end of the stream."""
        return list(iter(lambda: self._lines.get(timeout=GUARD_S), None))

    def asks_for(
        self, id: Any, method: str, params: Optional[Dict[str, Any]] = None, modern: bool = False
    ) -> Any:
        """Asks and returns the answer, which must be the next line."""
        self.asks(id, method, params, modern)
        answer = self.hears()
        assert answer["id"] == id, answer
        return answer

    def gets(
        self, id: Any, tool: Any, arguments: Any = None, modern: bool = False, **params: Any
    ) -> Any:
        """Calls a tool and returns the answer, which must be the next line."""
        self.calls(id, tool, arguments, modern, **params)
        answer = self.hears()
        assert answer["id"] == id, answer
        return answer

    def _read(self) -> None:
        assert self._fd_in is not None
        buffer = b""
        while True:
            chunk = os.read(self._fd_in, 65536)
            if not chunk:
                self._lines.put(None)
                return
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                message = json.loads(line.decode("utf-8"))
                self.seen.append(message)
                self._lines.put(message)
