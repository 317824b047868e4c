"""What the tests of commands leave as they found it: a command sends the process's log where its user reads it."""

from __future__ import annotations

import logging
from typing import Iterator

import pytest


@pytest.fixture(autouse=True)
def log_as_it_was() -> Iterator[None]:
    root = logging.getLogger("unity_bridge")
    before = list(root.handlers), root.level, root.propagate, logging.raiseExceptions
    yield
    root.handlers[:], root.level, root.propagate, logging.raiseExceptions = before
