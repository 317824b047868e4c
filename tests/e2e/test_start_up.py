"""The moments in which something is being loaded, here without an end: what is answered, and what
ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import pytest

from tests.e2e.test_mcp_wire import ServerProcess

# The module is found, and never has been run to its end.
LOADS_FOR_EVER = """
import importlib.machinery, sys, threading

class Slow:
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == {module!r} else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        threading.Event().wait()

sys.meta_path.insert(0, Slow())
from unity_bridge.__main__ import main
sys.exit(main(["--port", "0"]))
"""


@pytest.fixture
def loading() -> Any:
    """What is behind the endpoint never comes."""
    server = ServerProcess(
        [sys.executable, "-c", LOADS_FOR_EVER.format(module="unity_bridge.serve.app")]
    )
    yield server
    server.closes()


@pytest.fixture
def without_sdk() -> Any:
    """The SDK never comes."""
    server = ServerProcess([sys.executable, "-c", LOADS_FOR_EVER.format(module="mcp_types")])
    yield server
    server.closes()


def test_a_client_has_its_tools_while_the_bridge_is_still_loading(loading: ServerProcess) -> None:
    client = loading.client.listens()
    assert client.shakes_hands()["serverInfo"]["name"] == "unity-bridge"
    assert client.asks_for(1, "tools/list")["result"]["tools"]
    client.hangs_up()
    assert loading.ended()[0] == 0


def test_a_probing_client_has_its_tools_too(loading: ServerProcess) -> None:
    client = loading.client.listens()
    assert "result" in client.asks_for(1, "server/discover", modern=True)
    assert client.asks_for(2, "tools/list", modern=True)["result"]["tools"]
    client.hangs_up()
    assert loading.ended()[0] == 0


def test_a_call_that_is_owed_at_end_of_file_gets_that_nothing_ran(loading: ServerProcess) -> None:
    client = loading.client.listens()
    client.shakes_hands()
    client.calls(7, "get_editor_state")
    client.hangs_up()
    (answer,) = client.hears_the_end()
    assert answer["id"] == 7
    assert was_not_executed(answer)
    assert loading.ended()[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="there it shows at the next write only")
def test_a_closed_stdout_ends_the_server_although_a_call_waits(loading: ServerProcess) -> None:
    loading.client.calls(7, "get_editor_state", modern=True)
    loading.client.stops_reading()
    assert loading.ended()[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_with_its_status_and_what_is_owed_is_answered(
    loading: ServerProcess, number: int, status: int
) -> None:
    client = loading.client.listens()
    client.shakes_hands()
    client.calls(7, "run_tests")
    assert client.asks_for(8, "ping")["result"] == {}  # so the call has been read
    loading.process.send_signal(number)
    (answer,) = client.hears_the_end()
    assert (answer["id"], answer["result"]["structuredContent"]["error"]["code"]) == (
        7,
        "ERR_EDITOR_NOT_READY",
    )
    assert was_not_executed(answer)
    assert loading.ended()[0] == status


def was_not_executed(answer: Any) -> Any:
    return (
        answer["result"]["structuredContent"]["error"]["details"]["execution_guarantee"]
        == "not_executed"
    )


@pytest.mark.skipif(sys.version_info < (3, 10), reason="mcp needs Python 3.10")
def test_nothing_that_clients_really_send_needs_the_sdk(without_sdk: ServerProcess) -> None:
    client = without_sdk.client.listens()
    client.shakes_hands()
    client.asks(1, "resources/list")  # which does
    assert client.asks_for(2, "tools/list")["result"]["tools"]
    assert client.gets(3, "get_editor_state")["result"]["isError"] is False
    assert client.gets(4, "get_editor_state", modern=True)["result"]["isError"] is False
    assert client.shakes_hands("2025-06-18")["protocolVersion"] == "2025-06-18"
    client.cancels(1)
    client.hangs_up()
    assert client.hears_the_end() == []
    assert without_sdk.ended()[0] == 0
