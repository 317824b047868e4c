"""Reads a `tools/list` as JSON from stdin, and converts each tool as the SDK that is named first
would.

Runs alone, in an environment that has that SDK and nothing of ours. Prints one JSON object: tool to its arguments, as
the SDK would publish them to its model.
"""

from __future__ import annotations

import copy
import json
import sys
from types import SimpleNamespace
from typing import Any, Callable, Dict, List


def by_google(tool: Dict[str, Any]) -> List[str]:
    from google.genai._mcp_utils import mcp_to_gemini_tool

    converted = mcp_to_gemini_tool(SimpleNamespace(**tool))
    (declaration,) = converted.function_declarations
    return arguments_of(declaration.parameters)


def by_langchain(tool: Dict[str, Any]) -> List[str]:
    from langchain_google_genai._function_utils import convert_to_genai_function_declarations

    said = {
        "name": tool["name"],
        "description": tool["description"],
        "parameters": tool["inputSchema"],
    }
    (converted,) = convert_to_genai_function_declarations([said])
    (declaration,) = converted.function_declarations
    return arguments_of(declaration.parameters)


def by_openai(tool: Dict[str, Any]) -> List[str]:
    from openai.lib._pydantic import _ensure_strict_json_schema
    from openai.types.responses import FunctionToolParam
    from pydantic import TypeAdapter

    schema = copy.deepcopy(tool["inputSchema"])
    strict = _ensure_strict_json_schema(schema, path=(), root=schema)
    said = {
        "type": "function",
        "name": tool["name"],
        "description": tool["description"],
        "strict": True,
    }
    TypeAdapter(FunctionToolParam).validate_python({**said, "parameters": strict})
    for name, value in strict["properties"].items():
        assert value.get("type"), f"{name} has no type"
    return sorted(strict["required"])


def by_anthropic(tool: Dict[str, Any]) -> List[str]:
    from anthropic import transform_schema
    from anthropic.lib.tools.mcp import mcp_tool

    published = mcp_tool(SimpleNamespace(**tool), None).to_dict()
    assert published["input_schema"] == tool["inputSchema"], "a word of the schema was lost"
    # Its strict form leaves the type of an enum out by itself.
    return sorted(transform_schema(published["input_schema"])["properties"])


def arguments_of(schema: Any) -> List[str]:
    """The properties of Google's schema. One without a type is what Gemini refuses."""
    properties = (schema.properties if schema is not None else None) or {}
    for name, value in properties.items():
        assert value.type is not None, f"{name} has lost its type"
        assert value.items is None or value.items.type is not None, (
            f"the items of {name} have lost their type"
        )
    return sorted(properties)


CONVERTERS: Dict[str, Callable[[Dict[str, Any]], List[str]]] = {
    "google": by_google,
    "langchain": by_langchain,
    "openai": by_openai,
    "anthropic": by_anthropic,
}


def main() -> None:
    convert = CONVERTERS[sys.argv[1]]
    results: Dict[str, Any] = {}
    for tool in json.load(sys.stdin):
        try:
            results[tool["name"]] = convert({"input_schema": tool["inputSchema"], **tool})
        except Exception as error:
            results[tool["name"]] = f"{type(error).__name__}: {error}"
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
