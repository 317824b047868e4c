"""A server in this process over real pipes, with only the bridge behind it faked, and a client that
speaks bytes.
"""

from __future__ import annotations

import os
import threading
from typing import Iterator, List, Optional

import pytest

from tests.mcp.fake_call_service import FakeCallService
from tests.mcp.raw_client import GUARD_S, RawClient
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.catalogue.calls import CallService
from unity_bridge.catalogue.request_validator import RequestValidator
from unity_bridge.mcp.guarded_stdio import Stdio
from unity_bridge.serve.server import Server, StopReason


class Panic(BaseException):
    """As extensions written in Rust raise it for a bug (``pyo3_runtime.PanicException``), such as
    ``pydantic_core``.
    """


class FakeBridge:
    """What is behind the endpoint; its call service answers. ``loads`` is set once it may be there."""

    def __init__(self) -> None:
        self.calls = FakeCallService()
        self.call_service: CallService = self.calls
        self.validator = RequestValidator()
        self.answer_max_bytes = 24_000
        self.loads = threading.Event()
        self.load_fault: Optional[BaseException] = None
        self.announced: List[str] = []

    def started(self) -> FakeBridge:
        assert self.loads.wait(GUARD_S)
        if self.load_fault is not None:
            raise self.load_fault
        return self

    def end_calls(self, reason: str) -> None:
        self.announced.append(reason)

    def stop(self, reason: str) -> None:
        """There is nothing to free."""


class ServedEndpoint:
    """A server in a thread of its own; ``client`` is at the other end of its pipes."""

    def __init__(self) -> None:
        self.bridge = FakeBridge()
        self.call_service = self.bridge.calls
        client_reads, server_writes = os.pipe()
        server_reads, client_writes = os.pipe()
        self.stdio = Stdio(server_reads, server_writes)
        self.server = Server(self.stdio, lambda: CATALOGUE, self.bridge.started)  # type: ignore[arg-type]
        self.endpoint = self.server.endpoint
        self.client = RawClient(client_reads, client_writes)
        self.status: Optional[int] = None
        self.cut_off = False
        self._thread = threading.Thread(target=self._serve, name="server", daemon=True)
        # Of its own: on Windows a descriptor is closed only when no thread reads from it or writes
        # to it any more.
        self._closer = threading.Thread(
            target=os.close, args=(server_writes,), name="closer", daemon=True
        )

    @property
    def announced(self) -> List[str]:
        return self.bridge.announced

    def loads(self) -> ServedEndpoint:
        """The bridge is there now."""
        self.bridge.loads.set()
        return self

    def starts(self) -> ServedEndpoint:
        self._thread.start()
        return self

    def ended(self) -> int:
        """Waits for the service to end; its exit status."""
        self._thread.join(GUARD_S)
        assert not self._thread.is_alive(), "the server does not end"
        assert self.status is not None and not self.cut_off
        return self.status

    def closes(self) -> None:
        self.loads()
        self.client.hangs_up()
        self.server.stop(StopReason.SIGTERM)
        if self._thread.ident is None:
            self.starts()
        self._thread.join(GUARD_S)
        os.close(self.stdio.fd_in)
        self.client.leaves()
        self._closer.join(GUARD_S)
        self.call_service.close()

    def _serve(self) -> None:
        try:
            self.status = self.server.run(self._cut_off)
        finally:
            self._closer.start()

    def _cut_off(self, status: int) -> None:
        self.cut_off = True


@pytest.fixture(autouse=True)
def stopping_may_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is slower than the watchdog, which ends the process (SPEC §3.4); here that is
    a failure.
    """
    monkeypatch.setattr("unity_bridge.serve.server.stop_budget_s", lambda _since_s: GUARD_S)


@pytest.fixture
def unstarted() -> Iterator[ServedEndpoint]:
    """Its bridge is there from the beginning."""
    endpoint = ServedEndpoint().loads()
    yield endpoint
    endpoint.closes()


@pytest.fixture
def loading() -> Iterator[ServedEndpoint]:
    """Serving, and its bridge is not there yet."""
    endpoint = ServedEndpoint()
    endpoint.client.listens()
    yield endpoint.starts()
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
