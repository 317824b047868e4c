"""An endpoint served in this process over real pipes, with a client that speaks bytes."""

from __future__ import annotations

import os
import threading
from typing import Iterator, List, Optional

import pytest

from tests.mcp_endpoint.fake_door import FakeDoor
from tests.mcp_endpoint.raw_client import GUARD_S, RawClient
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.clock import SystemClock
from unity_bridge.logger import Logger
from unity_bridge.mcp_endpoint.guarded_stdio import Stdio
from unity_bridge.mcp_endpoint.opening import Opening
from unity_bridge.mcp_endpoint.static_answers import StaticAnswers


class ServedEndpoint:
    """An adapter in a thread of its own; ``client`` is at the other end of its pipes.

    With ``answers``, what is static is answered before ``starts``; else all is left to the SDK.
    """

    def __init__(self, answers: Optional[StaticAnswers] = None) -> None:
        adapter = pytest.importorskip("unity_bridge.mcp_endpoint.adapter", reason="mcp needs Python 3.10")
        self.door = FakeDoor()
        self.announced: List[object] = []
        self.adapter = adapter.McpEndpointAdapter(
            self.door, RequestValidator(), "1.2.3", Logger("mcp_endpoint"), self.announced.append
        )
        client_reads, server_writes = os.pipe()
        server_reads, client_writes = os.pipe()
        self.stdio = Stdio(server_reads, server_writes)
        self.opening = Opening(self.stdio, answers, SystemClock(), Logger("mcp_endpoint"))
        self.opening.start()
        self.client = RawClient(client_reads, client_writes)
        self.end: object = None
        self._thread = threading.Thread(target=self._serve, name="mcp", daemon=True)

    def starts(self) -> ServedEndpoint:
        self._thread.start()
        return self

    def ended(self) -> object:
        """Waits for the service to end, and says why it did."""
        self._thread.join(GUARD_S)
        assert not self._thread.is_alive(), "the endpoint does not end"
        return self.end

    def closes(self) -> None:
        self.client.hangs_up()
        self.adapter.stop()
        if self._thread.ident is None:
            self.starts()
        self.ended()
        self.client.leaves()
        self.door.close()

    def _serve(self) -> None:
        try:
            self.end = self.adapter.serve(self.opening)
        finally:
            os.close(self.stdio.fd_in)
            os.close(self.stdio.fd_out)


@pytest.fixture
def unstarted() -> Iterator[ServedEndpoint]:
    endpoint = ServedEndpoint()
    yield endpoint
    endpoint.closes()


@pytest.fixture
def endpoint(unstarted: ServedEndpoint) -> ServedEndpoint:
    """Serving, and nobody has said anything yet."""
    unstarted.client.listens()
    return unstarted.starts()


@pytest.fixture
def client(endpoint: ServedEndpoint) -> RawClient:
    """A client that has shaken hands."""
    endpoint.client.shakes_hands()
    return endpoint.client
