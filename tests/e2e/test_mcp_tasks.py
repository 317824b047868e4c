"""MCP's tasks with clients that other people wrote, the product and a simulated editor."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Iterator, List, Literal

import pytest

from tests.e2e.bridge_process import GUARD_S
from tests.e2e.node_clients import inspector_command
from tests.faulty_editor.process import SimulatorProcess
from tests.ports import free_port
from unity_bridge.base.result import Err
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

pytest.importorskip("mcp_types", reason="the client needs Python 3.10")

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim

ROOT = Path(__file__).parents[2]
TESTS = 12


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[List[str]]:
    """The words that start the product on a port where an editor will be."""
    port = free_port()
    monkeypatch.setenv(STATE_DIR_VARIABLE, str(tmp_path))
    with SimulatorProcess(port, tests=TESTS, test_seconds=0.1):
        yield [*isolated(), "--port", str(port)]


class Task(types.Result):
    """What a job call is answered with; the SDK knows results of extensions by their
    ``resultType``.
    """

    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int


class AskForTask(types.Request[Any, Any]):
    method: Literal["tasks/get"] = "tasks/get"
    params: Any


class TaskNow(types.Result):
    task_id: str
    status: str
    result: Any = None


class FollowsTasks(ClientExtension):
    """The least that a client must do: ask until it has ended."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.asked: List[str] = []

    def claims(self) -> List[ResultClaim[Any]]:
        return [ResultClaim(result_type="task", model=Task, resolve=self._followed)]

    async def _followed(self, task: Task, context: ClaimContext) -> types.CallToolResult:
        while True:
            await anyio.sleep(task.poll_interval_ms / 1000)
            now = await context.session.send_request(
                AskForTask(params={"taskId": task.task_id}), TaskNow
            )
            self.asked.append(now.status)
            if now.status != "working":
                return types.CallToolResult.model_validate(now.result)


def test_the_python_sdks_client_follows_a_task_to_its_result(server: List[str]) -> None:
    follows = FollowsTasks()

    async def story() -> types.CallToolResult:
        started = StdioServerParameters(command=server[0], args=server[1:])
        with anyio.fail_after(GUARD_S):
            async with Client(started, mode="2026-07-28", extensions=[follows]) as client:
                while not (await client.call_tool("get_editor_state", {})).structured_content[
                    "connected"
                ]:
                    pass
                return await client.call_tool("run_tests", {"mode": "edit", "wait_ms": 0})

    result = anyio.run(story)
    assert result.is_error is False
    assert result.structured_content["result"]["summary"]["total"] == TESTS
    assert follows.asked[-1] == "completed"


def test_the_inspector_follows_a_task_to_its_result(server: List[str]) -> None:
    """It is built on the tasks extension's own TypeScript package, and checks every answer against
    its schemas.
    """
    inspector = inspector_command()
    if isinstance(inspector, Err):
        pytest.skip(inspector.error)
    options = ["--method", "tools/call", "--tool-name", "run_tests", "--protocol-era", "modern"]
    options += ["--tool-arg", "wait_ms=0"]
    command = [*inspector.value, *server, *options]
    for _ in range(20):  # until the editor has connected to the server that each run starts again
        ran = subprocess.run(command, cwd=str(ROOT), capture_output=True, timeout=GUARD_S)
        if ran.returncode == 0:
            break
    assert ran.returncode == 0, ran.stderr.decode()
    assert json.loads(ran.stdout)["structuredContent"]["state"] == "succeeded"
