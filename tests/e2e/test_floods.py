"""Floods of small messages, from another process: the server answers, and its memory is bounded
(SPEC §20.1).

``tests/bench/flood_bench.py`` measures how long it takes.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import psutil
import pytest

from tests.e2e import flooding
from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.faulty_editor.process import SimulatorProcess
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

MOST_GROWTH = 64 * 2**20
KINDS = [
    "empty",
    "ping",
    "pong",
    "fault",
    "status",
    "moods",
    "result",
    "error",
    "large",
    "hello",
    "pending-ping",
]


@contextmanager
def flood(port: int, kind: str, project: str = "") -> Iterator[None]:
    """Eight connections that flood."""
    command = [sys.executable, "-I", flooding.__file__, str(port), kind, "8", project]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None and process.stdout.readline() == b"flooding\n"
        yield
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("kind", KINDS)
def test_a_flood_of_unproven_peers_holds_up_neither_clients_nor_the_proven_editor(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    with BridgeProcess(0, tmp_path) as server:
        port = server.wait_for_a_role()
        memory = psutil.Process(server.process.pid).memory_info
        before = memory().rss
        with flood(port, kind):
            for _ in range(20):
                assert server.call("get_editor_state")["server_state"] in (
                    "waiting_editor",
                    "ready",
                )
            with SimulatorProcess(
                port
            ) as editor:  # which comes after the unproven one, and proves itself
                editor.wait_for("connected", GUARD_S)
                while server.call("get_editor_state")["trusted"] is not True:
                    pass
                for _ in range(20):
                    assert server.call("read_console")["count"] >= 0
        assert memory().rss - before < MOST_GROWTH
