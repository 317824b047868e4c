"""During a session with a server without proof: asks the port now and then whether a server of this
user has it, and ends the session for that one (SPEC §17.4).
"""

from __future__ import annotations

from http.client import HTTPConnection, HTTPException
from threading import Event, Thread
from typing import Callable

from unity_bridge.base.clock import SystemClock
from unity_bridge.simulator.trust import ServerProof, ends_of
from unity_bridge.text import json_reader

_EVERY_S = 3.0
_EVERY_LATER_S = 15.0
_LATER_S = 60.0
_ANSWER_S = 3.0
_MOST_BYTES = 8 * 1024

_clock = SystemClock()


class ProofSearch:
    """Ends with the session, whose ``ended`` is set then; ``end_session`` ends it."""

    def __init__(
        self, port: int, trust: ServerProof, ended: Event, end_session: Callable[[], object]
    ) -> None:
        self._port = port
        self._trust = trust
        self._ended = ended
        self._end_session = end_session
        self._has_found = False
        self._thread = Thread(target=self._search, name="simulator proof search", daemon=True)
        self._thread.start()

    def has_found(self) -> bool:
        """After the end of the session: whether it ended for a server that has proved itself."""
        self._thread.join()
        return self._has_found

    def _search(self) -> None:
        began_at = next_at = _clock.now()
        while not self._has_found:
            is_early = _clock.now() - began_at < _LATER_S
            next_at += _EVERY_S if is_early else _EVERY_LATER_S
            if self._ended.wait(max(0.0, next_at - _clock.now())):
                return
            self._has_found = is_proven(self._port, self._trust)
        self._end_session()


def is_proven(port: int, trust: ServerProof) -> bool:
    """Return whether a server that has proved itself has the port: a plain HTTP request, which says
    nothing of the editor.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=_ANSWER_S)
    try:
        connection.connect()
        ends = ends_of(connection.sock)
        headers = {"Connection": "close", **trust.opening(ends)}
        nonce = trust.new_nonce()
        connection.request("GET", f"/proof?nonce={nonce}", headers=headers)
        answer = connection.getresponse()
        if answer.status != 200:
            return False
        return trust.is_servers(json_reader.loads(answer.read(_MOST_BYTES).decode()), nonce, ends)
    except (OSError, HTTPException, ValueError):
        return False
    finally:
        connection.close()
