"""The compiler's messages, one line each, in the form of compilers."""

from __future__ import annotations

from typing import List, Mapping, Optional

from unity_bridge.commands.shared.envelope import details_of
from unity_bridge.text.foreign_text import visible, visible_line
from unity_bridge.text.json_types import JsonObject


def message_line(message: JsonObject, kind: str) -> str:
    """Return ``Assets/A.cs(12,9): error CS0103: message``, without the parts that are unknown."""
    text = visible(str(message.get("message") or "")).replace("\n", " ")
    code = f" {visible_line(str(message['code']))}" if message.get("code") else ""
    place = visible_line(str(message.get("file") or ""))
    if place and message.get("line"):
        place += f"({message['line']},{message.get('column') or 1})"
    return f"{place and place + ': '}{kind}{code}: {text}"


def errors_of(error: Optional[JsonObject]) -> List[JsonObject]:
    """Return the compiler's errors, if an error says that they kept a job from running (SPEC
    §16.1).
    """
    errors = details_of(error, "compile_errors").get("errors")
    return [entry for entry in errors or () if isinstance(entry, Mapping)]


def compile_errors(error: Optional[JsonObject]) -> List[str]:
    """Return a line for each of these errors."""
    return [message_line(message, "error") for message in errors_of(error)]
