"""A server process at the end of its pipes: the product itself without an editor, and the MCP
endpoint alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence

import psutil
import pytest

from tests.mcp.raw_client import GUARD_S, RawClient
from tests.strict_python import STRICT, complaints
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.launch.environment import isolated

ROOT = Path(__file__).parents[2]
PRODUCT = [*isolated(), "--port", "0"]
ENDPOINT_ALONE = isolated("tests.mcp.serve_fake")


class ServerProcess:
    """The command, started as an MCP client starts it."""

    def __init__(self, command: Sequence[str]) -> None:
        client_reads, server_writes = os.pipe()
        server_reads, client_writes = os.pipe()
        self.stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self.process = subprocess.Popen(
            command,
            cwd=str(ROOT),
            env={**os.environ, **STRICT},
            stdin=server_reads,
            stdout=server_writes,
            stderr=self.stderr,
        )
        os.close(server_reads)
        os.close(server_writes)
        self.client = RawClient(client_reads, client_writes)

    def ended(self) -> Any:
        """Waits for the process to end by itself; its exit status and what it said on stderr."""
        status = self.process.wait(GUARD_S)
        self.stderr.seek(0)
        return status, self.stderr.read().decode()

    def closes(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(GUARD_S)
        self.client.leaves()
        self.stderr.seek(0)
        said = self.stderr.read().decode()
        self.stderr.close()
        assert complaints(said) == []


@pytest.fixture(params=[PRODUCT, ENDPOINT_ALONE], ids=["product", "endpoint"])
def server(request: pytest.FixtureRequest) -> Any:
    server = ServerProcess(request.param)
    yield server
    server.closes()


@pytest.fixture
def product() -> Any:
    server = ServerProcess(PRODUCT)
    yield server
    server.closes()


@pytest.fixture
def endpoint() -> Any:
    server = ServerProcess(ENDPOINT_ALONE)
    yield server
    server.closes()


def test_a_session_from_handshake_to_end_of_file(server: ServerProcess) -> None:
    client = server.client.listens()
    assert client.shakes_hands()["serverInfo"]["name"] == "unity-bridge"
    assert len(client.asks_for(1, "tools/list")["result"]["tools"]) == len(CATALOGUE)
    assert client.gets(2, "get_editor_state")["result"]["structuredContent"]["connected"] is False
    assert client.gets(3, "read_console", {"max_entries": 0})["result"]["isError"] is True
    client.hangs_up()
    assert server.ended()[0] == 0
    assert client.hears_the_end() == []


def test_a_probe_and_then_a_handshake_on_the_same_pipe(server: ServerProcess) -> None:
    client = server.client.listens()
    assert "result" in client.asks_for("probe", "server/discover", modern=True)
    assert client.shakes_hands()["protocolVersion"] == "2025-11-25"
    assert client.gets(1, "get_editor_state")["result"]["isError"] is False
    assert client.gets(2, "get_editor_state", modern=True)["result"]["isError"] is False


def test_all_requests_piped_in_at_once_are_answered(server: ServerProcess) -> None:
    client = server.client
    for id in range(21):
        client.calls(id, "get_editor_state", modern=True)
    client.hangs_up()
    client.listens()
    assert sorted(answer["id"] for answer in client.hears_the_end()) == list(range(21))
    # On a machine so slow that the bridge is not loaded in time, they are refused (SPEC 3.4), which
    # is an answer too.
    assert all("result" in answer for answer in client.seen)
    assert server.ended()[0] == 0


def test_a_call_without_an_editor_is_answered_at_end_of_file_too(product: ServerProcess) -> None:
    client = product.client.listens()
    client.calls(1, "read_console", modern=True)
    client.gets(2, "get_editor_state", modern=True)
    client.hangs_up()
    (answer,) = client.hears_the_end()
    assert answer["result"]["structuredContent"]["error"]["code"] == "ERR_EDITOR_NOT_READY"
    assert product.ended()[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_server_with_its_status(
    product: ServerProcess, number: int, status: int
) -> None:
    client = product.client.listens()
    client.shakes_hands()
    client.calls(1, "read_console")
    client.gets(2, "get_editor_state")
    product.process.send_signal(number)
    assert [answer["id"] for answer in client.hears_the_end()] == [1]
    assert product.ended()[0] == status


def test_a_client_that_closes_both_pipes_leaves_no_server_behind(server: ServerProcess) -> None:
    server.client.calls(1, "read_console", {"contains": "hold"}, modern=True)
    server.client.hangs_up()
    server.client.stops_reading()
    server.ended()


@pytest.mark.skipif(os.name == "nt", reason="there it shows at the next write only")
def test_a_closed_stdout_ends_the_server_although_stdin_is_open(server: ServerProcess) -> None:
    server.client.stops_reading()
    assert server.ended()[0] == 0


def test_nothing_but_the_protocol_reaches_stdout(endpoint: ServerProcess) -> None:
    client = endpoint.client.listens()
    client.shakes_hands()
    assert client.gets(1, "read_console", {"contains": "stray"})["result"]["isError"] is False
    client.hangs_up()
    assert client.hears_the_end() == []
    status, said = endpoint.ended()
    assert status == 0
    for stray in (
        "stray print",
        "stray write",
        "stray warning",
        "stray log line",
        "stray child ''",
    ):
        assert stray in said


def test_thirty_two_calls_at_once_over_real_pipes(server: ServerProcess) -> None:
    client = server.client.listens()
    for id in range(32):
        client.calls(id, "get_editor_state", modern=True)
    assert sorted(answer["id"] for answer in client.hears_all(32)) == list(range(32))


def test_a_line_of_a_hundred_megabytes_is_refused_without_being_held(server: ServerProcess) -> None:
    client = server.client.listens()
    client.shakes_hands()
    client.gets(1, "get_editor_state")  # after this everything is loaded
    before = psutil.Process(server.process.pid).memory_info().rss
    client.says(b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"a":"')
    for _ in range(100):
        client.says(b"p" * 1_000_000)
    grown = psutil.Process(server.process.pid).memory_info().rss - before
    client.says(b'"}}\n')
    assert client.hears()["error"]["code"] == -32600
    assert client.asks_for(6, "ping")["result"] == {}
    assert grown < 40_000_000


def test_a_server_started_from_a_file_answers_it_and_ends(tmp_path: Path) -> None:
    requests = tmp_path / "requests"
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "file", "version": "1"},
    }
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}]
    lines.append({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    requests.write_text("\n".join(json.dumps(line) for line in lines))
    with requests.open("rb") as stdin:
        ran = subprocess.run(
            PRODUCT, cwd=str(ROOT), stdin=stdin, capture_output=True, timeout=GUARD_S
        )
    assert ran.returncode == 0
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == [0, 1]
