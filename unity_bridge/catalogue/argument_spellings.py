"""What a call means whose arguments are spelt as models guess them (SPEC §12.6).

Only what can mean one thing is taken; everything else is left as it is, and refused by the schema. Pure.
"""

from __future__ import annotations

import json
import re
from typing import Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from unity_bridge.catalogue.tool import Tool
from unity_bridge.text import json_reader
from unity_bridge.text.json_types import JsonDict, JsonObject

# What was sent may be megabytes: longer text is no name and no word.
_LONGEST_WORD = 64
_SHOWN_CHARACTERS = 60
_NUMBERS = (int, float)
_STRINGIFIED_TYPES: Mapping[str, Tuple[type, ...]] = {
    "integer": _NUMBERS,
    "number": _NUMBERS,
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
# Text that is never changed: what it contains is the caller's own.
_VERBATIM = ("code", "contains", "client_request_id")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FOLDERS_OF_ASSETS = ("assets/", "packages/")


class Meant(NamedTuple):
    """``remarks``: one sentence for each argument that was taken for something else."""

    arguments: JsonDict
    remarks: Tuple[str, ...]


def with_known_names(tool: Tool, arguments: JsonObject) -> Meant:
    """camelCase and kebab-case names as the schema has them, unless the argument is given under its
    own name too.
    """
    properties = tool.input_schema["properties"]
    if arguments.keys() <= properties.keys():
        return Meant(dict(arguments), ())
    renamed: JsonDict = {}
    remarks = []
    for name, value in arguments.items():
        argument = name
        if name not in properties and len(name) <= _LONGEST_WORD:
            spelt = _HUMP.sub("_", name).replace("-", "_").lower()
            if spelt in tool.taken_names:
                spelt = tool.other_names[spelt]
            if spelt in properties and spelt not in arguments and spelt not in renamed:
                argument = spelt
                remarks.append(f"{name} was taken as {argument}.")
        renamed[argument] = value
    return Meant(renamed, tuple(remarks))


def with_known_values(
    tool: Tool, arguments: JsonObject, project_folders: Callable[[], Sequence[str]]
) -> Meant:
    """Each value in the type, the word or the form of path that its argument takes, where it can be
    only one.
    """
    properties: JsonObject = tool.input_schema["properties"]
    values: JsonDict = {}
    remarks: List[str] = []
    for name, argument in arguments.items():
        if name in _VERBATIM or name not in properties:
            value = argument
        else:
            value = _value(properties[name], tool, name, argument)
        if name in tool.asset_paths and isinstance(value, str):
            value = _asset_path(value, project_folders)
        values[name] = value
        # 20.0 is 20 in JSON: that needs no remark.
        if value is not argument and not isinstance(argument, float):
            remarks.append(f"{name} {shown(argument)} was taken as {shown(value)}.")
    return Meant(values, tuple(remarks))


def _value(schema: JsonObject, tool: Tool, name: str, argument: Any) -> Any:
    """``argument`` itself, if it is not to be changed."""
    kind = schema["type"]
    if kind == "string":
        value = argument
        if isinstance(argument, list) and len(argument) == 1 and isinstance(argument[0], str):
            value = argument[0]
        return meant_word(tool, name, schema.get("enum"), value)
    value = _unpacked(kind, argument) if isinstance(argument, str) else argument
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind == "array" and schema["items"]["type"] == "string":
        if (
            isinstance(value, str)
            and value.strip()
            and not value.lstrip().startswith(("[", '"', "{"))
        ):
            value = [word.strip() for word in value.split(",") if word.strip()]
        if isinstance(value, list):
            words = [meant_word(tool, name, schema["items"].get("enum"), word) for word in value]
            if words == value:
                return value
            return words
    return value


def _unpacked(kind: str, text: str) -> Any:
    """Return the number, boolean, list or object that ``text`` spells as JSON; ``text`` if it
    spells another one.
    """
    try:
        spelling = text
        if kind == "boolean":
            spelling = text.lower()
        parsed = json_reader.loads(spelling)
    except ValueError:
        return text
    is_meant = isinstance(parsed, _STRINGIFIED_TYPES[kind]) and (
        kind == "boolean" or not isinstance(parsed, bool)
    )
    if is_meant:
        return parsed
    return text


def meant_word(tool: Tool, name: str, words: Optional[Sequence[str]], argument: Any) -> Any:
    """Return the word that is spelt in another case, or as Unity or other bridges spell it; else
    ``argument``.
    """
    if (
        words is None
        or not isinstance(argument, str)
        or argument in words
        or len(argument) > _LONGEST_WORD
    ):
        return argument
    spelt = re.sub(r"[\s_-]", "", argument).lower()
    plain = {word.replace("_", ""): word for word in words}
    return plain.get(spelt) or tool.other_words.get(name, {}).get(spelt) or argument


def _asset_path(text: str, project_folders: Callable[[], Sequence[str]]) -> str:
    """Return an asset's path from ``Assets`` or ``Packages`` on, with slashes. Paths of scene
    objects stay the same.
    """
    path = text.replace("\\", "/")
    if path.lower().startswith(_FOLDERS_OF_ASSETS):
        if path == text:
            return text
        return path
    is_absolute = path.startswith("/") or path[1:3] == ":/"
    for folder in project_folders() if is_absolute else ():
        start = folder.replace("\\", "/").rstrip("/") + "/"
        # Drives and folders of Windows have no case.
        is_below = (
            path.lower().startswith(start.lower()) if path[1:2] == ":" else path.startswith(start)
        )
        if is_below and path[len(start) :].lower().startswith(_FOLDERS_OF_ASSETS):
            return path[len(start) :]
    return text


def shown(value: Any) -> str:
    """``value`` as short JSON, for a sentence. What was sent may be megabytes, and is cut first."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        return json.dumps(shortened(value), ensure_ascii=False)
    beginning = value
    if isinstance(value, list):
        beginning = value[:_SHOWN_CHARACTERS]
    named = json.dumps(
        beginning, ensure_ascii=False, default=lambda unknown: type(unknown).__name__
    )
    return shortened(named)


def shortened(text: str) -> str:
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    return text[:_SHOWN_CHARACTERS] + "..."


def nearest_argument(tool: Tool, name: str) -> Optional[str]:
    """Return the argument that models mean by a name that resembles none."""
    return tool.other_names.get(_HUMP.sub("_", name[:_LONGEST_WORD]).replace("-", "_").lower())
