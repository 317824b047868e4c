"""What the plugin's own tests share: a server that plays what a test tells it, and the plugin in a headless editor.

A file that needs another server or editor has fixtures of its own under these names.
"""

from __future__ import annotations

from typing import Iterator

import pytest

from tests.scripted_server import ScriptedServer
from tests.unity_headless.headless_editor import HeadlessEditor


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as scripted:
        yield scripted


@pytest.fixture
def editor(server: ScriptedServer) -> Iterator[HeadlessEditor]:
    with HeadlessEditor(server.port) as headless:
        yield headless
        assert headless.violations() == []
