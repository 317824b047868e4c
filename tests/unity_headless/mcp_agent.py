"""An agent: the MCP SDK's own client with a server of its own over stdio, usable from a test
without async.
"""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult

from tests.package_messages import LOG_FILE_VARIABLE
from tests.unity_headless.headless_editor import HANG_GUARD_S
from unity_bridge.launch.environment import isolated
from unity_bridge.trust.state_folder import STATE_DIR_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
ENDS = ("succeeded", "failed", "timeout", "cancelled")

Json = Dict[str, Any]


def _handed_on() -> Dict[str, str]:
    """Where the editor's secret is, and where a test reads the server's log: the SDK hands on few
    variables.
    """
    return {
        name: os.environ[name]
        for name in (STATE_DIR_VARIABLE, LOG_FILE_VARIABLE)
        if name in os.environ
    }


class Agent:
    """One client session; the server process starts and ends with the ``with`` block.

    ``port`` may be left to the project in ``folder``, where the server is started. ``environment``: of the server.
    """

    def __init__(
        self,
        port: Optional[int],
        log_file: Optional[Path] = None,
        folder: Path = ROOT,
        **environment: str,
    ) -> None:
        log = ["--log-file", str(log_file)] if log_file else []
        given = [] if port is None else ["--port", str(port)]
        command, *words = isolated()
        self._parameters = StdioServerParameters(
            command=command,
            args=[*words, *given, *log],
            cwd=str(folder),
            env={**_handed_on(), **environment},
        )
        self._stack = ExitStack()

    def __enter__(self) -> Agent:
        self._portal = self._stack.enter_context(start_blocking_portal())
        self._client = self._stack.enter_context(
            self._portal.wrap_async_context_manager(Client(self._parameters))
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def result(self, tool: str, **arguments: Any) -> CallToolResult:
        async def call() -> CallToolResult:
            return await self._client.call_tool(
                tool, arguments, read_timeout_seconds=2 * HANG_GUARD_S
            )

        return self._portal.call(call)

    def call(self, tool: str, **arguments: Any) -> Json:
        """The structured content of a call that works."""
        detail = {"detail": True} if tool == "get_editor_state" else {}
        result = self.result(tool, **{**detail, **arguments})
        assert not result.is_error, result.structured_content
        return dict(result.structured_content or {})

    def error(self, tool: str, **arguments: Any) -> Json:
        """The error of a call that fails."""
        result = self.result(tool, **arguments)
        assert result.is_error, result.structured_content
        return dict((result.structured_content or {})["error"])

    def wait_for_editor(self, trusted: bool = True) -> Json:
        """Returns when an editor is connected and ready: the first call that needs it is parked
        until then.

        A call waits 2 s for the editor's proof and then goes on without it. On a busy machine the proof may come later.
        """
        for _ in range(20):
            if not self.result("read_console", max_entries=1).is_error:
                break
        return self.wait_for_state(lambda state: state["trusted"] is trusted)

    def wait_for_state(self, is_it: Callable[[Json], bool]) -> Json:
        pause = threading.Event()
        for _ in range(int(HANG_GUARD_S / 0.05)):
            state = self.call("get_editor_state")
            if is_it(state):
                return state
            pause.wait(0.05)
        raise AssertionError(state)

    def run_to_its_end(self, job_id: str) -> Json:
        """Follows a job as an agent does, waiting instead of polling."""
        for _ in range(int(HANG_GUARD_S)):
            status = self.call("get_job_status", job_id=job_id, wait_ms=2_000)
            if status["state"] in ENDS:
                return status
        raise AssertionError(status)
