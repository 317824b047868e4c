"""``websocket-server`` without what its import does to everybody's logging."""

from __future__ import annotations

import logging
from typing import List


def _root_handlers() -> List[logging.Handler]:
    return list(logging.getLogger().handlers)


# The library calls logging.basicConfig() as it is imported: a handler on the root logger that would
# double other programs' lines on stderr and make their own basicConfig() do nothing.
_before = _root_handlers()
from websocket_server.websocket_server import WebSocketHandler, WebsocketServer  # noqa: E402

for _handler in _root_handlers():
    if _handler not in _before:
        logging.getLogger().removeHandler(_handler)

# What it logs, our own lines say better.
SILENT = logging.CRITICAL + 1

__all__ = ["SILENT", "WebSocketHandler", "WebsocketServer"]
