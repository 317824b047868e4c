"""A fixture for the conversations that begin with an editor."""

from __future__ import annotations

import pytest

from tests.fakes import InMemoryBridge


@pytest.fixture
def connected(bridge: InMemoryBridge) -> None:
    bridge.editor.connects()
