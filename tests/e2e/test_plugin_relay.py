"""A real program between the plugin and the server, which passes everything on and knows no secret
(SPEC §17.1).
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

from tests.e2e.bridge_process import BridgeProcess
from tests.e2e.relays import SamePortRelay
from tests.ports import free_port
from tests.soak.proxy import Proxy
from tests.unity_headless.headless_editor import HeadlessEditor
from unity_bridge.base.result import Ok
from unity_bridge.trust.state_folder import state_folder

if TYPE_CHECKING:
    from tests.unity_headless.mcp_agent import Agent


def test_a_proof_relayed_from_another_port_is_refused(port: int, agent: Agent) -> None:
    relay = Proxy(port, secret=b"not the user's secret, 32 bytes.")
    try:
        with HeadlessEditor(relay.port) as editor:
            agent.wait_for_editor(trusted=False)
            error = agent.error("compile")
            assert error["details"]["reason"] == "untrusted"
            page = "\n".join(editor.draw_settings())
            assert (
                "Not trusted" in page
                and "Its proof is wrong: another secret, or a program between" in page
            )
            assert editor.violations() == []
    finally:
        relay.close()


@pytest.mark.skipif(
    os.name == "nt", reason="two programs cannot have a port one after the other there"
)
def test_a_relay_on_the_same_port_is_not_believed() -> None:
    """It has given the port up to the server while it holds the plugin's connection, and passes
    everything on.
    """
    port, state = free_port(), state_folder()
    assert isinstance(state, Ok)
    with SamePortRelay(port, "/unity") as relay, HeadlessEditor(port) as editor:
        relay.wait_for(lambda word: word == "holding")
        with BridgeProcess(port, state.value) as server:
            server.wait_to_own_the_port()
            relay.wait_for(lambda word: word == "relaying")
            injected = json.loads(relay.wait_for(lambda word: word.startswith("{")))
            assert (
                injected["type"] == "error"
                and injected["error"]["details"]["reason"] == "untrusted"
            )
            assert server.call("compile")["error"]["details"]["reason"] == "untrusted"
            assert server.call("get_editor_state")["trusted"] is False
        assert editor.violations() == []
