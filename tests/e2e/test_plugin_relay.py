"""A real program between the plugin and the server, which passes everything on and knows no secret (SPEC §17.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("mcp", reason="mcp needs Python 3.10")

from tests.soak.proxy import Proxy
from tests.unity_headless.headless_editor import HeadlessEditor

if TYPE_CHECKING:
    from tests.unity_headless.mcp_agent import Agent


def test_what_is_passed_on_from_another_port_is_no_proof(port: int, agent: Agent) -> None:
    relay = Proxy(port, secret=b"not the user's secret, 32 bytes.")
    try:
        with HeadlessEditor(relay.port) as editor:
            agent.wait_for_editor()
            assert agent.call("read_console", max_entries=1)["count"] >= 0
            error = agent.error("compile")
            assert error["details"]["reason"] == "untrusted"
            page = "\n".join(editor.draw_settings())
            assert "Not trusted" in page and "Its proof is wrong: it runs as another user, on another port" in page
            assert editor.violations() == []
    finally:
        relay.close()
