"""The catalogue: the only place that says which tools exist. One file per tool (SPEC §8, ADR-0012).

Every module of this folder that is not one of ``_SHARED`` describes one tool in its ``TOOL``, under the module's name.
Data that everyone may read: the MCP endpoint, the executor, attached servers, the command line.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Iterator, Mapping

from unity_bridge.base.frozen import changed
from unity_bridge.catalogue.tool import Mode, Tool

# What the tools have in common, and what describes the plugin's side of them.
_SHARED = {
    "__init__",
    "tool",
    "schema",
    "argument_spellings",
    "answer_limits",
    "job_text",
    "picture_size",
    "request_validator",
    "readable_result",
    "schema_checks",
    "calls",
    "picture",
    "plugin_commands",
    "synonyms",
    "before_proof",
    "loaded_code",
}


def _tools() -> Iterator[Tool]:
    for file in os.listdir(os.path.dirname(__file__)):
        name, ending = os.path.splitext(file)
        if ending == ".py" and name not in _SHARED:
            tool: Tool = import_module(f"{__name__}.{name}").TOOL
            assert tool.name == name, f"{file} describes {tool.name}"
            yield tool


# In the order in which clients list them.
CATALOGUE: Mapping[str, Tool] = {
    tool.name: tool for tool in sorted(_tools(), key=lambda tool: (tool.rank, tool.name))
}

# What compile and run_tests have, which may take as long as a project is large; a job of other
# limits keeps its own.
_LIMITS_MS = (300_000, 1_800_000)


def catalogue_for(job_default_timeout_ms: int, job_max_timeout_ms: int) -> Mapping[str, Tool]:
    """Return the catalogue with the limits of jobs as configured (SPEC §9)."""
    return {
        name: _with_limits(tool, job_default_timeout_ms, job_max_timeout_ms)
        for name, tool in CATALOGUE.items()
    }


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
    return changed(tool, default_timeout_ms=default_ms, max_timeout_ms=max_ms, input_schema=schema)
