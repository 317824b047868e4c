"""The listener as a process of its own, to be attacked: ``python tests/e2e/attacked_listener.py
[LIMITS-AS-JSON]``.

It echoes, and prints its port. Commands on stdin: ``report`` waits until no peer is left and prints
``{threads, descriptors, closed}``; ``flood`` sends 6 MiB to every peer; ``descriptors N`` leaves it N to use; end of
file stops it. Each answers with one line of JSON on stdout.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any, Dict, List

import psutil

from tests.leaks import ends_within
from unity_bridge.base.clock import SystemClock
from unity_bridge.base.result import Ok
from unity_bridge.log import logger
from unity_bridge.unity.websocket import Limits, Peer, WebSocketListener, unity_endpoint

_HANG_S = 20.0


class Echo:
    """Keeps the books that ``report`` shows."""

    def __init__(self) -> None:
        self.peers: Dict[int, Peer] = {}
        self.closed: List[int] = []

    def peer_opened(self, peer: Peer) -> None:
        self.peers[peer.id] = peer

    def peer_said(self, peer: Peer, text: str) -> None:
        peer.send(text)

    def peer_overflowed(self, peer: Peer) -> None:
        peer.send("too long")

    def peer_closed(self, peer: Peer, code: int, reason: str) -> None:
        del self.peers[peer.id]
        self.closed.append(code)


def report(echo: Echo) -> Dict[str, Any]:
    for thread in threading.enumerate():
        if "peer" in thread.name:
            ends_within(thread, _HANG_S)
    process = psutil.Process()
    closed, echo.closed = echo.closed, []
    return {
        "threads": threading.active_count(),
        "descriptors": getattr(process, "num_fds" if psutil.POSIX else "num_handles")(),
        "closed": sorted(closed),
    }


def flood(echo: Echo) -> None:
    for peer in list(echo.peers.values()):
        for _ in range(6):
            peer.send("x" * 2**20)


def leave_descriptors(count: int) -> None:
    import resource

    used = max(each for each in range(256) if _is_open(each)) + 1
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (used + count, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )


def _is_open(descriptor: int) -> bool:
    import os

    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def answer(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def main() -> None:
    logger.configure()
    echo = Echo()
    limits = Limits(**json.loads(sys.argv[1])) if len(sys.argv) > 1 else Limits()
    listener = WebSocketListener(
        unity_endpoint(echo), SystemClock(), logger.Logger("attacked"), limits
    )
    bound = listener.bind(0)
    assert isinstance(bound, Ok), bound
    accepting = threading.Thread(
        target=listener.serve, name="accept", daemon=True
    )  # a fault below ends the process
    accepting.start()
    answer(bound.value)
    for line in sys.stdin:
        command, *arguments = line.split()
        if command == "report":
            answer(report(echo))
        elif command == "flood":
            flood(echo)
            answer(None)
        elif command == "descriptors":
            leave_descriptors(int(arguments[0]))
            answer(None)
    listener.stop()
    accepting.join()
    assert not [thread for thread in threading.enumerate() if "peer" in thread.name], (
        threading.enumerate()
    )


if __name__ == "__main__":
    main()
