"""What the simulated plugin can do: one file a tool, named as the tool is. Add a tool to one of the two lists."""

from __future__ import annotations

from typing import Any, Dict, Mapping, NamedTuple, Protocol

from unity_bridge.base.result import Result
from unity_bridge.simulator.job import Refusal
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.tools.compile import Compile
from unity_bridge.simulator.tools.inspect import Inspect
from unity_bridge.simulator.tools.play_mode import PlayMode
from unity_bridge.simulator.tools.read_console import ReadConsole
from unity_bridge.simulator.tools.run_command import RunCommand
from unity_bridge.simulator.tools.run_csharp import RunCSharp
from unity_bridge.simulator.tools.run_tests import RunTests
from unity_bridge.simulator.tools.screenshot import Screenshot
from unity_bridge.simulator.unity_api import UnityApi


class ReadTool(Protocol):
    """What answers at once, on the main thread."""

    name: str

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]: ...


class Tools(NamedTuple):
    """By name. They live as long as a domain."""

    reads: Mapping[str, ReadTool]
    jobs: Mapping[str, JobTool]


_READS = (ReadConsole, Inspect, Screenshot)
_JOBS = (Compile, RunTests, PlayMode, RunCommand, RunCSharp)

READS = tuple(tool.name for tool in _READS)
JOBS = tuple(tool.name for tool in _JOBS)


def tools_of(editor: UnityApi) -> Tools:
    return Tools({tool.name: tool(editor) for tool in _READS}, {tool.name: tool(editor) for tool in _JOBS})
