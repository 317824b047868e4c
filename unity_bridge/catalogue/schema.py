"""The words that the schemas of the tools share: plain JSON Schema, in the order of members that
clients see.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from unity_bridge.text.json_types import JsonDict, JsonObject


def object_of(properties: JsonObject, required: Tuple[str, ...] = ()) -> JsonDict:
    schema: JsonDict = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    return schema


def list_of(items: JsonObject) -> JsonDict:
    return {"type": "array", "items": dict(items)}


def whole(least: int, most: int, description: str, default: Optional[int] = None) -> JsonDict:
    """Return the schema of an argument that is a whole number."""
    return _argument({"type": "integer", "minimum": least, "maximum": most}, description, default)


def switch(description: str, default: bool = False) -> JsonDict:
    """Return the schema of an argument that is on or off."""
    return _argument({"type": "boolean"}, description, default)


def text(description: str) -> JsonDict:
    """Return the schema of an argument that is any text."""
    return _argument(TEXT, description)


def one_of(words: Sequence[str], description: str, default: Optional[str] = None) -> JsonDict:
    """One of ``words``. Some clients drop a tool whose ``enum`` has no ``type`` (SPEC §12.5)."""
    return _argument({"type": "string", "enum": list(words)}, description, default)


def _argument(schema: JsonObject, description: str, default: Any = None) -> JsonDict:
    return {
        **schema,
        **({} if default is None else {"default": default}),
        "description": description,
    }


TEXT = {"type": "string"}
TEXT_OR_NULL = {"type": ["string", "null"]}
COUNT = {"type": "integer", "minimum": 0}
NUMBER = {"type": "integer"}
PAGE_BYTES = {"type": "integer", "minimum": 1000, "maximum": 1_000_000}
FLAG = {"type": "boolean"}
FLAG_OR_NULL = {"type": ["boolean", "null"]}
JOB_ID = {"type": "string", "minLength": 1, "maxLength": 256, "description": "From its call."}
