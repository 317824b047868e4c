"""``docs/examples/minimal_plugin.py`` works with the real server, through the commands that people
use.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Iterator

import pytest

from tests.ports import free_port
from unity_bridge.launch import environment

EXAMPLE = "docs/examples/minimal_plugin.py"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port that the example tries to reach."""
    port = free_port()
    plugin = subprocess.Popen(
        [sys.executable, EXAMPLE, str(port)], cwd=environment.ROOT, stdin=subprocess.DEVNULL
    )
    try:
        yield port
    finally:
        plugin.kill()
        plugin.wait()


def bridge(port: int, *words: str) -> str:
    """What a command prints."""
    command = [*environment.isolated(), *words, "--port", str(port)]
    done = subprocess.run(
        command, cwd=environment.ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_console_is_read(port: int) -> None:
    console = json.loads(bridge(port, "call", "read_console"))
    assert [entry["message"] for entry in console["entries"]] == ["Hello from a minimal plugin"]


def test_its_tests_are_run_and_the_report_is_written(port: int, tmp_path: Any) -> None:
    report = tmp_path / "report.xml"
    # It has no `compile`, so no result can say that the newest code was tested.
    bridge(port, "test", "--no-refresh", "--junit", str(report))
    assert 'tests="1"' in report.read_text(encoding="utf-8")


def test_it_is_shown_without_a_name(port: int) -> None:
    state = json.loads(bridge(port, "status", "--json", "--wait", "10"))["result"]
    assert (state["connected"], state["editor_state"], state["plugin_version"]) == (
        True,
        "ready",
        "1.0.0",
    )
