"""A wired bridge for every test that asks for one."""

from __future__ import annotations

from typing import Iterator

import pytest

from tests.fakes import InMemoryBridge


@pytest.fixture
def bridge() -> Iterator[InMemoryBridge]:
    """A bridge whose port is bound and to which no editor has connected. Nothing may be left owed at the end."""
    wired = InMemoryBridge()
    yield wired
    wired.stop()
    assert wired.open_requests == [], "a call was left without an end"
