"""The time in which the MCP SDK is being loaded, here without an end: what is answered, and what ends the process."""

import os
import signal
import sys

import pytest

from tests.e2e.test_mcp_wire import ServerProcess

pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason="mcp needs Python 3.10")

# The import blocks where it would begin to cost time.
LOADS_FOR_EVER = """
import sys, threading

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp.server":
            threading.Event().wait()

sys.meta_path.insert(0, Slow())
from unity_bridge.__main__ import main
sys.exit(main(["--port", "0"]))
"""


@pytest.fixture
def loading():
    server = ServerProcess([sys.executable, "-c", LOADS_FOR_EVER])
    yield server
    server.closes()


def test_a_client_has_its_tools_while_the_sdk_is_still_loading(loading):
    client = loading.client.listens()
    assert client.shakes_hands()["serverInfo"]["name"] == "unity-bridge"
    assert len(client.asks_for(1, "tools/list")["result"]["tools"]) == 5
    client.hangs_up()
    assert loading.ended()[0] == 0


def test_a_probing_client_has_its_tools_too(loading):
    client = loading.client.listens()
    assert "result" in client.asks_for(1, "server/discover", modern=True)
    assert len(client.asks_for(2, "tools/list", modern=True)["result"]["tools"]) == 5
    client.hangs_up()
    assert loading.ended()[0] == 0


def test_a_call_that_is_owed_at_end_of_file_is_told_that_nothing_ran(loading):
    client = loading.client.listens()
    client.shakes_hands()
    client.calls(7, "get_editor_state")
    client.hangs_up()
    (answer,) = client.hears_the_end()
    assert answer["id"] == 7
    assert "nothing ran" in answer["error"]["message"]
    assert loading.ended()[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="there it shows at the next write only")
def test_a_closed_stdout_ends_the_server_although_a_call_waits(loading):
    loading.client.calls(7, "get_editor_state")
    loading.client.stops_reading()
    assert loading.ended()[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_with_its_status_and_what_is_owed_is_answered(loading, number, status):
    client = loading.client.listens()
    client.shakes_hands()
    client.calls(7, "get_editor_state")
    client.says(b"rubbish\n")
    assert client.hears()["error"]["code"] == -32700  # so the call has been read
    loading.process.send_signal(number)
    assert [answer["id"] for answer in client.hears_the_end()] == [7]
    assert loading.ended()[0] == status
