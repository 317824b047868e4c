"""A server on the oldest Python, for which there is no MCP SDK, with a client that other people
wrote.
"""

from __future__ import annotations

import glob
import json
import os
from typing import Any, List

import pytest

from tests import environments
from tests.e2e.bridge_process import GUARD_S
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.launch import environment

pytest.importorskip("mcp_types", reason="the client needs Python 3.10")

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

OLDEST = (3, 8)


@pytest.fixture(scope="module")
def program() -> List[str]:
    """The words that start the product on the oldest Python, with what it needs there."""
    folder = environment.ready("test", OLDEST) or made()
    return environment.isolated(python=environment.python_of(folder))


def made() -> str:
    pyenv = os.environ.get("PYENV_ROOT") or os.path.join(os.path.expanduser("~"), ".pyenv")
    found = environments.find(OLDEST, glob.glob(os.path.join(pyenv, "versions", "3.8.*")))
    if found is None:
        pytest.skip("there is no Python 3.8 on this machine")
    return environments.make("test", found, OLDEST, lambda text: None)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdks_client_is_served_without_the_sdk(program: List[str], mode: Any) -> None:
    async def story() -> None:
        server = StdioServerParameters(command=program[0], args=[*program[1:], "--port", "0"])
        with anyio.fail_after(2 * GUARD_S):
            async with Client(server, mode=mode) as client:
                listed = await client.list_tools()
                assert [tool.name for tool in listed.tools] == list(CATALOGUE)
                state = await client.call_tool("get_editor_state", {})
                assert state.is_error is False
                assert json.loads(text_of(state)) == state.structured_content
                refused = await client.call_tool("read_console", {"max_entries": 0})
                assert refused.structured_content["error"]["code"] == "ERR_INVALID_PARAMS"
                with pytest.raises(MCPError):
                    await client.list_resources()
                assert len((await client.list_prompts()).prompts) == 3

    anyio.run(story)
