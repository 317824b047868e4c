"""run_csharp as an agent uses it: an MCP client, the real server, the plugin, a real compiler."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp_types", reason="the mcp package needs Python 3.10")

from tests.unity_headless import roslyn
from tests.unity_headless.headless_editor import HeadlessEditor
from tests.unity_headless.mcp_agent import Agent
from unity_bridge.base.result import Ok
from unity_bridge.projects.canonical_path import canonical_path
from unity_bridge.trust import consent

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the .NET that the compiler needs here is one for Linux"
)


def test_code_is_refused_until_it_is_allowed_and_then_run_once(
    agent: Agent, agents_editor: HeadlessEditor, tmp_path: Path
) -> None:
    roslyn.lay_out_editor(tmp_path)
    agents_editor.arrange(f"contents {tmp_path}")
    error = agent.error("run_csharp", code="1 + 1")["details"]
    assert (error["reason"], error["execution_guarantee"]) == ("not_allowed", "not_executed")
    assert consent.allow(canonical_path(agents_editor.project), True) == Ok(None)
    ran = agent.call(
        "run_csharp", code='Debug.Log("hello");\nnew { sum = 40 + 2, list = new[] { 1.5, 2 } }'
    )
    assert ran["state"] == "succeeded"
    assert (
        ran["result"]["value"] == {"sum": 42, "list": [1.5, 2]}
        and ran["result"]["output"] == "hello\n"
    )
    assert agents_editor.history.count("console hello") == 1
