"""A program in between on the *same* port cannot pass proofs on (SPEC §17.1, §14.1).

It is a real process, of another user where the tests run as root. The plugin's side with the unmodified plugin is in
``test_plugin_relay.py``.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Tuple

import pytest

from tests.e2e.bridge_process import GUARD_S, BridgeProcess
from tests.e2e.relays import SamePortRelay
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from tests.windows import limits
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

TRIES = 5

# An exclusive bind may be refused on Windows while another program has a connection of that port.
# wine does not refuse.
pytestmark = pytest.mark.skipif(
    os.name == "nt" and not limits.runs_under_wine(),
    reason="tried on wine and POSIX, where one follows the other",
)


@pytest.fixture(autouse=True)
def one_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editors have the secret of the servers."""
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))


@contextmanager
def held_plugin(
    relay: SamePortRelay, port: int, folder: Path
) -> Iterator[Tuple[SamePortRelay, BridgeProcess]]:
    """The relay holds a plugin's connection, and a server has the port. The plugin comes when the server has only the
    port to wait for, because it does not wait long for an answer to its handshake."""
    with relay, BridgeProcess(port, folder) as server:
        server.wait_to_log("cannot listen for Unity; trying again every second")
        with SimulatorProcess(port):
            relay.wait_for(lambda word: word == "holding")
            server.wait_to_own_the_port()
            yield relay, server


def test_a_relay_on_the_same_port_is_not_believed_by_plugin_or_server(tmp_path: Path) -> None:
    assert any(is_relayed_and_not_believed(tmp_path) for _ in range(TRIES)), (
        "the plugin gave the relay up each time"
    )


def is_relayed_and_not_believed(tmp_path: Path) -> bool:
    """False if the plugin did not wait for the relay, which it does for 3 s: a busy machine may
    take longer.
    """
    port = free_port()
    with held_plugin(SamePortRelay(port, "/unity"), port, tmp_path) as (relay, server):
        relay.wait_for(lambda word: word == "relaying")
        word = relay.wait_for(lambda word: word.startswith("{") or word == "ended")
        if word == "ended":
            return False
        injected = json.loads(word)
        assert injected["type"] == "error" and injected["error"]["details"]["reason"] == "untrusted"
        refused = server.call("compile")["error"]
        assert refused["details"]["reason"] == "untrusted"
        state = server.call("get_editor_state")
        assert state["trusted"] is False
        return True


def test_a_relay_from_another_address_with_the_plugins_port_is_not_answered(tmp_path: Path) -> None:
    """127.0.0.2 reaches the server too, and there the plugin's port number is free."""
    port = free_port()
    with held_plugin(SamePortRelay(port, "/unity", "127.0.0.2"), port, tmp_path) as (relay, server):
        relay.wait_for(lambda word: word == "ended")
        server.wait_to_log("from another address")


@pytest.mark.skipif(os.name == "nt", reason="the words of POSIX for an address in use")
def test_the_plugins_own_end_cannot_be_taken_while_its_connection_lives() -> None:
    port = free_port()
    with SamePortRelay(port, "/unity", "127.0.0.1") as relay, SimulatorProcess(port):
        assert (
            relay.wait_for(lambda word: word.startswith("no way"))
            == "no way: Address already in use"
        )


def test_a_relay_on_the_same_port_cannot_attach(tmp_path: Path) -> None:
    """Two windows of one user; the relay keeps one's connection, and the other one takes the port."""
    port = free_port()
    with SamePortRelay(port, "/attach") as relay:
        with BridgeProcess(port, tmp_path) as first, BridgeProcess(port, tmp_path) as second:
            relay.wait_for(lambda word: word == "relaying")
            word = relay.wait_for(lambda word: word in ("attached", "refused", "ended"))
            assert word != "attached"
            if word == "refused":  # on a busy machine the window hangs up before that
                relay.wait_for(lambda word: word == "ended")
            assert first.wait_for_a_role() == second.wait_for_a_role() == port
            with SimulatorProcess(port) as editor:
                editor.wait_for("connected", GUARD_S)
                assert "error" not in first.call("read_console") and "error" not in second.call(
                    "read_console"
                )
