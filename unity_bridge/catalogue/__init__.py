"""The catalogue: the only place that says which tools exist. One file per tool (SPEC §8, ADR-0012).

Data that everyone may read: the MCP endpoint, the executor, attached servers, the command line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Mapping

from unity_bridge.catalogue import (
    cancel_job,
    compile,
    get_editor_state,
    get_job_status,
    inspect,
    play_mode,
    read_console,
    run_command,
    run_csharp,
    run_tests,
    screenshot,
)
from unity_bridge.catalogue.tool import Mode, Tool

# In the order in which clients list them.
CATALOGUE: Mapping[str, Tool] = {
    module.TOOL.name: module.TOOL
    for module in (
        compile,
        run_tests,
        read_console,
        play_mode,
        inspect,
        run_csharp,
        screenshot,
        run_command,
        get_editor_state,
        get_job_status,
        cancel_job,
    )
}


# What compile and run_tests have, which may take as long as a project is large; a job of other limits keeps its own.
_LIMITS_MS = (300_000, 1_800_000)


def catalogue_for(job_default_timeout_ms: int, job_max_timeout_ms: int) -> Mapping[str, Tool]:
    """The catalogue with the limits of jobs as configured (SPEC §9)."""
    return {name: _with_limits(tool, job_default_timeout_ms, job_max_timeout_ms) for name, tool in CATALOGUE.items()}


def _with_limits(tool: Tool, default_ms: int, max_ms: int) -> Tool:
    if tool.mode is not Mode.JOB:
        return tool
    if (tool.default_timeout_ms, tool.max_timeout_ms) != _LIMITS_MS:
        default_ms, max_ms = min(tool.default_timeout_ms, max_ms), min(tool.max_timeout_ms, max_ms)
    if (tool.default_timeout_ms, tool.max_timeout_ms) == (default_ms, max_ms):
        return tool
    properties = dict(tool.input_schema["properties"])
    properties["timeout_ms"] = {**properties["timeout_ms"], "maximum": max_ms}
    schema = {**tool.input_schema, "properties": properties}
    return replace(tool, default_timeout_ms=default_ms, max_timeout_ms=max_ms, input_schema=schema)
