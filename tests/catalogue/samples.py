"""Values that the schema of an argument allows, and which arguments are open to everybody."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple

# What is open before a proof (SPEC §17.2), written a second time: a new tool or parameter is in no
# list until somebody puts it there. ``refresh: false`` of ``run_tests`` is open too.
OPEN: Dict[str, Tuple[str, ...]] = {
    "read_console": ("max_entries", "types", "contains", "include_stack_trace", "since"),
    "run_tests": ("mode", "filter", "include_passed"),
}

_ONE_OF_EACH: Dict[str, List[Any]] = {
    "integer": [1],
    "number": [1.5],
    "string": ["Keep"],
    "boolean": [False, True],
    "object": [{"name": 1}],
}


def samples(schema: Mapping[str, Any]) -> List[Any]:
    """Return every word of an enum, both flags, and one of anything else."""
    if "enum" in schema:
        return list(schema["enum"])
    if "anyOf" in schema:
        return [value for choice in schema["anyOf"] for value in samples(choice)]
    kinds = schema.get("type", "object")
    if kinds == "array":
        return [samples(schema.get("items", {"type": "string"}))[:1] * schema.get("minItems", 1)]
    return [
        value
        for kind in ([kinds] if isinstance(kinds, str) else kinds)
        for value in _ONE_OF_EACH.get(kind, [])
    ]
