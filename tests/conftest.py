"""A wired bridge for every test that asks for one."""

from __future__ import annotations

import gc
import logging
import socket
from typing import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.fakes import InMemoryBridge
from tests.leaks import Here, left_since

# How long an example takes says more about the machine than about the code. At every save a few examples of each
# property; bin/test asks for the others where it runs what is slow.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("few", untimed, max_examples=20)
settings.register_profile("many", untimed, max_examples=300)
settings.load_profile("few")


def pytest_collection_finish() -> None:
    # The thousands of tests stay to the end: no collection of garbage need look at them again and again.
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No thread, process or descriptor of a test outlives it. First, so that it looks when all others are done."""
    before = Here.now()
    yield
    assert left_since(before) == []


@pytest.fixture
def bridge() -> Iterator[InMemoryBridge]:
    """A bridge whose port is bound and to which no editor has connected. Nothing may be left owed at the end."""
    wired = InMemoryBridge()
    yield wired
    wired.stop()
    assert wired.open_requests == [], "a call was left without an end"


@pytest.fixture(autouse=True)
def restored_logger() -> Iterator[None]:
    """Whoever configures the log, as the commands do, does so for itself: the next test hears every line again."""
    log = logging.getLogger("unity_bridge")
    handlers, level, propagate = list(log.handlers), log.level, log.propagate
    yield
    log.handlers[:], log.propagate = handlers, propagate
    log.setLevel(level)


@pytest.fixture
def shutdown_wakes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows: the other side hears of a ``shutdown``, and one's own threads wait on in ``recv`` and ``send``."""
    shutdown = socket.socket.shutdown

    def silently(line: socket.socket, how: int) -> None:
        shutdown(line, socket.SHUT_WR if how == socket.SHUT_RDWR else how)

    monkeypatch.setattr(socket.socket, "shutdown", silently)
