"""What the simulated plugin can do. Every module here has one tool as its ``TOOL``, under the
module's name.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Protocol, Tuple

from unity_bridge.base.result import Result
from unity_bridge.simulator.job import Parameters, Refusal
from unity_bridge.simulator.jobs import JobTool
from unity_bridge.simulator.unity_api import UnityApi


class ReadTool(Protocol):
    """What answers on the main thread, at once."""

    name: str
    parameters: Parameters

    def answer(self, params: Mapping[str, Any]) -> Result[Dict[str, Any], Refusal]: ...


class Tools(NamedTuple):
    """By name. They live as long as a domain."""

    reads: Mapping[str, ReadTool]
    jobs: Mapping[str, JobTool]


def _classes() -> Iterator[Any]:
    for file in sorted(os.listdir(os.path.dirname(__file__))):
        name, ending = os.path.splitext(file)
        if ending == ".py" and name != "__init__":
            tool = import_module(f"{__name__}.{name}").TOOL
            assert tool.name == name, f"{file} has {tool.name}"
            yield tool


_CLASSES: Tuple[Any, ...] = tuple(_classes())
READS = {tool.name: tool for tool in _CLASSES if hasattr(tool, "answer")}
JOBS = {tool.name: tool for tool in _CLASSES if tool.name not in READS}


def tools_of(editor: UnityApi) -> Tools:
    return Tools(
        {name: tool(editor) for name, tool in READS.items()},
        {name: tool(editor) for name, tool in JOBS.items()},
    )
