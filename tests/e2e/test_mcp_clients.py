"""Clients that other people wrote, against the product without an editor and against the MCP
endpoint alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Awaitable, Callable, List, Optional

import pytest

from tests.e2e.node_clients import inspector_command, typescript_client
from tests.mcp.fake_call_service import EDITOR_STATE
from tests.mcp.raw_client import GUARD_S
from unity_bridge.base.result import Err
from unity_bridge.catalogue import CATALOGUE
from unity_bridge.launch.environment import isolated

pytest.importorskip("mcp_types", reason="mcp needs Python 3.10")

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent

ROOT = Path(__file__).parents[2]
PRODUCT = [*isolated()[1:], "--port", "0"]
ENDPOINT_ALONE = isolated("tests.mcp.serve_fake")[1:]
MODES = pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])


def session(arguments: List[str], mode: str, story: Callable[[Client], Awaitable[None]]) -> None:
    """Runs ``story(client)`` with the SDK's own client, connected over pipes."""

    async def run_story() -> None:
        server = StdioServerParameters(command=sys.executable, args=arguments, cwd=str(ROOT))
        with anyio.fail_after(2 * GUARD_S):
            async with Client(server, mode=mode) as client:
                await story(client)

    anyio.run(run_story)


@MODES
@pytest.mark.parametrize("arguments", [PRODUCT, ENDPOINT_ALONE], ids=["product", "endpoint"])
def test_the_sdks_client_lists_and_calls(arguments: List[str], mode: str) -> None:
    async def story(client: Client) -> None:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == list(CATALOGUE)
        state = await client.call_tool("get_editor_state", {"detail": True})
        assert state.is_error is False
        assert set(state.structured_content) >= set(EDITOR_STATE)
        (content,) = state.content
        assert (
            isinstance(content, TextContent)
            and json.loads(content.text) == state.structured_content
        )
        refused = await client.call_tool("read_console", {"max_entries": 0})
        assert refused.is_error is True
        assert refused.structured_content["error"]["code"] == "ERR_INVALID_PARAMS"
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("read_consoles", {})
        assert unknown.value.error.data["details"]["nearest"] == "read_console"

    session(arguments, mode, story)


@MODES
def test_the_sdks_client_gets_progress_in_order(mode: str) -> None:
    async def story(client: Client) -> None:
        heard = []

        async def on_progress(
            progress: float, total: Optional[float], message: Optional[str]
        ) -> None:
            heard.append((progress, total, message))

        result = await client.call_tool(
            "read_console", {"contains": "progress"}, progress_callback=on_progress
        )
        assert result.is_error is False
        assert heard == [(0, 5, "Test0"), (1, 5, "Test1"), (3, 5, "Test3"), (5, 5, "Test5")]

    session(ENDPOINT_ALONE, mode, story)


@MODES
def test_the_sdks_client_gives_a_call_up_and_goes_on(mode: str) -> None:
    async def story(client: Client) -> None:
        with pytest.raises(MCPError):
            await client.call_tool("read_console", {"contains": "hold"}, read_timeout_seconds=0.2)
        result = await client.call_tool("read_console", {"contains": "after"})
        assert result.structured_content["entries"][0]["message"] == "after"

    session(ENDPOINT_ALONE, mode, story)


@MODES
def test_the_sdks_client_takes_a_megabyte_and_many_calls_at_once(mode: str) -> None:
    async def story(client: Client) -> None:
        counts = {}

        async def call(entries: int) -> None:
            result = await client.call_tool("read_console", {"contains": f"entries {entries}"})
            counts[entries] = len(result.structured_content["entries"])

        async with anyio.create_task_group() as calls:
            for entries in (2000, *range(31)):
                calls.start_soon(call, entries)
        assert counts == {entries: entries for entries in (2000, *range(31))}

    session(ENDPOINT_ALONE, mode, story)


# --- the TypeScript SDK ---


def test_the_typescript_client_hears_why_a_call_failed() -> None:
    """It checks a failed call's structure against the tool's output schema too, and throws where it
    does not fit.
    """
    command = typescript_client()
    if isinstance(command, Err):
        pytest.skip(command.error)
    calls = [
        ("get_editor_state", {}),
        ("read_console", {"max_entries": 0}),
        ("read_console", {}),
        ("run_tests", {"mode": "x"}),
        ("get_job_status", {}),
        ("cancel_job", {}),
    ]
    program = [*command.value, json.dumps(calls), sys.executable, *PRODUCT]
    ran = subprocess.run(program, cwd=str(ROOT), capture_output=True, timeout=4 * GUARD_S)
    assert ran.returncode == 0, ran.stderr
    tools, state, *failed = [json.loads(line) for line in ran.stdout.splitlines()]
    assert tools == list(CATALOGUE)
    assert state["isError"] is False
    codes = [result["structuredContent"]["error"]["code"] for result in failed]
    assert codes == ["ERR_INVALID_PARAMS", "ERR_EDITOR_NOT_READY", *["ERR_INVALID_PARAMS"] * 3]


# --- the MCP project's inspector ---


@pytest.fixture(scope="module")
def inspector() -> Any:
    command = inspector_command()
    if isinstance(command, Err):
        pytest.skip(command.error)
    return command.value


def inspected(inspector: List[str], server: List[str], *options: str) -> Any:
    command = [*inspector, sys.executable, *server, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        command, cwd=str(ROOT), env=environment, capture_output=True, timeout=4 * GUARD_S
    )
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
@pytest.mark.parametrize("server", [PRODUCT, ENDPOINT_ALONE], ids=["product", "endpoint"])
def test_the_inspector_finds_no_fault_with_the_tools(
    inspector: List[str], server: List[str], era: str
) -> None:
    status, said, errors = inspected(
        inspector, server, "--method", "tools/list", "--strict", "--protocol-era", era
    )
    assert status == 0, errors
    assert [tool["name"] for tool in json.loads(said)["tools"]] == list(CATALOGUE)


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_calls_a_tool(inspector: List[str], era: str) -> None:
    options = ["--method", "tools/call", "--tool-name", "get_editor_state", "--protocol-era", era]
    status, said, errors = inspected(inspector, PRODUCT, *options)
    assert status == 0, errors
    assert json.loads(said)["structuredContent"]["connected"] is False


def test_the_inspector_shows_a_failed_call_by_its_status(inspector: List[str]) -> None:
    options = [
        "--method",
        "tools/call",
        "--tool-name",
        "read_console",
        "--tool-arg",
        "max_entries=0",
    ]
    status, said, errors = inspected(inspector, PRODUCT, *options)
    assert status == 5, errors
    assert json.loads(said)["structuredContent"]["error"]["code"] == "ERR_INVALID_PARAMS"
